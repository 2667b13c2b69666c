"""Which symbols are renamed: drawn by a seed alone, a quota of each kind."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import random

from project import Project
from symbols import Families, Symbol, modules, symbols

# Numbers of every 50: members with overrides first, which are at least a third.
QUOTAS = {"override": 17, "method": 8, "function": 9, "class": 6, "attribute": 6, "variable": 4}
# The share of each kind that is drawn from the program itself; the others are drawn from its tests.
PACKAGE_SHARE = 0.8


@dataclasses.dataclass(frozen=True)
class Case:
    """A rename to request."""

    number: int
    quota: str
    symbol: Symbol
    new_name: str
    family: int
    has_foreign_base: bool

    @property
    def arguments(self) -> dict[str, str]:
        """Returns the arguments of the tool call."""
        symbol = self.symbol
        return {
            "name_path": "/" + "/".join(symbol.path),
            "relative_path": f"{symbol.file}:{symbol.line}",
            "new_name": self.new_name,
        }


def draw(root: pathlib.Path, project: Project, seed: int, count: int) -> list[Case]:
    """Draws `count` cases, or fewer if the project has fewer names."""
    parsed = modules(root, project.folders, project.import_roots)
    families = Families(parsed)
    everything = [symbol for module in parsed for symbol in symbols(module)]
    random.Random(seed).shuffle(everything)
    pools = _pools(everything, families)
    picked: dict[Symbol, str] = {}
    for quota, share in QUOTAS.items():
        wanted = round(count * share / sum(QUOTAS.values()))
        for symbol in _mixed(pools[quota], project, picked, wanted):
            picked[symbol] = quota
    rest = [symbol for symbol in everything if symbol not in picked]
    for symbol in rest[: count - len(picked)]:
        picked[symbol] = symbol.kind
    return [
        Case(number, quota, symbol, _new_name(symbol, number), len(families.of(symbol)), families.has_foreign_base(symbol))
        for number, (symbol, quota) in enumerate(list(picked.items())[:count], 1)
    ]


def _pools(everything: list[Symbol], families: Families) -> dict[str, list[Symbol]]:
    """Returns the symbols by quota; members with overrides are ordered so that each family occurs once before any occurs
    twice, and methods before attributes."""
    pools = collections.defaultdict(list)
    times: collections.Counter[Symbol] = collections.Counter()
    ranked = []
    for symbol in everything:
        family = families.of(symbol)
        if len(family) > 1:
            times[family[0]] += 1
            ranked.append((symbol.kind != "method", times[family[0]], len(ranked), symbol))
        else:
            pools[symbol.kind].append(symbol)
    pools["override"] = [symbol for *_, symbol in sorted(ranked, key=lambda one: one[:3])]
    return pools


def _mixed(pool: list[Symbol], project: Project, picked: dict[Symbol, str], wanted: int) -> list[Symbol]:
    """Returns the first symbols of the program and the first of its tests, in the given shares; more of one where the other
    has too few."""
    free = [symbol for symbol in pool if symbol not in picked]
    of_package = [symbol for symbol in free if _is_below(symbol.file, project.package)]
    of_tests = [symbol for symbol in free if not _is_below(symbol.file, project.package)]
    first = of_package[: round(wanted * PACKAGE_SHARE)]
    second = of_tests[: wanted - len(first)]
    more = of_package[len(first) : wanted - len(second)]
    return first + second + more


def _is_below(file: str, folders: list[str]) -> bool:
    return any(file.startswith(folder + "/") for folder in folders)


def _new_name(symbol: Symbol, number: int) -> str:
    """Returns a new name that is not used yet, in the style of the old one: frameworks recognise capitals, `test_…` and `Test…`."""
    if symbol.kind == "class":
        return f"{symbol.name}Zq{number}"
    return f"{symbol.name}_ZQ{number}" if symbol.name.isupper() else f"{symbol.name}_zq{number}"
