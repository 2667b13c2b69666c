#!/usr/bin/env bash
# Line coverage of each contract tool by its contract's scenarios: which lines of the files that hold a tool (sources.tsv)
# the daemons ran while `cargo test --test symd contracts::` was at work. Prints a table and writes measured.tsv, from which
# docs/contracts.md is made.
#
#   benches/coverage/run.sh                    all tools
#   benches/coverage/run.sh serena/read_file   the lines that this tool's scenarios leave out (nothing is written)
#
# Needs the llvm tools of the toolchain: rustup component add llvm-tools
set -euo pipefail
cd "$(dirname "$0")/../.."
only="${1:-}"

host="$(rustc -vV | sed -n 's/^host: //p')"
llvm="$(rustc --print sysroot)/lib/rustlib/$host/bin"
[ -x "$llvm/llvm-cov" ] || { echo "no llvm-cov in the toolchain: rustup component add llvm-tools" >&2; exit 1; }

# Only this package is instrumented: what it depends on would make the build slow and the profiles large.
export CARGO_TARGET_DIR="$PWD/target/coverage"
mkdir -p "$CARGO_TARGET_DIR"
wrapper="$CARGO_TARGET_DIR/instrument"
printf '#!/bin/sh\nexec "$@" -Cinstrument-coverage\n' >"$wrapper"
chmod +x "$wrapper"
export RUSTC_WORKSPACE_WRAPPER="$wrapper"

# Daemons that run as another user write here too.
raw="$(mktemp -d)"
trap 'rm -rf "$raw"' EXIT
chmod 1777 "$raw"

cargo build --quiet --locked
# The build scripts' own runs are of no interest.
export LLVM_PROFILE_FILE="$raw/%p-%m.profraw"
# A scenario that fails is told, and what ran counts nevertheless.
SYMD_SCENARIO="$only" cargo test --quiet --locked --test symd contracts:: >"$raw/tests.log" 2>&1 \
  || { grep -A3 "scenarios of .* failed" "$raw/tests.log" || tail -20 "$raw/tests.log"; } >&2
unset LLVM_PROFILE_FILE

"$llvm/llvm-profdata" merge --sparse "$raw"/*.profraw -o "$raw/merged.profdata"
symd="$CARGO_TARGET_DIR/debug/symd"

if [ -n "$only" ]; then
  sources="$(awk -F'\t' -v tool="$only" '$1 "/" $2 == tool { print $3 }' benches/coverage/sources.tsv)"
  [ -n "$sources" ] || { echo "benches/coverage/sources.tsv does not know $only" >&2; exit 1; }
  # Lines that never ran. shellcheck disable=SC2086
  "$llvm/llvm-cov" show "$symd" --instr-profile="$raw/merged.profdata" $sources |
    awk '/^\// { print; next } $2 == "0|" || /^ *[0-9]+\| *0\|/ { print }'
  exit
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
      # Not there, or nothing but declarations.
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
