#!/usr/bin/env python3
"""The evaluator of Kotlin answers, twice: as it is, and with `expect` and each `actual` as one symbol, and uses of aliases as theirs.

The compiler's table has a row for each half, so uses of the other half count as false; symd has them as one symbol, as the
IDEs do. Where a type is written by an alias, the table names the class that the alias stands for; where the file sees the alias under the name
that it writes, and does not import the class by it, the use is the alias's. Both figures come from the same answers.

    python3 benches/kotlin/pairs.py --quality QUALITY refs|defs|rename --symd BIN --project DIR --truth TABLE.tsv.gz --home H

The options behind the table's name are those of QUALITY/kotlin.py. A declaration is paired with those of its qualified name that are
`expect` or `actual`, themselves or by their class, one of each, with equal parameter types. Besides, the merged figures count the type of a
`vararg` parameter as not judged (the table has the array there), and the names of arguments of `this(…)` and `super(…)` (it has no row of them); a row that
covers a longer name (`viewModels()` for the delegated `viewModel`) is no use. Where an import brings several declarations, the file's uses decide whether a rename has
to change it.
"""
import collections
import gzip
import re
import sys

HALF = re.compile(r"\b(expect|actual)\b")
ALIAS = re.compile(r"\btypealias\b[^=]*=\s*([\w.]+)")
VARARG = re.compile(r"\bvararg\b[^,)]*")


def without_nested(text, opening, closing):
    """The text up to the bracket that closes the one it begins with."""
    depth = 0
    for at, character in enumerate(text):
        depth += character == opening
        depth -= character == closing and not (closing == ">" and text[at - 1] == "-")
        if depth == 0:
            return text[: at + 1]
    return text


def parameter_types(code):
    """The parameter types that stand behind a function's name, without names, defaults and spaces."""
    rest = code.lstrip()
    if rest.startswith("<"):
        rest = rest[len(without_nested(rest, "<", ">")):].lstrip()
    if not rest.startswith("("):
        return ()
    types, depth, one = [], 0, ""
    for character in without_nested(rest, "(", ")")[1:-1] + ",":
        depth += character in "(<[{"
        depth -= character in ")]}" or character == ">" and not one.endswith("-")
        if character == "," and depth <= 0:
            if ":" in one:
                types.append(re.sub(r"\s", "", one.split(":", 1)[1].split("=")[0]).rstrip("?"))
            one = ""
        else:
            one += character
    return tuple(kind.rsplit(".", 1)[-1] for kind in types)


