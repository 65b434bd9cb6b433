#!/usr/bin/env bash
# Installs the test peers, builds everything and runs every test. Continuous integration runs this script.
#   packaging/test.sh            the steps format tidy asan races release fuzz
#   packaging/test.sh STEP...    some of: format tidy asan races release fuzz tsan units daemons systemd arm64 debian13 package
# What runs where:
#   format   clang-format, all files
#   tidy     changed headers, each alone, and clang-tidy: files of the program that differ from TIDY_BASE (default: the branch
#            point of origin/main, or HEAD~1 on main itself; TIDY_BASE=all for all files). At most HEADERS_MAX=15 and
#            TIDY_MAX=8, those with the most changed lines.
#   asan     AddressSanitizer and UndefinedBehaviorSanitizer: all unit tests, and the end-to-end tests of strangers' input
#   races    ThreadSanitizer: the unit tests of the index, the buckets and the fuzzy service, where most threads meet
#   release  the binary that is installed: the demonstration, end-to-end tests (label `release`: not those that `asan`
#            runs)
#   fuzz     each libFuzzer target (asan) on its seeds and on new input for FUZZ_SECONDS=2; always the same input, so that
#            a failure comes from the change
#   tsan     ThreadSanitizer: all unit tests with threads (label `threads`); a quarter of an hour
#   units    the release build: all unit tests, the end-to-end tests that `asan` runs and those with the label `slow`; each
#            benchmark once
#   daemons  all end-to-end tests under AddressSanitizer; half an hour
#   systemd  an installed shingled in its own Debian; needs root
#   arm64    the Debian package, compiled for arm64; needs root
#   debian13 everything built and tested in a Debian 13, with its compilers and peers; needs root; an hour
#   package  the Debian package and its life in its own Debian; needs root; 10 minutes longer if it has to be compiled
set -euo pipefail
case ${1:-} in -h|--help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
cd "$(dirname "$(readlink -f "$0")")/.."
jobs=$(nproc)
tests=$((jobs + 1))  # at a time: one that waits for a daemon leaves a processor to another
# Relative paths, so that clones share the cache of compiled files.
export CCACHE_DIR=${CCACHE_DIR:-${HOME:-/tmp}/.cache/shingled-ccache} CCACHE_MAXSIZE=5G
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# Without these, ccache does not cache files that use a precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros
export CTEST_OUTPUT_ON_FAILURE=1

sources() { git ls-files '*.h' '*.cpp'; }

run_format() { sources | xargs clang-format-14 --dry-run --Werror; }

# Prints the files of the program that differ from the base, those with the most changed lines first.
changed_files() {
  local base=${TIDY_BASE:-}
  if [ -z "$base" ]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null) || base=
    [ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
    git rev-parse --verify --quiet "$base^{commit}" >/dev/null || return 0  # a clone of one commit
  fi
  git rev-parse --verify --quiet "$base^{commit}" >/dev/null ||
    { echo "test.sh: tidy does not find the commit '$base' to compare with; fetch it or set TIDY_BASE" >&2; return 64; }
  git diff --numstat --no-renames --diff-filter=d "$base" -- config mime storage milter |
    awk '/\.(h|cpp)$/' | sort -k1,1nr -k3 | cut -f3
}

# Prints the .cpp files that clang-tidy has to check: each file that differs from the base and, for each changed header, one
# file that includes it.
changed_sources() {
  local file
  changed_files |
    while read -r file; do
      case $file in
        *.cpp) echo "$file" ;;
        *) { git ls-files "${file%.h}.cpp"; git grep -lF "#include \"$file\"" -- {config,mime,storage,milter}'/*.cpp' || true; } | sed -n 1p ;;
      esac
    done | awk '!seen[$0]++'
}

# Each header that differs from the base, alone: it includes what it needs. About a second for each.
check_headers() {
  local files count
  if [ "${TIDY_BASE:-}" = all ]; then
    files=$(sources | grep -E '^(config|mime|storage|milter)/.*\.h$')
  else
    files=$(changed_files | grep '\.h$') || return 0
    count=$(wc -l <<<"$files")
    files=$(head -n "${HEADERS_MAX:-15}" <<<"$files")
  fi
  echo "tidy: $(wc -l <<<"$files") of ${count:-all} headers alone"
  xargs -P "$jobs" -n 1 clang++-14 -std=c++20 -fsyntax-only -Wall -Wextra -Wno-pragma-once-outside-header -Werror -I . \
    -x c++-header <<<"$files"
}

