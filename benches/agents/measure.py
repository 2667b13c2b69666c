#!/usr/bin/env python3
"""Characters and calls that an agent pays for 25 tasks through symd's toolsets and through ripgrep + reading files.

    benches/agents/measure.py --symd target/release/symd --project django=DIR --project ktor=DIR

README.md beside this file says what is counted and where the projects come from. Needs Python 3.11, `rg` and `sed`.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

from client import Connection, isolated_environment
from shell import Foul, Shell
from workspace import Workspace

HERE = pathlib.Path(__file__).resolve().parent
# Limits: number of tools of the first variant's toolset, characters of its listing and of its instructions.
MOST_TOOLS, MOST_LISTED, MOST_INSTRUCTIONS = 16, 16_000, 1_500
MOST_OF = {"serena": 0.5, "grep": 0.25}
NEVER_ABOVE = "serena"


class Run:
    """What one variant of one task costs, and what is wrong with it."""

    def __init__(self):
        self.sent = self.received = self.calls = 0
        self.answers, self.faults = [], []

    def add(self, name, arguments, answer):
        self.calls += 1
        self.sent += len(name) + len(compact(arguments))
        self.received += len(answer)
        self.answers.append((name, arguments, answer))

    @property
    def characters(self):
        return self.sent + self.received


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def run_steps(steps, variant, workspace, symd, env):
    """Makes a variant's calls in order, over one connection or in one shell."""
    run = Run()
    if variant.get("shell"):
        shell = Shell(workspace.copy, env)
        for step in steps:
            if "command" in step:
                run.add("bash", step, shell.command(step["command"]))
            else:
                run.add("edit", step, shell.edit(**step))
        return run
    options = variant.get("options", [])
    with Connection(symd, workspace.copy, variant["toolset"], env, options) as connection:
        for step in steps:
            arguments = step.get("args", {})
            answer, failed = connection.call(step["tool"], arguments)
            run.add(step["tool"], arguments, answer)
            if failed and not step.get("fails"):
                run.faults.append(f"{step['tool']} failed: {answer[:300]}")
    return run


def flat(text):
    return re.sub(r"\s+", " ", text)


def readable(answers):
    """Returns the answers as a reader understands them: JSON also with its strings unescaped; line breaks become spaces."""

    def strings(value):
        if isinstance(value, dict):
            return [part for pair in value.items() for part in [pair[0], *strings(pair[1])]]
        if isinstance(value, list):
            return [part for item in value for part in strings(item)]
        return [value] if isinstance(value, str) else []

    texts = []
    for _, _, answer in answers:
        texts.append(answer)
        try:
            texts += strings(json.loads(answer))
        except ValueError:
            pass
    return flat("\n".join(texts))


def missing(facts, text):
    """Returns the facts that the text does not contain. A fact is a text, or a list of texts of which one is enough."""
    absent = []
    for fact in facts:
        ways = [fact] if isinstance(fact, str) else fact
        if not any(flat(way) in text for way in ways):
            absent.append(" | ".join(ways))
    return absent


def run_task(task, name, variant, workspace, symd, env):
    steps = task["variants"].get(name) or task["variants"][variant["otherwise"]]
    try:
        run = run_steps(steps, variant, workspace, symd, env)
    except Foul as foul:
        run = Run()
        run.faults.append(str(foul))
        workspace.restore()
        return run
    run.faults += [f"not in the answers: {fact}" for fact in missing(task["facts"], readable(run.answers))]
    wanted = task.get("result", {})
    for path, facts in wanted.items():
        text = flat(workspace.text(path))
        run.faults += [f"not in {path}: {fact}" for fact in missing(facts.get("has", []), text)]
        run.faults += [f"still in {path}: {text_}" for text_ in facts.get("lacks", []) if flat(text_) in text]
    changed = workspace.changed()
    run.faults += [f"changed: {path}" for path in changed if path not in wanted]
    run.faults += [f"left as it was: {path}" for path in wanted if path not in changed]
    workspace.restore()
    return run


def measure_listings(listings, symd, root, env):
    rows = {}
    for name, listing in listings.items():
        with Connection(symd, root, listing["toolset"], env, listing.get("options", [])) as connection:
            tools = connection.tools()
            rows[name] = (len(tools), len(compact(tools)), len(connection.instructions))
    return rows


def ratio(part, whole):
    return f"{part / whole:.2f}" if whole else "–"


def listing_table(rows):
    lines = ["| toolset | tools | tools/list | instructions | sum |", "|---|---|---|---|---|"]
    lines += [
        f"| {toolset} | {count} | {listed:,} | {instructions:,} | {listed + instructions:,} |"
        for toolset, (count, listed, instructions) in rows.items()
    ]
    return "\n".join(lines)


def task_table(tasks, names, runs):
    """Returns a table per task and in sum: characters in + out (calls), ✗ where a fact is missing; ratios of the first variant to each other."""
    first, others = names[0], names[1:]
    head = ["task", "phase", *(f"{name}: in + out (calls)" for name in names), *(f"{first} / {name}" for name in others)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]

    def row(label, phase, ids):
        sums, cells = {}, []
        for name in names:
            of = [runs[task_id, name] for task_id in ids]
            sent, received, calls = sums[name] = [sum(getattr(run, what) for run in of) for what in ("sent", "received", "calls")]
            cells.append(f"{sent:,} + {received:,} ({calls})" + (" ✗" if any(run.faults for run in of) else ""))
        totals = {name: sums[name][0] + sums[name][1] for name in names}
        ratios = [ratio(totals[first], totals[name]) for name in others]
        lines.append("| " + " | ".join([label, phase, *cells, *ratios]) + " |")

    for task in tasks:
        row(task["id"], task["phase"], [task["id"]])
    for what in ("project", "phase"):
        for value in dict.fromkeys(task[what] for task in tasks):
            row(f"**{value}**", "", [task["id"] for task in tasks if task[what] == value])
    row("**sum**", "", [task["id"] for task in tasks])
    return "\n".join(lines)


