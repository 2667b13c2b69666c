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
    """The rows with declarations numbered, since renames move offsets, and with the old name; the diagnostics without columns."""
    back = lambda text: text.replace(new, old) if new else text
    declared, positions = {}, {}
    for file, of_file in rows.items():
        places = sorted({int(r[2]) for r in of_file} | {int(r[3]) for r in of_file} | {int(r[7]) for r in of_file if r[0] == "DECL" and r[7] != "-"})
        positions[file] = {place: number for number, place in enumerate(places)}
    # The offset of a declaration in another file is told without that file.
    for file, of_file in rows.items():
        for r in of_file:
            if r[0] == "DECL":
                declared.setdefault((back(r[5]), r[7]), (file, positions[file][int(r[2])]))
    shown = {}
    for file, of_file in rows.items():
        at = positions[file]
        kept = []
        for r in of_file:
            home = declared.get((back(r[5]), r[7])) or next((at_home for (_, place), at_home in declared.items() if place == r[7]), r[7] == "-") if r[7] != "-" else "-"
            kept.append((r[0], at[int(r[2])], at[int(r[3])], r[4], back(r[5]), r[6], str(home), *(back(x) for x in r[8:])))
        shown[file] = sorted(kept)
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
            _, error = symd.call("undo")
            assert error is None, error
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
