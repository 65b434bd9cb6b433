#!/usr/bin/env bash
# Installs the test peers, builds everything and runs every test: what continuous integration runs.
#   packaging/test.sh            all of it
#   packaging/test.sh STEP...    some of: format asan tsan release fuzz tidy systemd
# Slow things have their own names and a short run here: `fuzz` runs each target over its seeds and a few seconds of
# new input (FUZZ_SECONDS=5; always the same, so that a change answers for itself), benchmarks only have to start.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
jobs=$(nproc)
# Relative paths, so that one clone profits from what another has compiled.
export CCACHE_DIR=${CCACHE_DIR:-${HOME:-/tmp}/.cache/shingled-ccache} CCACHE_MAXSIZE=5G
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CTEST_OUTPUT_ON_FAILURE=1

sources() { git ls-files '*.h' '*.cpp'; }

run_format() { sources | xargs clang-format-14 --dry-run --Werror; }

# Everything under AddressSanitizer and UndefinedBehaviorSanitizer: unit tests, vectors, corpus, real peers.
run_asan() {
  cmake --preset asan >/dev/null
  cmake --build --preset asan -j "$jobs"
  ctest --preset asan -j "$jobs" --timeout 600
}

# What has threads, under ThreadSanitizer.
run_tsan() {
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan -j "$jobs" --target tsan_tests
  ctest --preset tsan -j "$jobs" --timeout 600 -L threads
}

# The binary people install: the demonstration end to end, and each benchmark once (the engine's fills a million hashes
# first: there it is enough that it starts).
run_release() {
  packaging/run.sh --demo
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$jobs" --target benches
  for bench in fingerprint html mime protocol text; do
    "build/release/tests/bench/bench_$bench" --benchmark_min_time=0.01 >/dev/null
  done
  build/release/tests/bench/bench_engine --benchmark_list_tests >/dev/null
  cmake --build --preset release -j "$jobs" --target shingled hostile_mail
  tests/bench/hostile_mail.py --kinds 'nest-*,text-prose' --sizes 64K >/dev/null
}

# The libFuzzer targets are of the build `asan`, too: one instrumented build serves both.
run_fuzz() {
  cmake --preset asan >/dev/null
  cmake --build --preset asan -j "$jobs" --target fuzz_targets
  find build/asan/tests/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable | sort |
    FUZZ_SECONDS=${FUZZ_SECONDS:-5} FUZZ_SEED=${FUZZ_SEED:-1} xargs -P "$jobs" -n 1 packaging/fuzz.sh
}

run_tidy() {
  cmake --preset tidy >/dev/null
  sources | grep '\.cpp$' | xargs -P "$jobs" -n 4 clang-tidy-14 -p build/tidy --quiet 2>/dev/null
}

# An installed shingled under systemd, in a Debian of its own; root and the packages of a Debian are needed.
run_systemd() {
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$jobs" --target shingled
  tests/systemd/run.sh build/release
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(format asan tsan release fuzz)
packaging/install_dependencies.sh build run test
for step in "${steps[@]}"; do
  declare -F "run_$step" >/dev/null || { echo "test.sh: unknown step '$step'" >&2; exit 64; }
  printf '\n== %s ==\n' "$step"
  begin=$SECONDS
  "run_$step"
  printf '== %s: %d s ==\n' "$step" $((SECONDS - begin))
done
