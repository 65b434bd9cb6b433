#!/usr/bin/env bash
# Runs one libFuzzer target on its seeds, then on new input for FUZZ_SECONDS.
#   FUZZ_SECONDS=1200 packaging/fuzz.sh build/asan/tests/fuzz/fuzz_packet [CORPUS]
# FUZZ_SEED=N makes the same input every time; FUZZ_SEED=0 (the default) makes new input.
# New inputs stay in CORPUS; without CORPUS they are deleted. If the target fails, prints its last lines and exits with 1;
# the input that caused it is then in CORPUS.
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
  echo "fuzz: $name failed; the input is in $corpus" >&2
  exit 1
fi
echo "fuzz: $name found nothing: $(grep -oE 'number_of_executed_units: [0-9]+' "$log")," \
  "$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)"
