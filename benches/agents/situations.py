#!/usr/bin/env python3
"""Do the instructions and descriptions of a toolset lead to the right first tool? Asks 40 situations and counts.

    benches/agents/situations.py ask --symd target/release/symd [--toolset native]   what a reader gets, nothing else
    benches/agents/situations.py grade ANSWERS                                       lines of a number and a tool: "7 find_symbol"
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from client import Connection, isolated_environment

HERE = pathlib.Path(__file__).resolve().parent
ENOUGH = 36
TASK = """You are a coding agent. Besides the tools below you can read files, edit lines of files and run commands yourself ("own").
For each situation name the one tool that you would call first, or own. Answer with one line each: the number and the tool's name.
"""


def ask(file, options):
    with tempfile.TemporaryDirectory(prefix="symd-agents-") as scratch:
        project = pathlib.Path(scratch, "project")
        (project / ".symd").mkdir(parents=True)
        env = isolated_environment(pathlib.Path(scratch, "home"))
        with Connection(options.symd, project, options.toolset, env, options.option) as connection:
            print(TASK)
            print("# Instructions\n\n" + connection.instructions)
            print("\n# Tools\n\n" + json.dumps(connection.tools(), indent=1, ensure_ascii=False))
        subprocess.run([options.symd, "--project", project, "stop"], env=env, capture_output=True)
    print("\n# Situations\n")
    for number, situation in enumerate(file["situations"], 1):
        print(f"{number}. {situation['text']}")
    return 0


def grade(file, options):
    answers = dict(re.findall(r"^\W*(\d+)\W+([\w.]+)", options.answers.read_text(), re.MULTILINE))
    wrong = 0
    for number, situation in enumerate(file["situations"], 1):
        right = [tool for intent in situation["right"] for tool in file["intents"][intent]]
        answer = answers.get(str(number), "nothing").split("__")[-1]
        if answer not in right:
            wrong += 1
            print(f"{number}. {situation['text']}\n   {answer}; right: {', '.join(right) or 'no tool yet'}")
    count = len(file["situations"])
    print(f"{count - wrong} of {count} right, {ENOUGH} wanted")
    return 0 if count - wrong >= ENOUGH else 1


def main(argv):
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = options.add_subparsers(required=True)
    asking = commands.add_parser("ask", help="print what a reader gets")
    asking.add_argument("--symd", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    asking.add_argument("--toolset", default="native")
    asking.add_argument("--option", action="append", default=[], help="a further option of `symd mcp`")
    asking.set_defaults(run=ask)
    grading = commands.add_parser("grade", help="count the right answers")
    grading.add_argument("answers", type=pathlib.Path)
    grading.set_defaults(run=grade)
    chosen = options.parse_args(argv)
    file = tomllib.loads((HERE / "situations.toml").read_text())
    for situation in file["situations"]:
        for intent in situation["right"]:
            if intent not in file["intents"]:
                sys.exit(f"no such intent: {intent}")
    return chosen.run(file, chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
