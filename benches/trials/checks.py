"""Checks whether a copy still works: its files compile, and the tests that passed before still pass."""

from __future__ import annotations

import collections
import dataclasses
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

from project import Copy

# The suffixes that `sample` appends to names: tests keep their identity when they are renamed.
MARK = re.compile(r"_zq\d+|_ZQ\d+|Zq\d+")
# The problem that is reported if no test runs.
START = "pytest does not start"
# The maximum number of seconds for all tests of a project.
PATIENCE = 1800


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The verdict on a copy: empty if all is well."""

    problems: tuple[str, ...] = ()
    # The file of tests to which the first problem belongs, if any.
    file: str | None = None

    @property
    def is_whole(self) -> bool:
        return not self.problems


class Checks:
    """The checks of a copy, with the tests that passed in it originally."""

    def __init__(self, copy: Copy):
        self.copy = copy
        self.unsteady: list[str] = []
        kept = copy.folder / "baseline.json"
        wanted = [copy.project.stages, copy.project.left_out]
        known = json.loads(kept.read_text()) if kept.exists() else {}
        if known.get("wanted") != wanted:
            known = {"wanted": wanted, **self._baseline()}
            kept.write_text(json.dumps(known, indent=1))
        self.passed = [frozenset(passed) for passed in known["passed"]]  # by stage
        self.unsteady = known["unsteady"]
        self.uncompiled = known["uncompiled"]

    @property
    def stages(self) -> range:
        return range(len(self.copy.project.stages))

    def _baseline(self) -> dict[str, list]:
        """Runs everything twice; a test that does not pass both times is ignored."""
        self.copy.reset()
        uncompiled = self._compile()
        passed, unsteady = [], set()
        for stage in self.stages:
            runs = [self._test(stage, None, at_most=0) for _ in range(2)]
            both = runs[0].passed & runs[1].passed
            if not both:
                raise RuntimeError(f"no test of {self.copy.project.name} passes: {runs[0].output[-2000:]}")
            passed.append(sorted(both))
            for run in runs:
                unsteady |= (run.passed | run.failed.keys()) - both
        return {"passed": passed, "unsteady": sorted(unsteady), "uncompiled": uncompiled}

    def look(self, stage: int, only: str | None = None, at_most: int = 1) -> Verdict:
        """Compiles the copy as it is and runs a stage of its tests, or only those of one file; stops after `at_most` failed
        ones (0: never)."""
        broken = [] if only else [file for file in self._compile() if file not in self.uncompiled]
        if broken:
            return Verdict(tuple(f"does not compile: {text}" for text in broken))
        run = self._test(stage, only, at_most)
        failed = {test: text for test, text in run.failed.items() if test not in self.unsteady}
        if run.failed and not failed and at_most:
            return self.look(stage, only, at_most=0)
        wanted = {test for test in self.passed[stage] if only is None or self._file(test) == only}
        if not failed:
            failed = dict.fromkeys(sorted(wanted - run.passed)[:20], "not run, or skipped")
        problems = tuple(f"{test}: {text}" for test, text in failed.items())
        return Verdict(problems, self._file(next(iter(failed))) if failed else None)

    def _file(self, test: str) -> str | None:
        """Returns the file of a test, whose classname begins with the module's dotted name."""
        parts = test.split("::")[0].split(".")
        if test == START:
            return self._smallest()
        files = ("/".join(parts[:count]) + ending for count in range(len(parts), 0, -1) for ending in (".py", "/__init__.py"))
        return next((file for file in files if (self.copy.root / file).is_file()), None)

    def _node(self, test: str) -> str:
        """Returns a test's node id."""
        holder, name = test.split("::", 1)
        file = self._file(test) or ""
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return "::".join([file, *holder.removeprefix(module).strip(".").split("."), name]).replace("::::", "::")

    def _smallest(self) -> str | None:
        """Returns the file with the fewest tests, which shows soonest whether pytest starts."""
        files = collections.Counter(file for stage in self.passed for test in stage if (file := self._file(test)))
        return min(files, key=files.__getitem__, default=None)

    def _compile(self) -> list[str]:
        """Returns compileall's messages about the files that it cannot compile."""
        command = [self.copy.python, "-m", "compileall", "-q", "-f", *self.copy.project.folders]
        said = self._run(command, 300).stdout
        for cache in self.copy.root.glob("[!.]*/**/__pycache__"):
            shutil.rmtree(cache)
        return sorted({" ".join(part.split()) for part in said.split("*** ") if part.strip()})

    def _test(self, stage: int, only: str | None, at_most: int) -> Run:
        project, report = self.copy.project, self.copy.folder / "tests.xml"
        report.unlink(missing_ok=True)
        quiet = ["-q", "-p", "no:cacheprovider", "--tb=short", f"--junitxml={report}", f"--maxfail={at_most}"]
        left_out = [f"--ignore={file}" for file in project.left_out]
        left_out += [f"--deselect={self._node(test)}" for test in self.unsteady]
        paths = [only] if only else project.stages[stage]
        done = self._run([self.copy.python, "-m", "pytest", *quiet, *project.options, *left_out, *paths], PATIENCE)
        return Run.read(report.read_text("utf-8") if report.exists() else "", done.stdout + done.stderr)

    def _run(self, command: list, seconds: int) -> subprocess.CompletedProcess:
        env = self.copy.environment()
        try:
            return subprocess.run(
                command, cwd=self.copy.root, env=env, capture_output=True, text=True, errors="replace", timeout=seconds
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, "", f"took more than {seconds} seconds")


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of the tests, from its JUnit report."""

    passed: frozenset[str]
    failed: dict[str, str]
    output: str

    @staticmethod
    def read(report: str, output: str) -> Run:
        passed, failed = set(), {}
        if not report:
            return Run(frozenset(), {START: " ".join(output[-1500:].split())}, output)
        for case in xml.fromstring(report).iter("testcase"):
            holder = case.get("classname") or case.get("name")  # a file that cannot be collected has a name alone
            test = MARK.sub("", f"{holder}::{case.get('name')}")
            bad = [part for part in case if part.tag in ("failure", "error")]
            if bad:
                failed[test] = _told(bad[0])
            elif case.find("skipped") is None:
                passed.add(test)
        return Run(frozenset(passed - failed.keys()), failed, output)


def _told(problem: xml.Element) -> str:
    """Returns the lines that say what went wrong: the errors in the report, else its first line."""
    errors = [line[1:].strip() for line in (problem.text or "").split("\n") if line.startswith("E  ")]
    return " | ".join(errors[:4]) or (problem.get("message") or "").split("\n")[0]
