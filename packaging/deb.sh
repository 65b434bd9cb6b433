#!/usr/bin/env bash
# Builds the Debian package of shingled: shingled_VERSION_ARCH.deb.
#   packaging/deb.sh [--output DIR] [--version VERSION] [--revision COMMIT] [--jobs N]
#     --output DIR       where the package is put; default: build/deb
#     --version VERSION  a version other than the one of packaging/debian/changelog, for tests of upgrades
#     --revision COMMIT  of that commit, not of the files that are here, for tests of upgrades
#     --jobs N           compilers at a time; default: 2
# Missing build packages are installed, which needs root or sudo. The tree that is built, with debian/ at its root, is
# build/deb/tree (of a commit: build/deb/revision). It is kept, and ccache is used, so only the first build takes long.
# With SHINGLED_BINARY nothing is compiled; that program is packed.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

say() { printf 'deb.sh: %s\n' "$*"; }
fail() { printf 'deb.sh: %s\n' "$2" >&2; exit "$1"; }

output=build/deb version='' revision='' jobs=2
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --output|--version|--revision|--jobs) [ $# -gt 1 ] || fail 64 "$1 needs a value" ;;
    *) fail 64 "unknown argument '$1' (allowed: --output, --version, --revision, --jobs, --help)" ;;
  esac
  case $1 in
    --output) output=$2 ;;
    --version) version=$2 ;;
    --revision) revision=$(git rev-parse --verify --quiet "$2^{commit}") || fail 65 "--revision: there is no commit '$2'" ;;
    --jobs) jobs=$2 ;;
  esac
  shift 2
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail 64 "--jobs: '$jobs' is no number from 1"

packaging/install_dependencies.sh build deb
output=$(mkdir -p "$output" && readlink -f "$output")
tree=$PWD/build/deb/tree
program=${SHINGLED_BINARY:+$(readlink -f "$SHINGLED_BINARY")}
[ -z "$revision" ] || tree=$PWD/build/deb/revision
[ -z "$program" ] || tree=$PWD/build/deb/packed
say "making the tree $tree"
mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name 'obj-*' -exec rm -rf {} +
# files: the names of the files that are here, each ended by a zero byte.
files() {
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
  else
    find . -path ./build -prune -o -type f -print0
  fi
}
if [ -n "$revision" ]; then
  git archive "$revision"
else
  files | tar -c --null --files-from=-
fi | tar -x -C "$tree"
cp -r "$tree/packaging/debian" "$tree/debian"

# The version has one place, CMakeLists.txt. Debian's changelog has to name it first.
project=$(sed -n 's/^project(shingled VERSION \([0-9.]*\).*/\1/p' "$tree/CMakeLists.txt")
packaged=$(sed -n '1s/^shingled (\([^)]*\)).*/\1/p' "$tree/debian/changelog")
[ "${packaged%%[-+~]*}" = "$project" ] ||
  fail 65 "packaging/debian/changelog begins with version $packaged, CMakeLists.txt has $project"

# The maintainer's place is debian/control. (In the changelog Debian wants to have it again.)
maintainer=$(sed -n 's/^Maintainer: //p' "$tree/debian/control")
sed -i "0,/^ -- /s|^ -- .*>  | -- $maintainer  |" "$tree/debian/changelog"
if [ -n "$version" ] && [ "$version" != "$packaged" ]; then
  sed -i "1s/([^)]*)/($version)/" "$tree/debian/changelog"
fi

# Paths below the tree are relative for ccache, so that another checkout finds what this one compiled.
export CCACHE_DIR=${CCACHE_DIR:-${HOME:-/tmp}/.cache/shingled-ccache} CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G}
export DEB_BUILD_OPTIONS="parallel=$jobs nocheck noautodbgsym" DEB_BUILD_PROFILES=nocheck LC_ALL=C.UTF-8
say "building version ${version:-$packaged} with $jobs compilers at a time; the log is $tree.log"
[ -z "$program" ] || export SHINGLED_BINARY=$program
begin=$SECONDS
(cd "$tree" && dpkg-buildpackage --build=binary --no-pre-clean --no-sign 2>&1) | tee "$tree.log" |
  sed -unE '/^ *(dh_[a-z_]+|dpkg-deb:)|error:|FAILED|Error /{p;d}; s,^(\[[0-9]*[02468]0/[0-9]+\]).*,   compiled \1,p' ||
  { tail -n 30 "$tree.log" >&2; fail 70 "the build failed; $tree.log says why"; }
package=shingled_${version:-$packaged}_$(dpkg --print-architecture).deb
[ "$output" = "$PWD/build/deb" ] || mv "build/deb/$package" "$output/"
say "$output/$package, $(stat -c %s "$output/$package") bytes, after $((SECONDS - begin)) s"