def judge(tasks, names, runs, listing):
    """Returns a line for each exceeded limit."""
    first, lines = names[0], []
    for what, got, most in zip(
        ("tools", "characters of tools/list", "characters of instructions"),
        listing.get(first, (0, 0, 0)),
        (MOST_TOOLS, MOST_LISTED, MOST_INSTRUCTIONS),
    ):
        if got > most:
            lines.append(f"{first}: {got:,} {what}, at most {most:,}")
    totals = {name: sum(runs[task["id"], name].characters for task in tasks) for name in names}
    for other, most in MOST_OF.items():
        if other in totals and totals[first] > most * totals[other]:
            lines.append(f"{first} / {other} in sum: {ratio(totals[first], totals[other])}, at most {most}")
        above = [
            f"{task['id']} ({ratio(runs[task['id'], first].characters, runs[task['id'], other].characters)})"
            for task in tasks
            if other in names and runs[task["id"], first].characters > most * runs[task["id"], other].characters
        ]
        if above:
            lines.append(f"tasks above {most} of {other}: " + ", ".join(above))
    if NEVER_ABOVE in names:
        above = [task["id"] for task in tasks if runs[task["id"], first].characters > runs[task["id"], NEVER_ABOVE].characters]
        if above:
            lines.append(f"tasks above {NEVER_ABOVE}: " + ", ".join(above))
    return lines


def show(task, name, run):
    print(f"\n## {task['id']} · {name}: {task['question']}")
    for tool, arguments, answer in run.answers:
        print(f"\n> {tool} {compact(arguments)}\n{answer}")


def machine():
    model = "unknown processor"
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = re.findall(r"^model name\s*: (.*)$", cpuinfo.read_text(), re.MULTILINE)
        model = names[0] if names else model
    return f"{os.cpu_count()} cores of {model}, {platform.system()} {platform.release()}"


def shown_command():
    """Returns the command without the directories of this machine."""
    words = [re.sub(r"^((?:\w+=)?).*/([^/]+)/?$", r"\1\2", word) for word in sys.argv[1:]]
    return shlex.join(["benches/agents/measure.py", *words])


def read_options(argv):
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--symd", required=True, help="the program to measure")
    options.add_argument("--project", action="append", default=[], metavar="NAME=DIR", help="where a project lies")
    options.add_argument("--tasks", type=pathlib.Path, default=HERE / "tasks.toml")
    options.add_argument("--variants", default="native,serena,grep", help="the first is compared with the others")
    options.add_argument("--only", default="", help="only tasks with one of these texts (comma) in their id")
    options.add_argument("--servers", help="language servers, a directory as `symd install` makes it [default: none]")
    options.add_argument("--check", action="store_true", help="fail if a bound is not kept")
    options.add_argument("--show", action="store_true", help="print every call with its answer")
    options.add_argument("--json", type=pathlib.Path, help="also write the figures into this file")
    return options.parse_args(argv)


def warm_up(symd, workspace, env, project):
    """Asks questions before the measurement, so that the first variant does not have to wait for the index or a server."""
    with Connection(symd, workspace.copy, "native", env) as connection:
        for step in project["warm_up"]:
            connection.call(step["tool"], step["args"])


def main(argv):
    options = read_options(argv)
    task_file = tomllib.loads(options.tasks.read_text())
    dirs = dict(pair.split("=", 1) for pair in options.project)
    names = options.variants.split(",")
    wanted = options.only.split(",")
    tasks = [
        task for task in task_file["tasks"] if task["project"] in dirs and any(part in task["id"] for part in wanted)
    ]
    symd = str(pathlib.Path(shutil.which(options.symd) or options.symd).resolve())
    runs, faulty = {}, False
    with tempfile.TemporaryDirectory(prefix="symd-agents-") as scratch:
        scratch = pathlib.Path(scratch)
        env = isolated_environment(scratch / "home", options.servers)
        spaces = {name: Workspace(dirs[name], scratch / name) for name in dirs}
        try:
            for name, workspace in spaces.items():
                warm_up(symd, workspace, env, task_file["projects"][name])
            for task in tasks:
                for name in names:
                    run = run_task(task, name, task_file["variants"][name], spaces[task["project"]], symd, env)
                    runs[task["id"], name] = run
                    if options.show:
                        show(task, name, run)
                    for fault in run.faults:
                        faulty = True
                        print(f"{task['id']} · {name}: {fault}", file=sys.stderr)
            listing = measure_listings(task_file["listings"], symd, next(iter(spaces.values())).copy, env)
        finally:
            for workspace in spaces.values():
                subprocess.run([symd, "--project", workspace.copy, "stop"], env=env, capture_output=True)
    servers = "language servers as installed" if options.servers else "no language server"
    print(f"\nMeasured {datetime.date.today()} on {machine()}; {servers}.\nCommand: `{shown_command()}`\n")
    print(listing_table(listing), "\n")
    print(task_table(tasks, names, runs))
    above = judge(tasks, names, runs, listing)
    print("\n" + "\n".join(f"- {line}" for line in above or ["All bounds are kept."]))
    if options.json:
        figures = {f"{task} {name}": [run.sent, run.received, run.calls] for (task, name), run in runs.items()}
        options.json.write_text(json.dumps({"listing": listing, "tasks": figures}, indent=1) + "\n")
    return 1 if faulty or (options.check and above) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
