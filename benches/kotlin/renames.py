#!/usr/bin/env python3
"""Renames that symd makes, compiled again by K2: the same diagnostics, and every name resolves as before but for the new name.

    python3 benches/kotlin/renames.py --quality QUALITY --kotlinc JARS --symd BIN --project DIR --truth TABLE.tsv.gz --home H --sources DIR … [--n 60]

QUALITY is the evaluator's folder, JARS that of the compiler (k2-refdump's README says how), with refdump.jar beside it. TABLE chooses the
symbols: seed 7, those whose rename symd accepts without a server. Each rename is applied to the files of DIR, the sources are compiled, and
the rename is undone; the project must stand at its commit.
"""
import argparse
import collections
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

NEW = "Zq"


def compiled(a):
    """What the compiler says of the sources: its rows by file, in order, and its diagnostics."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.tsv")
        library = glob.glob(f"{a.kotlinc}/kotlin-stdlib-[0-9]*.jar") + glob.glob(f"{a.kotlinc}/annotations-*.jar") + a.libraries
        command = ["java", "-Xmx3g", f"-Drefdump.out={out}", "-cp", f"{a.kotlinc}/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
                   "-no-stdlib", "-no-reflect", "-nowarn", f"-Xplugin={os.path.dirname(os.path.abspath(a.kotlinc))}/refdump.jar",
                   "-classpath", ":".join(library), "-d", f"{folder}/classes", *a.flags, *a.sources]
        log = subprocess.run(command, cwd=a.project, capture_output=True, text=True).stderr
        rows = collections.defaultdict(list)
        for line in open(out, encoding="utf8"):
            row = line.rstrip("\n").split("\t")
            rows[os.path.relpath(row[1], a.project)].append(row)
    return rows, log


def normalized(rows, log, new, old):
    """The rows with offsets numbered, since renames move them, and with the old name; the diagnostics without columns."""
    back = lambda text: text.replace(new, old) if new else text
    # Locals and type parameters are declared in the file that uses them, and have no rows of their own.
    is_of_file = lambda r: r[0] == "DECL" or r[5].startswith("<local>") or "TypeParameter" in r[4] or "LocalProperty" in r[4]
    simple = lambda name: re.split(r"[./]", back(name))[-1]
    positions, declared, qualified = {}, collections.defaultdict(list), set()
    for file, of_file in rows.items():
        places = {int(r[2]) for r in of_file} | {int(r[3]) for r in of_file}
        places |= {int(r[7]) for r in of_file if r[7] != "-" and is_of_file(r)}
        positions[file] = {place: number for number, place in enumerate(sorted(places))}
        for r in of_file:
            if r[0] == "DECL":
                qualified.add(back(r[5]))
                for name in {back(r[5]), simple(r[5])}:
                    declared[name, r[7]].append((file, positions[file][int(r[2])]))

    def home(file, r):
        """The declaration that a row leads to: those of that name at that offset, since rows do not tell its file."""
        if r[7] == "-":
            return "-"
        if is_of_file(r):
            return positions[file][int(r[7])]
        name = back(r[8] if r[0] == "OVERRIDES" else r[5])
        # A name that is declared has its own offsets; by the simple name another file's declaration would count, where the offsets agree by
        # chance. Of those by the simple name the same file's is meant, if there is one.
        if name in qualified:
            return str(sorted(set(declared.get((name, r[7]), []))))
        candidates = set(declared.get((simple(name), r[7]), []))
        return str(sorted({one for one in candidates if one[0] == file} or candidates))

    shown = {}
    for file, of_file in rows.items():
        at = positions[file]
        shown[file] = sorted((r[0], at[int(r[2])], at[int(r[3])], r[4], back(r[5]), r[6], str(home(file, r)), *(back(x) for x in r[8:])) for r in of_file)
    messages = sorted(back(re.sub(r":(\d+):\d+:", r":\1:", line)) for line in log.splitlines() if re.match(r"\S+\.kt:\d+", line))
    return shown, messages


def main():
    p = argparse.ArgumentParser()
    for name in ("--quality", "--kotlinc", "--symd", "--project", "--truth", "--home"):
        p.add_argument(name, required=True)
    p.add_argument("--sources", nargs="+", required=True)
    p.add_argument("--libraries", nargs="*", default=[])
    p.add_argument("--flags", nargs="*", default=[])
    p.add_argument("--n", type=int, default=60)
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()
    sys.path.insert(0, a.quality)
    import kotlin
    from common import Symd
    from ktruth import Truth

    a.project = os.path.realpath(a.project)
    truth = Truth(a.project, a.truth)
    candidates = truth.symbols()
    random.seed(a.seed)
    random.shuffle(candidates)
    before = normalized(*compiled(a), "", "")
    symd = Symd(a.symd, a.project, a.home)
    same, different, refused = 0, [], 0
    try:
        for d, _, _ in candidates:
            if same + len(different) >= a.n:
                break
            new = d.simple + NEW
            _, error = symd.call("rename_symbol", new_name=new, **kotlin.address(d, truth), wait="no")
            if error is not None:
                refused += 1
                continue
            after = normalized(*compiled(a), new, d.simple)
            undone = symd.request("tools/call", {"name": "undo", "arguments": {}})
            assert not undone.get("error") and not undone["result"].get("isError"), undone
            print(f"{d.name}: {'as before' if after == before else 'DIFFERENT'}", flush=True)
            if after == before:
                same += 1
            else:
                what = [f"diagnostics {sorted(set(after[1]) ^ set(before[1]))[:3]}"] if after[1] != before[1] else []
                for file in before[0]:
                    one, two = before[0][file], after[0].get(file, [])
                    if one != two:
                        what.append(f"{file}: {next(((x, y) for x, y in zip(one, two) if x != y), 'rows')}")
                different.append(f"{d.name} {d.file}:{truth.line(d.file, d.name_at) + 1}: {what[:3]}")
                print(different[-1], flush=True)
    finally:
        symd.close()
    print(f"{os.path.basename(a.project)}: {same} of {same + len(different)} renames compile as before; {refused} were refused")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