def merged(base, kinds):
    """A subclass of the evaluator's truth in which the halves of a pair are one symbol."""

    class Merged(base):
        def __init__(self, root, table):
            self.others = {}
            super().__init__(root, table)
            self.pair()
            self.by_alias = collections.defaultdict(set)
            self.aliases(table)

        def code(self, one):
            text = self.text(one.file)[one.start:one.end]
            return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.S)

        def half(self, one):
            """`expect` or `actual`, told by the declaration or by the nearest class around it; None for neither."""
            around = [c for ds in self.decls.values() for c in ds if c.file == one.file and c.fir in ("FirRegularClassImpl",) and c.start <= one.start and one.end <= c.end] if "." in one.name.rsplit("/", 1)[-1] else []
            for d in [one, *sorted(around, key=lambda c: c.end - c.start)]:
                if d.name_at is None:
                    continue
                found = HALF.search(self.code(d)[: d.name_at - d.start])
                if found:
                    return found.group()
            return None

        def pair(self):
            groups = collections.defaultdict(list)
            for name, ds in self.decls.items():
                ds = [d for d in ds if d.fir in kinds and not d.local and d.name_at is not None]
                if len({d.file for d in ds}) < 2:
                    continue
                for d in ds:
                    half = self.half(d)
                    if not half:
                        continue
                    kind = "class" if "Class" in d.fir or "Alias" in d.fir else "function" if "Function" in d.fir else "value"
                    shape = parameter_types(self.code(d)[d.name_at - d.start + len(d.simple):].lstrip("`")) if kind == "function" else ()
                    receiver = self.code(d)[: d.name_at - d.start].rstrip("` \n").endswith(".")
                    groups[name, kind, shape, receiver].append((half, d))
            self.pairs = 0
            for found in groups.values():
                if {half for half, _ in found} == {"expect", "actual"}:
                    self.pairs += 1
                    for _, d in found:
                        self.others[d.file, d.start] = [o for _, o in found if o is not d]

        def aliases(self, table):
            """Finds the uses of aliases: rows of the class that one stands for, at its own name."""
            known = collections.defaultdict(list)
            for ds in self.decls.values():
                for d in ds:
                    stands = ALIAS.search(self.code(d)) if d.fir == "FirTypeAliasImpl" and d.name_at is not None else None
                    if stands:
                        known[d.simple].append((d, stands.group(1)))
            for line in gzip.open(table, "rt", encoding="utf8"):
                row = line.rstrip("\n").split("\t")
                is_class = len(row) >= 8 and (row[0] in ("TYPE", "QUAL") or row[0] == "CALL" and "Constructor" in row[4])
                if not is_class or self.text(row[1]) is None:
                    continue
                file, start, end, meant = row[1], int(row[2]), int(row[3]), row[5].replace("/", ".")
                if "Constructor" in row[4]:
                    meant = meant.rsplit(".", 1)[0]
                written = re.match(r"`?(\w+)(?![\w.])", self.text(file)[start:end])
                for d, stands in known.get(written.group(1), ()) if written else ():
                    # The class that it stands for may be behind another alias, of a library.
                    is_it = meant.rsplit(".", 1)[-1] == stands.rsplit(".", 1)[-1]
                    if is_it and meant != d.name.replace("/", ".") and self.sees(file, d) and not self.is_within(file, start, row[5]):
                        self.by_alias[d.file, d.start].add((row[0], file, start + self.text(file)[start:end].startswith("`"), row[4]))

        def is_within(self, file, at, name):
            """Whether a place lies in the class that declares one of this name: there the class comes first."""
            around = name.rpartition(".")[0] or None
            return any(d.file == file and d.start <= at < d.end for d in self.decls.get(around, ()))

        def sees(self, file, alias):
            """Whether a file means the alias by its name: it is of the alias's package or imports it, and does not import another by that name."""
            package = alias.name.rpartition("/")[0].replace("/", ".")
            imports = re.findall(r"^import +([\w.*`]+)", self.text(file), re.M)
            own = re.search(r"^package +([\w.]+)", self.text(file), re.M)
            full = f"{package}.{alias.simple}"
            others = [i for i in imports if i.endswith("." + alias.simple) and i != full]
            return not others and (own is not None and own.group(1) == package or full in imports or package + ".*" in imports)

        def uses_told(self, one):
            places, more = super().uses_told(one)
            told = {p[1:3] for of in getattr(self, "by_alias", {}).values() for p in of}
            places = {p for p in places if p[1:3] not in told} | getattr(self, "by_alias", {}).get((one.file, one.start), set())
            for other in getattr(self, "others", {}).get((one.file, one.start), ()):
                its, its_more = super().uses_told(other)
                places, more = places | its, more | its_more
            halves = {(d.file, d.name_at) for d in self.others.get((one.file, one.start), ())}
            return {p for p in places if p[1:3] not in halves}, more - places

        def symbols(self):
            # The same sample as without merging: symbols that have a use of their own.
            found = []
            for one, _, _ in super().symbols():
                if base.uses_told(self, one)[0]:
                    found.append((one, *self.uses_told(one)))
            return found

        def reach(self, start, *ways):
            seen = super().reach(start, *ways)
            while True:
                keys = {(o.name, o.start) for name, at in seen for d in self.decls.get(name, ()) if d.start == at for o in self.others.get((d.file, d.start), ())} - seen
                if not keys:
                    return seen
                for key in keys:
                    seen |= super().reach(key, *ways)

        def places(self, one, rows):
            for kind, file, at, symbol in super().places(one, rows):
                if not re.match(r"\w", self.text(file)[at + len(one.simple):]):
                    yield kind, file, at, symbol

        def unjudged(self, one, lines):
            varargs = {(f, l) for f, l in lines if any(re.search(rf"\b{re.escape(one.simple)}\b", part) for part in VARARG.findall(self.lines(f)[l]))}
            named = re.compile(rf"(?:^|[(,])\s*{re.escape(one.simple)}\s*=(?!=)")
            is_delegated = lambda f, l: any(re.search(r":\s*(?:this|super)\s*\($", text) for text in self.lines(f)[max(0, l - 25):l])
            delegated = {(f, l) for f, l in lines if one.fir == "ConstructorProperty" and named.search(self.lines(f)[l]) and is_delegated(f, l)}
            return super().unjudged(one, lines) | varargs | delegated

    return Merged


