#!/usr/bin/env bash
# Line coverage of each contract tool by its contract's scenarios: which lines of the files that hold a tool (sources.tsv)
# ran while `cargo test --test scenarios` was at work, in the daemons and in every process that they start of the
# same program (`symd warden`, `symd supervise`). Prints a table and writes measured.tsv, from which docs/contracts.md is
# made.
#
#   benches/coverage/run.sh                    all tools
#   benches/coverage/run.sh serena/read_file   the lines that this tool's scenarios leave out (nothing is written)
#   benches/coverage/run.sh --lines            the table, measured.tsv and, before them, the lines that all scenarios leave out
#
# Needs the llvm tools of the toolchain: rustup component add llvm-tools
set -euo pipefail
cd "$(dirname "$0")/../.."
only="${1:-}"
[ "$only" != --lines ] || only="" lines=yes

host="$(rustc -vV | sed -n 's/^host: //p')"
llvm="$(rustc --print sysroot)/lib/rustlib/$host/bin"
[ -x "$llvm/llvm-cov" ] || { echo "no llvm-cov in the toolchain: rustup component add llvm-tools" >&2; exit 1; }

# The file of the counters. Its name is compiled into the program, since symd only passes on the environment
# variables that are needed, and not LLVM_PROFILE_FILE. Open to all: some daemons run as another user.
raw="${TMPDIR:-/tmp}/symd-coverage-$(id -u)"
rm -rf "$raw"
mkdir -m 1777 "$raw"
chmod 1777 "$raw"
trap 'rm -rf "$raw"' EXIT

# Only the crates of the workspace are instrumented: their dependencies would make the build slow and the
# profiles large. The counters are in one file that all processes map (%c, with relocated counters), so that
# nothing is lost when a process is killed or executes another program.
export CARGO_TARGET_DIR="$PWD/target/coverage"
mkdir -p "$CARGO_TARGET_DIR"
wrapper="$CARGO_TARGET_DIR/instrument"
# The name tells rustc which flags the linker accepts.
linker="$CARGO_TARGET_DIR/instrument-gcc"
cat >"$wrapper" <<END
#!/bin/sh
exec "\$@" -Cinstrument-coverage -Cllvm-args=-runtime-counter-relocation -Clinker=$linker
END
# The first definition of the name that the linker sees is used (they are a COMDAT group, as the compiler's
# own).
cat >"$linker" <<END
#!/bin/sh
exec cc $linker.o "\$@"
END
cc -c -o "$linker.o" -x assembler - <<END
    .section .rodata.__llvm_profile_filename,"aG",@progbits,__llvm_profile_filename,comdat
    .globl __llvm_profile_filename
    .hidden __llvm_profile_filename
    .type __llvm_profile_filename, @object
__llvm_profile_filename:
    .asciz "$raw/%c%m.profraw"
    .size __llvm_profile_filename, . - __llvm_profile_filename
    .section .note.GNU-stack,"",@progbits
END
chmod +x "$wrapper" "$linker"
export RUSTC_WORKSPACE_WRAPPER="$wrapper"
unset LLVM_PROFILE_FILE

cargo build --quiet --locked --bins --example fake-ls
symd="$CARGO_TARGET_DIR/debug/symd"
# Creates the program's own file; the counters of the test program are in another file, which is not used.
"$symd" --version >/dev/null
profile="$(echo "$raw"/*.profraw)"
[ -f "$profile" ] || { echo "not one profile in $raw: $profile" >&2; exit 1; }
chmod 666 "$profile"
# A scenario that fails is reported, and its coverage counts nevertheless.
cargo test --quiet --locked --test scenarios -- ${only:+"$only/"} >"$raw/tests.log" 2>&1 \
  || { grep -A3 "^---- " "$raw/tests.log" || tail -20 "$raw/tests.log"; } >&2

"$llvm/llvm-profdata" merge --sparse "$profile" -o "$raw/merged.profdata"
# Lines of these files that never ran.
left_out() {
  "$llvm/llvm-cov" show "$symd" --instr-profile="$raw/merged.profdata" "$@" |
    awk '/^\// { print; next } /^ *[0-9]+\| *0\|/ { print }'
}

# The files of a tool, or of all.
sources_of() {
  awk -F'\t' -v tool="$1" '!/^#/ && (tool == "" || $1 "/" $2 == tool) { gsub(" ", "\n", $3); print $3 }' \
    benches/coverage/sources.tsv | sort -u
}

if [ -n "$only" ]; then
  mapfile -t sources < <(sources_of "$only")
  [ "${#sources[@]}" -gt 0 ] || { echo "benches/coverage/sources.tsv does not know $only" >&2; exit 1; }
  left_out "${sources[@]}"
  exit
fi
if [ -n "${lines:-}" ]; then
  mapfile -t sources < <(sources_of "")
  left_out "${sources[@]}"
fi

# One export for all; a file's summary is a line of lcov's: SF (file), LF (lines found), LH (lines hit).
"$llvm/llvm-cov" export "$symd" --instr-profile="$raw/merged.profdata" --format=lcov --summary-only >"$raw/lcov" 2>/dev/null
awk -F'\t' -v root="$PWD/" '
  FNR == NR && /^SF:/ { file = substr($0, 4); sub("^" root, "", file) }
  FNR == NR && /^LF:/ { found[file] = substr($0, 4) }
  FNR == NR && /^LH:/ { hit[file] = substr($0, 4) }
  FNR == NR { next }
  /^#/ || NF < 3 { next }
  {
    all = ran = 0
    count = split($3, sources, " ")
    for (i = 1; i <= count; i++) {
      # The file does not exist, or contains only declarations.
      if (!(sources[i] in found)) continue
      all += found[sources[i]]; ran += hit[sources[i]]
    }
    if (all) printf "%s\t%s\t%.1f\t%d\t%d\n", $1, $2, 100 * ran / all, ran, all
  }
' "$raw/lcov" benches/coverage/sources.tsv >"$raw/measured"
{
  printf '# Made by benches/coverage/run.sh: toolset, tool, per cent of the lines, lines run, lines.\n'
  cat "$raw/measured"
} >benches/coverage/measured.tsv
awk -F'\t' '{ printf "%-12s %-28s %5.1f %%  (%d of %d lines)\n", $1, $2, $3, $4, $5 }' "$raw/measured"
