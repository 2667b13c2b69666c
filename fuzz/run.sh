#!/usr/bin/env bash
# Fuzzes for so many seconds each: fuzz/run.sh SECONDS [TARGET…]; all targets when none is named. By stable Rust without
# sanitizers: the readers are safe code, and of the grammars the C is not seen, but for its crashes. docs/fuzzing.md has results.
# Inputs are kept in fuzz/corpus/<target>, what fails in fuzz/artifacts/<target>.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?seconds for each target}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
mapfile -t all < <(basename -s .rs src/bin/*.rs)
targets=("${@:-${all[@]}}")

export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
 -Cllvm-args=-sanitizer-coverage-trace-compares"
# What overflows is to be seen.
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
export CARGO_PROFILE_RELEASE_DEBUG=line-tables-only CARGO_TARGET_DIR=target
# With --target, or build scripts would be instrumented too.
cargo build --release --locked --target "$host" "${targets[@]/#/--bin=}"

failed=0
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target" "artifacts/$target"
  program="target/$host/release/$target"
  options=(-max_total_time="$seconds" -artifact_prefix="artifacts/$target/" -print_final_stats=1 -rss_limit_mb=2048 -timeout=20)
  case $target in
    grammar_*)
      # Scanners that abort are known, and cost the daemon one worker: go on behind them.
      options+=(-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_len=4096)
      find "../fixtures/outline/${target#grammar_}" -type f ! -name '*.outline' -exec cp -t "corpus/$target" {} + 2>/dev/null || true
      ;;
    *)
      SYMD_FUZZ_SEEDS="corpus/$target" "$program"
      if [ -d "../fixtures/properties/$target" ]; then cp "../fixtures/properties/$target"/* "corpus/$target"; fi
      options+=(-max_len=2048)
      ;;
  esac
  echo "== $target, $seconds s"
  "$program" "${options[@]}" "corpus/$target" 2>"artifacts/$target.log" || failed=1
  grep -aE 'stat::(number_of_executed_units|new_units_added)|panicked|SUMMARY' "artifacts/$target.log" | sort | uniq -c | sort -rn | head -8 || true
  tail -n 1 "artifacts/$target.log"
done
exit $failed
