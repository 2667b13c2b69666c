"""What came of one rename, and how it is kept."""

from __future__ import annotations

import dataclasses
import json
import re

from asking import Answer
from sample import Case


@dataclasses.dataclass
class Outcome:
    """One rename in one way. `problems` lists what it broke: empty if nothing, None if that was not determined."""

    project: str
    way: str
    seed: int
    case: Case
    answer: Answer
    problems: tuple[str, ...] | None = None
    said_when_made: str = ""

    @property
    def why_incomplete(self) -> str:
        """Returns the end of the answer's last line, without its numbers."""
        _, _, why = self.answer.footer.partition("incomplete")
        said = f"incomplete{why}".rstrip("]") if why else self.answer.footer
        return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", said))[:160]

    def line(self) -> str:
        """Returns the outcome as one line of JSON."""
        symbol, answer = self.case.symbol, dataclasses.asdict(self.answer)
        facts = {
            "project": self.project, "way": self.way, "seed": self.seed, "number": self.case.number,
            "quota": self.case.quota, "kind": symbol.kind, "name_path": "/".join(symbol.path), "file": symbol.file,
            "line": symbol.line, "new_name": self.case.new_name, "family": self.case.family,
            "has_foreign_base": self.case.has_foreign_base, **answer, "problems": self.problems,
            "said_when_made": self.said_when_made,
        }
        return json.dumps(facts)
