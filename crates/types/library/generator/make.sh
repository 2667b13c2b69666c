#!/usr/bin/env bash
# KOTLINC=DIR make.sh [OUT]: writes what kotlin-stdlib and kotlinx.coroutines declare, a file per package, into OUT (by default the folder above
# this one). DIR holds the compiler's jars: pip download --no-deps kotlin-jupyter-kernel==0.19.0.944; unpack the wheel; copy its *.jar into DIR.
# MEM: heap, default 4g. Wants Java 17 and Python 3. `library.rs` lists the files by name.
set -euo pipefail; here=$(cd "$(dirname "$0")" && pwd); K=$(cd "${KOTLINC:?}" && pwd)
mkdir -p "${1:-$here/..}"; o=$(cd "${1:-$here/..}" && pwd); t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; P=$K/../stubdump.jar
k2() { nice -n 19 java -Xmx"${MEM:-4g}" "$@" -no-stdlib -no-reflect -nowarn; }
main=org.jetbrains.kotlin.cli.jvm.K2JVMCompiler

# The plugin, once.
if [ ! -f "$P" ] || [ "$here/StubDump.kt" -nt "$P" ]; then
  mkdir -p "$t/p/META-INF/services"; echo stubdump.Reg > "$t/p/META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar"
  k2 -cp "$K/*" $main -classpath "$(printf '%s:' "$K"/*.jar)" -d "$t/p" "$here/StubDump.kt"
  (cd "$t/p" && python3 -m zipfile -c "$P" META-INF stubdump)
fi

# kotlinx.coroutines is part of the kernel's big jar. Alone on the class path, nothing else of that jar can be taken for the library.
cv=$(python3 - "$K"/kotlin-jupyter-kernel-*-all.jar "$t/coroutines.jar" <<'P'
import sys, zipfile
a, b = zipfile.ZipFile(sys.argv[1]), zipfile.ZipFile(sys.argv[2], "w")
for n in a.namelist():
    if n.startswith("kotlinx/coroutines/") or n == "META-INF/kotlinx-coroutines-core.kotlin_module": b.writestr(n, a.read(n))
print(a.read("META-INF/kotlinx_coroutines_core.version").decode().strip())
P
)
std=$(ls "$K"/kotlin-stdlib-[0-9]*.jar); sv=$(basename "$std" .jar)
jdk="JDK $(java -XshowSettings:properties -version 2>&1 | sed -n 's/ *java.specification.version = //p')"
k='annotation collections comparisons concurrent concurrent.atomics contracts coroutines coroutines.intrinsics enums io io.encoding io.path jvm
math properties random ranges reflect sequences system text time uuid'
packages=$(printf 'kotlin,'; printf 'kotlin.%s,' $k; echo kotlinx.coroutines{,.flow,.channels,.sync,.selects} | tr ' ' ,)

mkdir "$t/stubs"; echo > "$t/Empty.kt"
k2 -Dstubdump.out="$t/stubs" -Dstubdump.stats="$t/stats.tsv" -Dstubdump.packages="$packages" -Dstubdump.stdlib="kotlin-stdlib ${sv#kotlin-stdlib-}" \
  -Dstubdump.coroutines="kotlinx-coroutines-core $cv" -Dstubdump.jdk="$jdk" \
  -cp "$K/*" $main -Xplugin="$P" -classpath "$std:$(ls "$K"/annotations-*.jar):$t/coroutines.jar" -d "$t/out" "$t/Empty.kt"
# What an older run wrote and this one did not must not stay.
for f in "$o"/kotlin*.kt; do if [ -f "$f" ]; then rm "$f"; fi; done
# Only what Kotlin's own libraries declare, whose licence is Apache-2.0: nothing of the JDK, whose classes some of theirs stand for.
python3 - "$t/stubs" "$o" <<'P'
import pathlib, sys
for source in sorted(pathlib.Path(sys.argv[1]).glob("kotlin*.kt")):
    kept, inside = [], None
    for line in source.read_text().splitlines(True):
        indent = len(line) - len(line.lstrip())
        if line.strip() == "// Of the Java class behind it:": inside = indent
        elif inside is not None and indent < inside: inside = None
        if inside is None: kept.append(line)
    # A supertype without members that is not known would make all of its heirs half known.
    text = "".join(kept).replace(", java.io.Serializable", "").replace(" : java.io.Serializable", "")
    (pathlib.Path(sys.argv[2]) / source.name).write_text(text)
P