def main():
    at = sys.argv.index("--quality")
    sys.path.insert(0, sys.argv[at + 1])
    del sys.argv[at:at + 2]
    import argparse
    import os
    import kotlin
    from common import Symd
    from ktruth import SYMBOLS, Truth

    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["refs", "defs", "rename"])
    for name in ("--symd", "--project", "--truth", "--home"):
        p.add_argument(name, required=True)
    p.add_argument("--n", type=int, default=300)
    p.add_argument("--renames", type=int, default=300)
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--wrong", default="")
    a = p.parse_args()
    a.project, a.bare, a.wait = os.path.realpath(a.project), "", False
    symd = Symd(a.symd, a.project, a.home)
    answers, ask = {}, symd.call

    def remembered(tool, **arguments):
        key = tool, tuple(sorted(arguments.items()))
        if key not in answers:
            answers[key] = ask(tool, **arguments)
        return answers[key]

    symd.call = remembered
    judge = dict(refs=kotlin.references, defs=kotlin.definitions, rename=kotlin.renames)[a.what]
    try:
        apart = Truth(a.project, a.truth)
        one = merged(Truth, SYMBOLS)(a.project, a.truth)
        errors = a.wrong
        print(f"# As the table has them, each half for itself ({one.pairs} symbols have halves)")
        a.wrong = errors and errors + ".apart"
        judge(a, apart, symd, dict(wait="no"))
        print("\n# expect and each actual as one symbol")
        a.wrong = errors
        if a.what == "rename":
            symd.call = lambda tool, **arguments: with_shared_imports(one, remembered(tool, **arguments), arguments)
        if a.what == "defs":
            symd.call = lambda tool, **arguments: right_half(one, remembered(tool, **arguments), arguments)
        judge(a, one, symd, dict(wait="no"))
    finally:
        symd.close()


def with_shared_imports(truth, answer, arguments):
    """A rename's answer in which an import that brings other declarations of its name counts as changed if and only if it is right: if the file
    imports the new name where it uses what is renamed, and the old one where it uses another declaration of that qualified name."""
    from common import renamed_lines

    found, error = answer
    if error is not None:
        return answer
    path, line = arguments["relative_path"].rsplit(":", 1)
    ds = [d for ds in truth.decls.values() for d in ds if d.file == path and d.kind and d.name_at is not None and d.simple == arguments["name_path"] and truth.line(path, d.name_at) == int(line) - 1]
    if not ds or len(truth.decls[ds[0].name]) < 2:
        return answer
    renamed = [m for d in ds for m in truth.family(d)[0]]
    others = [o for d in ds for o in truth.decls[d.name] if o.kind and o not in renamed]
    files_of = lambda ms: {f for m in ms for _, f, at, _ in set().union(*truth.uses_told(m)) if not truth.is_import(f, truth.line(f, at))}
    of_it, of_others = files_of(renamed), files_of(others)
    full = ds[0].name.replace("/", ".")
    changed, added = renamed_lines(found["diff"]), added_lines(found["diff"])
    more = []
    for f in truth.files:
        for l, text in enumerate(truth.lines(f)):
            if re.match(r"import\s+" + re.escape(full) + r"\s*(?:;|//|$)", text):
                new = full[: -len(ds[0].simple)] + arguments["new_name"]
                has_new = any(re.match(r"import\s+" + re.escape(new) + r"\b", one) for one in added.get(f, ()))
                has_old = (f, l) not in changed
                is_right = (has_new or f not in of_it) and (has_old or f not in of_others)
                if is_right and has_old:
                    more.append(f"--- a/{f}\n@@ -{l + 1} @@\n-{text}\n")
                elif not is_right and not has_old:
                    print("the import is wrong:", f, l + 1, text)
    return dict(found, diff=found["diff"] + "\n" + "".join(more)), None


def added_lines(diff):
    """The lines that a unified diff adds, by file."""
    lines, path = collections.defaultdict(list), None
    for line in diff.split("\n"):
        if line.startswith("--- "):
            path = line[4:].split("\t")[0].removeprefix("a/")
        elif line.startswith("+") and not line.startswith("+++"):
            lines[path].append(line[1:])
    return lines


def right_half(truth, answer, arguments):
    """An answer whose definitions are all halves of one symbol, with one of them: the half that the use means."""
    found, error = answer
    if error is not None or len(found["definitions"]) < 2:
        return answer
    at = lambda d: (d.file, truth.line(d.file, d.name_at) + 1)
    told = {(x["path"], x.get("line", x["start_line"])) for x in found["definitions"]}
    for ds in truth.decls.values():
        for d in ds:
            others = truth.others.get((d.file, d.start))
            if others and d.simple == arguments["name"] and told <= {at(d), *map(at, others)} and meant(truth, d, arguments):
                return dict(found, definitions=[x for x in found["definitions"] if (x["path"], x.get("line", x["start_line"])) == at(d)]), None
    return answer


def meant(truth, one, arguments):
    base = super(type(truth), truth).uses_told(one)[0]
    return any(f == arguments["relative_path"] and truth.line(f, at) + 1 == arguments["line"] for _, f, at, _ in base)


if __name__ == "__main__":
    main()
