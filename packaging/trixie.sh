#!/usr/bin/env bash
# The unit tests on Debian 13, in a Debian of its own: everything is compiled with its g++ and its clang++, and run.
#   packaging/trixie.sh [COMPILER...]     default: g++ clang++
# Needs root. The first time it fetches some 500 MB of packages, which are kept in ~/.cache/shingled-package; what was
# compiled is kept there, too.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1:-} in -h|--help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ $# -gt 0 ] || set -- g++ clang++
for compiler in "$@"; do
  case $compiler in g++|clang++) ;; *) echo "trixie.sh: unknown compiler '$compiler' (g++, clang++)" >&2; exit 64 ;; esac
done
[ "$(id -u)" -eq 0 ] || { echo "trixie.sh: needs root" >&2; exit 77; }
packaging/install_dependencies.sh package

# The names of the packages in Debian 13; tools with a version of Debian 12 in their names are not needed.
packages=$(awk '($1 == "build" || $1 == "test") && $2 !~ /-14$/ { printf "%s ", $3 ? $3 : $2 }' packaging/dependencies)
packages="$packages clang git"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/shingled-package
mkdir -p "$cache/ccache-trixie" build/trixie
tar=$cache/suite-$(echo $packages | sha256sum | cut -c1-12).tar
if [ ! -e "$tar" ]; then
  echo "trixie.sh: making a Debian 13"
  mmdebstrap --quiet --variant=minbase --include="$(echo $packages | tr ' ' ,)" trixie "${tar%.tar}.part.tar"
  mv "${tar%.tar}.part.tar" "$tar"
fi

root=$(mktemp -d "$PWD/build/trixie/root-XXXXXX")
trap 'rm -rf "$root"' EXIT
tar -xf "$tar" -C "$root" --exclude='./dev/*'
mkdir -p "$root/src" "$root/ccache" "$root/build"
git config --file "$root/etc/gitconfig" safe.directory '*'
for compiler in "$@"; do
  echo "== trixie, $compiler =="
  unshare --mount --pid --fork --net sh -c 'ip link set lo up 2>/dev/null; mount -t proc proc "$0/proc" &&
    mount --bind /dev "$0/dev" && mount --bind . "$0/src" && mount -o remount,bind,ro "$0/src" &&
    mount --bind "$1" "$0/ccache" && exec chroot "$0" env CCACHE_DIR=/ccache CXX="$2" LC_ALL=C.UTF-8 \
    CCACHE_SLOPPINESS=pch_defines,time_macros CTEST_OUTPUT_ON_FAILURE=1 sh -ec "
      cd /src
      cmake -G Ninja -S /src -B /build/$2 -DCMAKE_BUILD_TYPE=Release -DSHINGLED_FAST_BUILD=ON >/dev/null
      cmake --build /build/$2
      ctest --test-dir /build/$2 -j $(($(nproc) + 1)) --no-tests=error -LE \"^(e2e|release)\$\""' \
    "$root" "$cache/ccache-trixie" "$compiler"
done
