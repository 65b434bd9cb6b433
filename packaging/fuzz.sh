#!/usr/bin/env bash
# Runs one libFuzzer target over its seeds and so many seconds of new input.
#   FUZZ_SECONDS=1200 packaging/fuzz.sh build/asan/tests/fuzz/fuzz_packet [CORPUS]
# FUZZ_SEED=N draws the same input every time, FUZZ_SEED=0 (the default) another.
# What it finds stays in CORPUS, or is thrown away. Prints the last lines of the target and fails when something was found;
# the input that did it is in CORPUS.
set -euo pipefail
target=$1
name=$(basename "$target")
seeds=$(dirname "$(readlink -f "$0")")/../tests/fuzz/seeds/$name
corpus=${2:-$(mktemp -d)}
mkdir -p "$corpus"
log=$(mktemp)
trap 'rm -f "$log"; [ $# -gt 1 ] || [ -n "${found:-}" ] || rm -rf "$corpus"' EXIT
if ! "$target" -max_total_time="${FUZZ_SECONDS:-5}" -seed="${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$corpus/" "$corpus" "$seeds" 2>"$log"; then
  found=1
  tail -40 "$log" >&2
  echo "fuzz: $name found something, see $corpus" >&2
  exit 1
fi
echo "fuzz: $name ran without a finding: $(grep -oE 'number_of_executed_units: [0-9]+' "$log")," \
  "$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)"