run_tidy() {
  local files count most=${TIDY_MAX:-8}
  check_headers
  if [ "${TIDY_BASE:-}" = all ]; then
    files=$(sources | grep -E '^(config|mime|storage|milter)/.*\.cpp$')
    most=$(wc -l <<<"$files")
  else
    files=$(changed_sources)
  fi
  [ -n "$files" ] || { echo "tidy: no changed file"; return 0; }
  count=$(wc -l <<<"$files")
  [ "$count" -le "$most" ] || echo "tidy: $most of $count changed files; TIDY_MAX or TIDY_BASE=all checks more"
  cmake --preset tidy >/dev/null
  head -n "$most" <<<"$files" | xargs -P "$jobs" -n 1 clang-tidy-14 -p build/tidy --quiet 2>&1 |
    sed '/^[0-9]* warnings\{0,1\} \(generated\|treated as errors\)/d'
}

# Says which tests were skipped in the last run of a build, and why.
tell_skipped() {
  sed -n '/: Skipped$/{s/^.*\/\(tests\/.*\): Skipped$/skipped: \1/;N;s/\n/: /;p}' \
    "build/$1/Testing/Temporary/LastTest.log" | sort -u
}

run_asan() {
  cmake --preset asan >/dev/null
  cmake --build --preset asan -j "$jobs"
  ctest --preset asan -j "$tests" --timeout 600 --no-tests=error -LE '^(release|slow)$'
  tell_skipped asan
}

run_races() {
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan -j "$jobs" --target test_engine test_buckets \
    test_redis_buckets test_server
  ctest --preset tsan -j "$tests" --timeout 600 --no-tests=error -R '^test_(engine|buckets|redis_buckets|server)\.'
  tell_skipped tsan
}

run_tsan() {
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan -j "$jobs" --target tsan_tests
  ctest --preset tsan -j "$tests" --timeout 600 --no-tests=error -L '^threads$'
  tell_skipped tsan
}

# In the tree that packaging/run.sh uses.
run_release() {
  packaging/run.sh --demo
  cmake --build --preset release -j "$jobs" --target release_tests
  ctest --preset release -j "$tests" --timeout 600 --no-tests=error -L '^release$'
  tell_skipped release
  tests/bench/hostile_mail.py --kinds 'nest-*,text-prose' --sizes 64K >/dev/null
}

# The engine's benchmark first stores a million hashes, so it only has to start.
run_units() {
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$jobs"
  ctest --preset release -j "$tests" --timeout 600 --no-tests=error -LE '^release$'
  tell_skipped release
  for bench in fingerprint html mime protocol text; do
    "build/release/tests/bench/bench_$bench" --benchmark_min_time=0.01 >/dev/null
  done
  build/release/tests/bench/bench_engine --benchmark_list_tests >/dev/null
}

run_daemons() {
  cmake --preset asan >/dev/null
  cmake --build --preset asan -j "$jobs" --target shingled hostile_mail
  ctest --preset asan -j "$tests" --timeout 1800 --no-tests=error -L '^e2e$'
  tell_skipped asan
}

# The libFuzzer targets belong to the build `asan`, so that one instrumented build serves both.
run_fuzz() {
  cmake --preset asan >/dev/null
  cmake --build --preset asan -j "$jobs" --target fuzz_targets
  find build/asan/tests/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable | sort |
    FUZZ_SECONDS=${FUZZ_SECONDS:-2} FUZZ_SEED=${FUZZ_SEED:-1} xargs -P "$jobs" -n 1 packaging/fuzz.sh
}

# An installed shingled under systemd, in its own Debian. Needs root and access to Debian's packages.
run_systemd() {
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$jobs" --target shingled
  tests/systemd/run.sh build/release
}

run_arm64() { packaging/arm64.sh; }

run_debian13() { packaging/debian13.sh; }

# The Debian package, with the program that is in the tree of packaging/deb.sh. Needs root and access to Debian's packages.
run_package() { packaging/package_test.sh; }

# Sets `used` to the processor seconds that the programs of this script have used. `times` writes to a file, because in a
# pipe it would show the times of the pipe.
measure() {
  times >"$usage"
  used=$(awk -F'[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' "$usage")
}

usage=$(mktemp)
table=
finish() {
  rm -f "$usage"
  [ -z "$step" ] || table+=$(printf '%-9s  failed' "$step")$'\n'
  printf '\n%-9s %7s %11s\n%s' step seconds processors "$table"
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(format tidy asan races release fuzz)
for step in "${steps[@]}"; do
  declare -F "run_$step" >/dev/null || { echo "test.sh: unknown step '$step'" >&2; exit 64; }
done
step=
packaging/install_dependencies.sh build run test
trap finish EXIT
for step in "${steps[@]}"; do
  printf '\n== %s ==\n' "$step"
  begin=$SECONDS
  measure
  before=$used
  "run_$step"
  measure
  table+=$(printf '%-9s %7d %11d' "$step" $((SECONDS - begin)) $((used - before)))$'\n'
  printf '== %s: %d s ==\n' "$step" $((SECONDS - begin))
done
step=
table+=$(printf '%-9s %7d %11d' all "$SECONDS" "$used")$'\n'
