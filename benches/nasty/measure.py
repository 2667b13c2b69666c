#!/usr/bin/env python3
"""What 60 nasty files (fixtures/hostile/files.tsv) cost a project of 3,000 others: benches/nasty/measure.py SYMD [FOLDER]

Builds the project twice, with them and without, in FOLDER (default: a temporary one); starts a daemon with no cache on each in
turn, and measures until its status counts every other file as parsed; then asks for each of 3,000 symbols, for outlines and
searches, while the nasty files are still tried out, and checks every answer. Prints a table. SYMD is a release build.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

FILES = 3_000
# The seconds within which all files are indexed on any machine.
DEADLINE = 120
ROUNDS = 5
# The number of functions in each file, for files of about the usual length.
FUNCTIONS = 100
TABLE = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "hostile" / "files.tsv"
TEXTS = {
    "py": "class {name}:\n" + "".join(f"    def method_{n}(self, value):\n        return value + {n}\n\n" for n in range(FUNCTIONS)),
    "kt": "class {name} {{\n" + "".join(f"    fun method{n}(value: Int) = value + {n}\n\n" for n in range(FUNCTIONS)) + "}}\n",
    "go": "package a\n\ntype {name} struct {{}}\n\n"
    + "".join(f"func (a {{name}}) Method{n}(value int) int {{{{ return value + {n} }}}}\n\n" for n in range(FUNCTIONS)),
    "ts": "export class {name} {{\n" + "".join(f"  method{n}(value: number) {{{{ return value + {n}; }}}}\n\n" for n in range(FUNCTIONS)) + "}}\n",
    "java": "class {name} {{\n" + "".join(f"    int method{n}(int value) {{{{ return value + {n}; }}}}\n\n" for n in range(FUNCTIONS)) + "}}\n",
}


def place(number: int) -> tuple[str, str]:
    """Returns the path of a file and the class that it declares."""
    extension = list(TEXTS)[number % len(TEXTS)]
    return f"package{number % 40}/file{number}.{extension}", f"Declared{number}"


def nasty_files() -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("##")]
    unescape = lambda unit: unit.replace("\\u{0}", "\0").replace("\\n", "\n").replace("\\t", "\t")
    return [
        (f"package{number % 40}/nasty{number}.{extension}", unescape(unit) * int(times))
        for number, (extension, unit, times) in enumerate(rows)
    ]


def build(root: pathlib.Path, nasty: bool) -> None:
    (root / ".symd").mkdir(parents=True)
    for number in range(FILES):
        path, name = place(number)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(TEXTS[path.rsplit(".")[-1]].format(name=name))
    for path, text in nasty_files() if nasty else ():
        (root / path).write_text(text)


class Daemon:
    """A daemon with its own home, and a connection to it."""

    def __init__(self, symd: str, root: pathlib.Path, home: pathlib.Path):
        self.command = [symd, "--project", str(root)]
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        for name in ("CONFIG", "CACHE", "DATA", "STATE", "RUNTIME"):
            path = home / name.lower()
            path.mkdir(parents=True, mode=0o700)
            self.environment[f"XDG_{name}_{'DIR' if name == 'RUNTIME' else 'HOME'}"] = str(path)
        self.number = 0

    def __enter__(self) -> Daemon:
        self.process = subprocess.Popen(
            [*self.command, "mcp", "--toolset", "native"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment,
        )
        self.socket = self.run("socket").strip()
        client = {"name": "nasty", "version": "0"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.run("stop")

    def run(self, *arguments: str) -> str:
        ran = subprocess.run([*self.command, *arguments], env=self.environment, capture_output=True, text=True)
        return ran.stdout

    def parsed_files(self) -> int:
        """Returns the daemon's own count: not a question, which would wait for files."""
        status = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "symd/status"}).encode() + b"\n"
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(self.socket)
            wire.sendall(status)
            return json.loads(wire.makefile().readline())["result"]["parsed_files"]

    def request(self, method: str, parameters: dict) -> dict:
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.number and "method" not in answer:
                return answer["result"]
        raise SystemExit("the daemon ended")

    def ask(self, tool: str, arguments: dict) -> tuple[str, float]:
        began = time.perf_counter()
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer["content"][0]["text"], time.perf_counter() - began


def is_right(number: int, answer: str) -> bool:
    path, _ = place(number)
    line = 3 if path.endswith(".go") else 1
    missing = answer.partition("incomplete: ")[2]
    return answer.startswith((f"{path}:{line} ", f"{path}:{line}-")) and (not missing or "nasty" in missing)


def measure(symd: str, root: pathlib.Path, home: pathlib.Path) -> tuple[float, list[float], int]:
    """Returns the seconds until all other files are indexed, the seconds of each answer, and the number of wrong answers."""
    daemon = Daemon(symd, root, home)
    began = time.perf_counter()
    with daemon:
        while (parsed := daemon.parsed_files()) < FILES:
            # Asking without a pause would occupy one of the processors.
            time.sleep(0.01)
            if time.perf_counter() - began > DEADLINE:
                raise SystemExit(f"only {parsed} files are parsed after {DEADLINE} s")
        indexed = time.perf_counter() - began
        seconds, wrong = [], 0
        for number in range(FILES):
            answer, took = daemon.ask("find_symbol", {"name_path_pattern": place(number)[1]})
            seconds.append(took)
            wrong += not is_right(number, answer)
        for number in range(0, FILES, 100):
            path, name = place(number)
            answer, took = daemon.ask("search_for_pattern", {"substring_pattern": f"{name}\\b"})
            seconds.append(took)
            wrong += path not in answer
            answer, took = daemon.ask("get_symbols_overview", {"relative_path": path})
            seconds.append(took)
            wrong += name not in answer
    return indexed, seconds, wrong


def main() -> None:
    symd = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="nasty"))
    folder.mkdir(parents=True, exist_ok=True)
    roots = {"without": folder / "without", "with": folder / "with"}
    for kind, root in roots.items():
        if not root.exists():
            build(root, kind == "with")
    indexed, seconds, wrong = {kind: [] for kind in roots}, {kind: [] for kind in roots}, {kind: 0 for kind in roots}
    for round_ in range(ROUNDS):
        for kind, root in roots.items():
            home = folder / f"home-{kind}-{round_}"
            shutil.rmtree(home, ignore_errors=True)
            took, answers, mistakes = measure(symd, root, home)
            indexed[kind].append(took)
            seconds[kind] += answers
            wrong[kind] += mistakes
            shutil.rmtree(home, ignore_errors=True)
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{datetime.date.today()}, {os.cpu_count()} cores ({model}), Linux {platform.release()}, load {os.getloadavg()[0]:.1f}")
    print("benches/nasty/measure.py target/release/symd\n")
    print(f"| {FILES} files | indexed, median of {ROUNDS} | answers | wrong | median | slowest |")
    print("|---|---|---|---|---|---|")
    for kind in roots:
        slowest, middle = max(seconds[kind]), statistics.median(seconds[kind])
        row = [f"{kind} 60 nasty ones", f"{statistics.median(indexed[kind]):.2f} s", len(seconds[kind]), wrong[kind]]
        print("| " + " | ".join(map(str, [*row, f"{middle * 1000:.2f} ms", f"{slowest * 1000:.0f} ms"])) + " |")
    print(f"\nindexed with them / without: {statistics.median(indexed['with']) / statistics.median(indexed['without']):.2f}")


if __name__ == "__main__":
    main()
