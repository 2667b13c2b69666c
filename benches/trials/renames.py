#!/usr/bin/env python3
"""Seeded renames on real projects: how many symd accepts, how many of those it calls complete, and which of them break the
project's own tests. See README.md."""

from __future__ import annotations

import argparse
import pathlib
import signal
import sys
import time
from collections.abc import Callable

import report
from asking import ask
from checks import Checks
from client import Home, Symd
from judging import Judge, Known
from outcome import Outcome
from project import Copy, projects
from sample import Case, draw

# The ways to get an answer, with the servers of each.
WAYS = {"ty": ["ty"], "basedpyright": ["basedpyright"], "none": []}


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that daemons end too
    options = arguments()
    outcomes = []
    for name in options.projects:
        copy = Copy(projects()[name], options.sources, options.work)
        checks = Checks(copy)
        say(f"{name}: {sum(map(len, checks.passed))} tests decide; failing or unsteady at first: {checks.unsteady}")
        for seed in options.seeds:
            cases = draw(copy.root, copy.project, seed, options.count)
            for way in options.ways:
                so_far = list(outcomes)
                outcomes += through(way, seed, cases, checks, options, lambda new: keep(so_far + new, options))
                keep(outcomes, options)
    print(tables(outcomes))


def arguments() -> argparse.Namespace:
    known = list(projects())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    path = lambda text: pathlib.Path(text).expanduser()
    parser.add_argument("--symd", type=path, required=True, help="the program")
    parser.add_argument("--servers", type=path, required=True, help="the folder of installed servers (SYMD_HOME/data/servers)")
    parser.add_argument("--sources", type=path, required=True, help="the folder of unpacked source distributions, NAME-VERSION each")
    parser.add_argument("--work", type=path, required=True, help="a folder for copies, virtual environments and homes, which is kept")
    parser.add_argument("--projects", nargs="+", choices=known, default=known)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[7])
    parser.add_argument("--count", type=int, default=50, help="renames for each project, way and seed")
    parser.add_argument("--out", type=path, default=pathlib.Path("renames.jsonl"), help="a file for every case, a line each")
    parser.add_argument("--dry", action="store_true", help="ask only: make nothing and run no tests")
    parser.add_argument("--anew", action="store_true", help="test also those edits whose verdict is known from an earlier run")
    return parser.parse_args()


def through(
    way: str, seed: int, cases: list[Case], checks: Checks, options: argparse.Namespace, write: Callable[[list[Outcome]], None]
) -> list[Outcome]:
    """Requests all renames in one way, then determines which of the accepted ones break the project. Writes the results
    after each step: judging may take hours."""
    copy, began = checks.copy, time.monotonic()
    copy.reset()
    home = Home(options.work / "homes" / f"{copy.project.name}-{way}", options.servers, WAYS[way])
    with Symd(options.symd, copy.root, home) as symd:
        symd.settle(**cases[0].arguments)
        outcomes = [Outcome(copy.project.name, way, seed, case, ask(symd, case)) for case in cases]
        asked = time.monotonic() - began
        write(outcomes)
        if not options.dry:
            judge_all(outcomes, symd, checks, options, write)
    accepted = [one for one in outcomes if one.answer.is_accepted]
    say(
        f"{copy.project.name} {way} seed {seed}: {len(accepted)} accepted, {sum(one.answer.is_complete for one in accepted)} complete, "
        f"{sum(bool(one.problems) for one in outcomes)} broken; asked in {asked:.0f} s, judged in {time.monotonic() - began - asked:.0f} s"
    )
    return outcomes


def judge_all(
    outcomes: list[Outcome], symd: Symd, checks: Checks, options: argparse.Namespace, write: Callable[[list[Outcome]], None]
) -> None:
    """Judges the accepted renames, those that say complete apart from the others."""
    known = Known(checks.copy.folder / "verdicts.json")
    if options.anew:
        known.problems.clear()
    accepted = [one for one in outcomes if one.answer.is_accepted]
    judge = Judge(symd, checks, known, {one.case: one.answer.diff for one in accepted}, say)
    for is_complete in (True, False):
        judge.judge([one.case for one in accepted if one.answer.is_complete == is_complete])
        for one in accepted:
            one.problems = judge.problems.get(one.case)
            one.said_when_made = judge.made.get(one.case, "").strip().split("\n")[-1]
        write(outcomes)
    for cases, problems in judge.only_together:
        say(f"  sound by halves, broken together: {[case.new_name for case in cases]}: {problems[0][:200]}")


def keep(outcomes: list[Outcome], options: argparse.Namespace) -> None:
    """Writes the results so far."""
    options.out.write_text("".join(one.line() + "\n" for one in outcomes), "utf-8")


def tables(outcomes: list[Outcome]) -> str:
    parts = [
        report.head(sys.argv), "## Renames", report.summary(outcomes), "## By kind", report.kinds(outcomes),
        "## Refused", report.refusals(outcomes), "## Accepted and not called complete", report.words(outcomes),
        "## Broken", report.breaks(outcomes),
    ]
    return "\n\n".join(parts)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
