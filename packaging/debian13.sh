#!/usr/bin/env bash
# Builds shingled in a Debian 13 of its own, the program with g++ and with clang++, and runs the tests there with that
# Debian's peers. The logs are put into build/debian13.
#   packaging/debian13.sh [CTEST-OPTION...]     e.g. -R '^test_' for the unit tests alone; by default all but those labelled slow
# Needs root. The first time it fetches some 900 MB of packages, which are kept in ~/.cache/shingled-package.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1:-} in -h|--help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ "$(id -u)" -eq 0 ] || { echo "debian13.sh: needs root" >&2; exit 77; }
packaging/install_dependencies.sh container

# The name in Debian 13 is the last one of a line.
packages=git,$(awk '$1 ~ /^(build|run|test)$/ { print $NF }' packaging/dependencies | paste -sd,)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/shingled-package
mkdir -p "$cache/ccache-debian13" build/debian13
tar=$cache/debian13-$(sha256sum <<<"$packages" | cut -c1-12).tar
if [ ! -e "$tar" ]; then
  echo "debian13.sh: making a Debian 13 with what is built and tested with"
  mmdebstrap --quiet --variant=minbase --include="$packages" trixie "${tar%.tar}.part.tar"
  mv "${tar%.tar}.part.tar" "$tar"
fi

root=$(mktemp -d "$PWD/build/debian13/root-XXXXXX")
trap 'rm -rf "$root"' EXIT
tar -xf "$tar" -C "$root" --exclude='./dev/*'
mkdir "$root/ccache" "$root/shingled"
git ls-files -z | tar -c --null --files-from=- | tar -x -C "$root/shingled"
git -C "$root/shingled" init --quiet
git -C "$root/shingled" add --all  # the test `tidy` asks which files are ours
[ ! -d ../shared ] || cp -r ../shared "$root/shared"
cp /etc/resolv.conf "$root/etc/resolv.conf"  # Sendmail's tests fetch it, as it cannot be installed beside Postfix

# inside LOG COMMAND...: in /shingled there; what it prints goes to a file.
inside() {
  local log=build/debian13/$1.log
  shift
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    mount --bind "$1" "$0/ccache" && shift && exec chroot "$0" env HOME=/root CCACHE_DIR=/ccache CCACHE_BASEDIR=/shingled \
    CCACHE_SLOPPINESS=pch_defines,time_macros LC_ALL=C.UTF-8 sh -c "cd /shingled && \"\$@\"" sh "$@"' \
    "$root" "$cache/ccache-debian13" "$@" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; echo "debian13.sh: failed: $*; $log says why" >&2; exit 70; }
}
step() { echo "debian13.sh: $*"; }

inside lists apt-get update -qq
step "the program with clang++"
inside configure-clang cmake -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DSHINGLED_FAST_BUILD=ON -DSHINGLED_TESTS=OFF \
  -DCMAKE_CXX_COMPILER=clang++
inside build-clang cmake --build build/clang -j "$(nproc)" --target shingled
step "everything with g++"
inside configure cmake --preset release -DSHINGLED_BENCH=OFF
inside build cmake --build --preset release -j "$(nproc)" -- -k 0
step "the tests"
[ $# -gt 0 ] || set -- -LE '^slow$'
inside tests ctest --preset release -j $(($(nproc) + 1)) --timeout 900 --no-tests=error "$@"
tail -n 20 build/debian13/tests.log
