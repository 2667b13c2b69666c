"""Determines which of the accepted renames break the project. They are made together, through symd, and the tests run once;
a set that fails is divided until the culprits are found."""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
from collections.abc import Callable

from checks import Checks, Verdict
from client import Symd
from sample import Case


class Known:
    """Verdicts on single edits of a project, kept in a file: equal edits are tested once, whichever way produced them."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.problems: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}

    def of(self, diff: str) -> tuple[str, ...] | None:
        """Returns the problems of an edit, None if it was not tested."""
        found = self.problems.get(self._key(diff))
        return None if found is None else tuple(found)

    def remember(self, diff: str, problems: tuple[str, ...]) -> None:
        self.problems[self._key(diff)] = list(problems)
        self.path.write_text(json.dumps(self.problems, indent=1))

    @staticmethod
    def _key(diff: str) -> str:
        return hashlib.sha256(diff.encode()).hexdigest()


class Judge:
    """Determines, for the renames of one way, what each of them breaks."""

    def __init__(self, symd: Symd, checks: Checks, known: Known, diffs: dict[Case, str], say: Callable[[str], None]):
        self.symd, self.checks, self.known, self.diffs, self.say = symd, checks, known, diffs, say
        self.problems: dict[Case, tuple[str, ...]] = {}
        self.made: dict[Case, str] = {}
        self.only_together: list[tuple[list[Case], tuple[str, ...]]] = []

    def judge(self, cases: list[Case]) -> None:
        """Judges all cases, and stores what they break in `problems`."""
        for case in cases:
            if (found := self.known.of(self.diffs[case])) is not None:
                self.problems[case] = found
        sound = [case for case in cases if case not in self.problems]
        for stage in self.checks.stages:
            sound = self._without_culprits(sound, stage)
        for case in sound:
            self._settle(case, ())

    def _without_culprits(self, cases: list[Case], stage: int) -> list[Case]:
        """Removes the cases that a stage of the tests rejects, until it passes with all the others applied together; returns these."""
        in_vain = 0
        while cases and in_vain < 3:
            put_off = self._make(cases)
            made = [case for case in cases if case not in put_off]
            if not made:
                return []
            verdict = self.checks.look(stage)
            self.say(f"  {len(made)} made, {len(put_off)} put off: {'whole' if verdict.is_whole else verdict.problems[0][:150]}")
            if verdict.is_whole:
                return made + self._without_culprits(put_off, stage)
            apart = self._culprit(made, stage, verdict)
            left = [case for case in cases if case not in self.problems and case not in apart]
            in_vain = in_vain + 1 if len(left) == len(cases) else 0
            cases = left
        return []

    def _culprit(self, cases: list[Case], stage: int, verdict: Verdict) -> list[Case]:
        """Divides a set that fails, with only the tests of the file that failed, and records the culprit. Returns the other
        cases to remove."""
        if len(cases) == 1:
            self._make(cases)
            again = self.checks.look(stage, at_most=5)  # a test may fail once without a cause
            self.say(f"    {cases[0].new_name}: {'whole alone' if again.is_whole else again.problems[0][:150]}")
            if not again.is_whole:
                self._settle(cases[0], again.problems)
            return []
        halves = _halves(cases, verdict)
        for half in halves:
            put_off = self._make(half)
            made = [case for case in half if case not in put_off]
            found = self.checks.look(stage, only=verdict.file)
            if not found.is_whole:
                return self._culprit(made, stage, found)
        return self._apart(halves[0], cases, stage, verdict)

    def _apart(self, half: list[Case], cases: list[Case], stage: int, verdict: Verdict) -> list[Case]:
        """Handles a set that fails and whose halves do not: because of a flaky test, or of renames that break one another. The
        latter are recorded, and one half is judged without the other."""
        self._make(cases)
        if self.checks.look(stage, only=verdict.file).is_whole:
            return []
        self.only_together.append((cases, verdict.problems))
        for case in self._without_culprits(half, stage):
            self._settle(case, ())
        return half

    def _make(self, cases: list[Case]) -> list[Case]:
        """Makes the renames one after another on a fresh copy; returns those that no longer apply after the others.
        Members come before their classes, whose new names would change the members' name paths. A rename that is rejected
        although nothing else was made is a problem."""
        self.checks.copy.reset()
        refused = {}
        for case in sorted(cases, key=lambda case: -len(case.symbol.path)):
            text, is_made = self.symd.call("rename_symbol", **case.arguments)
            if is_made:
                self.made[case] = text
            else:
                refused[case] = (f"accepted as a dry run, then refused: {text}",)
        if len(refused) == len(cases):
            self.problems.update(refused)
        return list(refused)

    def _settle(self, case: Case, problems: tuple[str, ...]) -> None:
        self.problems[case] = problems
        self.known.remember(self.diffs[case], problems)


def _halves(cases: list[Case], verdict: Verdict) -> tuple[list[Case], list[Case]]:
    """Divides a set that fails: separates the cases that the failure names from the others, if it names some."""
    said = set(re.findall(r"\w+", verdict.problems[0]))
    for names in (lambda case: case.new_name, lambda case: case.symbol.name):
        named = [case for case in cases if names(case) in said]
        if 0 < len(named) < len(cases):
            return named, [case for case in cases if case not in named]
    middle = len(cases) // 2
    return cases[:middle], cases[middle:]
