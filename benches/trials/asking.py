"""What symd says to a rename, and what is said of its words."""

from __future__ import annotations

import dataclasses
import json
import re

from client import Symd
from sample import Case


@dataclasses.dataclass(frozen=True)
class Answer:
    """The result of a dry run."""

    is_accepted: bool
    is_complete: bool
    reason: str  # of a refusal, without its names and numbers
    footer: str
    notes: tuple[str, ...]
    diff: str
    text: str  # of a refusal


def ask(symd: Symd, case: Case) -> Answer:
    """Makes the dry run twice: as text, which an agent reads, and as JSON for its parts."""
    text, is_answer = symd.call("rename_symbol", dry_run=True, **case.arguments)
    if not is_answer:
        return Answer(False, False, reason(text, case), "", (), "", text)
    facts = json.loads(symd.call("rename_symbol", dry_run=True, format="json", **case.arguments)[0])
    footer = text.strip().split("\n")[-1]
    notes = tuple(note["text"] for note in facts["notes"])
    return Answer(True, says_complete(footer), "", footer, notes, facts["diff"], "")


def says_complete(footer: str) -> bool:
    """Reports whether the last line of an answer ends with `complete`."""
    return bool(re.search(r"\bcomplete\]$", footer)) and "incomplete" not in footer


def reason(text: str, case: Case) -> str:
    """Returns the kind of a rejection: its first line without names, numbers and servers."""
    line = text.split("\n")[0]
    for word in (case.new_name, "/".join(case.symbol.path), case.symbol.name):
        line = line.replace(word, "…")
    line = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "'…'", line)
    line = re.sub(r"\b(basedpyright|ty)\b", "SERVER", line)
    line = re.sub(r"[\w./-]+\.pyi?(:\d+)?", "FILE", line)
    line = re.sub(r"\d+", "N", line)
    return line[:160]
