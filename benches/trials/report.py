"""The trial's tables, in Markdown."""

from __future__ import annotations

import collections
import datetime
import pathlib
import platform

from outcome import Outcome


def head(command: list[str]) -> str:
    """Returns date, machine and command."""
    models = [line for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n") if line.startswith("model name")]
    machine = f"{len(models)} cores of {models[0].split(':')[1].strip()}, Linux {platform.release()}" if models else platform.platform()
    today = datetime.date.today().isoformat()
    return f"Measured {today} on {machine}, Python {platform.python_version()}.\nCommand: `{' '.join(command)}`"


def summary(outcomes: list[Outcome]) -> str:
    """Returns one row per project and way."""
    rows = []
    for (project, way), those in _grouped(outcomes, lambda one: (one.project, one.way)).items():
        accepted = [one for one in those if one.answer.is_accepted]
        complete = [one for one in accepted if one.answer.is_complete]
        others = [one for one in accepted if not one.answer.is_complete]
        overrides = [one for one in those if one.case.quota == "override"]
        methods = [one for one in overrides if one.case.symbol.kind == "method"]
        rows.append([
            project, way, len(those), f"{len(overrides)} ({len(methods)} methods)",
            _share(len(accepted), len(those)), _share(len(complete), len(accepted)),
            _broken(complete), _broken(others),
        ])
    names = ["project", "way", "asked", "with overrides", "accepted", "complete, of these", "broken of complete", "broken of others"]
    return _table(names, rows)


def refusals(outcomes: list[Outcome]) -> str:
    """Returns the reasons for rejections, by project and way, with an example."""
    refused = [one for one in outcomes if not one.answer.is_accepted]
    ways = sorted({(one.project, one.way) for one in outcomes})
    grouped = _grouped(refused, lambda one: one.answer.reason)
    rows = []
    for reason, those in sorted(grouped.items(), key=lambda entry: -len(entry[1])):
        counts = collections.Counter((one.project, one.way) for one in those)
        rows.append([reason, *(counts[way] or "" for way in ways), f"`{_name(those[0])}`"])
    return _table(["reason", *(f"{project} {way}" for project, way in ways), "for example"], rows)


def kinds(outcomes: list[Outcome]) -> str:
    """Returns how many renames were accepted and complete by quota, for each way."""
    rows = []
    for (way, quota), those in sorted(_grouped(outcomes, lambda one: (one.way, one.case.quota)).items()):
        accepted = [one for one in those if one.answer.is_accepted]
        complete = [one for one in accepted if one.answer.is_complete]
        broken = [one for one in accepted if one.problems]
        rows.append([way, quota, len(those), len(accepted), len(complete), len(broken)])
    return _table(["way", "kind", "asked", "accepted", "complete", "broken"], rows)


def breaks(outcomes: list[Outcome]) -> str:
    """Returns each rename that broke the project: its answer, and what broke."""
    lines = []
    for one in sorted(outcomes, key=lambda one: not one.answer.is_complete):
        if one.problems:
            said = "complete" if one.answer.is_complete else "not complete"
            lines.append(f"- **{said}**, {one.project} {one.way}: `{_name(one)}` → `{one.case.new_name}` ({one.case.quota})")
            lines.append(f"  - said: {one.answer.footer}")
            lines += [f"  - warned: {note}" for note in one.answer.notes]
            lines += [f"  - broke: {problem[:300]}" for problem in one.problems[:3]]
    return "\n".join(lines) or "None."


def words(outcomes: list[Outcome]) -> str:
    """Returns why accepted renames are not called complete: the ends of their last lines, without names and numbers."""
    others = [one for one in outcomes if one.answer.is_accepted and not one.answer.is_complete]
    rows = []
    for why, those in sorted(_grouped(others, lambda one: one.why_incomplete).items(), key=lambda entry: -len(entry[1])):
        ways = collections.Counter(one.way for one in those)
        rows.append([why, ", ".join(f"{way} {count}" for way, count in sorted(ways.items())), f"`{_name(those[0])}`"])
    return _table(["said", "how often", "for example"], rows)


def _broken(outcomes: list[Outcome]) -> str:
    judged = [one for one in outcomes if one.problems is not None]
    broken = [one for one in judged if one.problems]
    unjudged = len(outcomes) - len(judged)
    return f"{len(broken)} of {len(judged)}" + (f", {unjudged} not judged" if unjudged else "")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "0"


def _name(one: Outcome) -> str:
    symbol = one.case.symbol
    return f"{'/'.join(symbol.path)} in {symbol.file}:{symbol.line}"


def _grouped(outcomes, key) -> dict:
    groups = collections.defaultdict(list)
    for one in outcomes:
        groups[key(one)].append(one)
    return groups


def _table(names: list[str], rows: list[list]) -> str:
    if not rows:
        return "None."
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
