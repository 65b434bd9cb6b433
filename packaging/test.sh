#!/usr/bin/env bash
# Installs the test peers, builds everything and runs every test. Continuous integration runs this script.
#   packaging/test.sh            all steps except tidy and systemd
#   packaging/test.sh STEP...    some of: format asan tsan release fuzz tidy systemd
# Slow parts have a short run here. `fuzz` runs each target on its seeds and on new input for a few seconds
# (FUZZ_SECONDS=5; always the same input, so that a failure comes from the change). Benchmarks only have to start.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
jobs=$(nproc)
# Relative paths, so that clones share what they have compiled.
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

# Tests with threads, under ThreadSanitizer.
run_tsan() {
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan -j "$jobs" --target tsan_tests
  ctest --preset tsan -j "$jobs" --timeout 600 -L threads
}

# The release binary: the demonstration end to end, and each benchmark once. The engine's benchmark first stores a million
# hashes, so it only has to start.
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

# The libFuzzer targets belong to the build `asan`, so that one instrumented build serves both.
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

# An installed shingled under systemd, in its own Debian. Needs root and access to Debian's packages.
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
