#!/usr/bin/env bash
# Compiles the Debian package for arm64, on any machine, in a Debian 12 of its own with a cross compiler: it shows that
# nothing in the build takes the machine that compiles for the one that runs it. The package is put into build/arm64.
#   packaging/arm64.sh
# Needs root. The first time it fetches some 400 MB of packages, which are kept in ~/.cache/shingled-package.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1:-} in
  -h|--help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
  '') ;;
  *) echo "arm64.sh: unknown argument '$1' (allowed: --help)" >&2; exit 64 ;;
esac
[ "$(id -u)" -eq 0 ] || { echo "arm64.sh: needs root" >&2; exit 77; }
packaging/install_dependencies.sh package

# Programs run on this machine; libraries are those of the other, but for headers that have no architecture.
programs='build-essential crossbuild-essential-arm64 debhelper dh-apparmor dh-sequence-installsysusers cmake ninja-build ccache pkg-config:arm64 git qemu-user-static'
libraries=$(sed -n '/^Build-Depends:/,/^[A-Z].*:/p' packaging/debian/control | grep -oE '[a-z0-9][a-z0-9.+-]*-dev' |
  sed -E '/^(nlohmann-json3|libcli11)-dev$/!s/$/:arm64/')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/shingled-package
mkdir -p "$cache/ccache-arm64" build/arm64
tar=$cache/arm64-$(echo $programs $libraries | sha256sum | cut -c1-12).tar
if [ ! -e "$tar" ]; then
  echo "arm64.sh: making a Debian 12 with a cross compiler"
  mmdebstrap --quiet --variant=minbase --architectures="$(dpkg --print-architecture),arm64" \
    --include="$(echo $programs $libraries | tr ' ' ,)" bookworm "${tar%.tar}.part.tar"
  mv "${tar%.tar}.part.tar" "$tar"
fi

root=$(mktemp -d "$PWD/build/arm64/root-XXXXXX")
trap 'rm -rf "$root"' EXIT
tar -xf "$tar" -C "$root" --exclude='./dev/*'
mkdir "$root/src" "$root/ccache" "$root/shingled"
git ls-files -z | tar -c --null --files-from=- | tar -x -C "$root/shingled"
cp -r packaging/debian "$root/shingled/debian"
unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
  mount --bind "$1" "$0/ccache" && exec chroot "$0" env CCACHE_DIR=/ccache CCACHE_BASEDIR=/shingled LC_ALL=C.UTF-8 \
  DEB_BUILD_OPTIONS="parallel=$2 noautodbgsym" sh -c "cd /shingled && dpkg-buildpackage --host-arch arm64 --build=binary --no-sign"' \
  "$root" "$cache/ccache-arm64" "$(nproc)" >build/arm64/build.log 2>&1 ||
  { tail -n 30 build/arm64/build.log >&2; echo "arm64.sh: the build failed; build/arm64/build.log says why" >&2; exit 70; }
mv "$root"/shingled_*_arm64.deb build/arm64/
dpkg-deb --fsys-tarfile build/arm64/shingled_*_arm64.deb | tar -xO ./usr/bin/shingled | file - | grep -q 'ARM aarch64' ||
  { echo "arm64.sh: the program in the package is not one for arm64" >&2; exit 70; }
echo "arm64.sh: $(ls build/arm64/*.deb)"
