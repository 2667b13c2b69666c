#!/bin/sh
# Writes fixtures/jvm/uses.tsv: what javac resolves the names in fixtures/jvm's Java files to, of what its Kotlin files declare.
# KOTLINC: a folder with the jars of PyPI's kotlin-jupyter-kernel 0.19.0.944. Wants JDK 17. The table is committed; no test runs this.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../../fixtures/jvm"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
stdlib=$(ls "$KOTLINC"/kotlin-stdlib-[0-9]*.jar)
java -Xmx1g -cp "$KOTLINC/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-reflect -no-stdlib -nowarn -jvm-target 17 \
  -classpath "$stdlib" -d "$out/kotlin" "$PWD"
javac -proc:none -cp "$out/kotlin:$stdlib" -d "$out/java" $(find shop -name '*.java')
exports=
for package in code file tree util; do exports="$exports --add-exports jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED"; done
javac $exports -nowarn -cp "$KOTLINC/*" -d "$out/tool" "$here/JavaUses.java"
java $exports -cp "$out/tool:$KOTLINC/*" JavaUses "$out/kotlin:$stdlib" $(find shop -name '*.java' | sort) > uses.tsv
wc -l uses.tsv
