#!/usr/bin/env bash
# Installs the Debian package in a Debian 12 of its own, under a real systemd in systemd-nspawn, and tries its life there:
# apt install, rights, Postfix attached, mail, upgrade, removal, purge (tests/systemd/package_life.py). Then the lines of
# the section "Install" of README.md, in an empty Debian 12 with a clone of this checkout; and the container's entry.
#   packaging/package_test.sh [STEP...]     some of: lintian life readme container; default: all
# The package comes from packaging/deb.sh. With SHINGLED_BINARY nothing is compiled; that program is packed.
# Needs root. Takes about 3 minutes without compiling; the first time 3 more, for Debian's packages, which are kept in
# ~/.cache/shingled-package. Exit code 0 when everything is as it must be, 77 without root.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1:-} in -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ "$(id -u)" -eq 0 ] || { echo "package_test.sh: needs root" >&2; exit 77; }
for step in "$@"; do
  case $step in lintian|life|readme|container) ;; *) echo "package_test.sh: unknown step '$step'" >&2; exit 64 ;; esac
done
wanted() { [ -z "$steps" ] || [[ " $steps " == *" $1 "* ]]; }
steps="$*"
packaging/install_dependencies.sh package

cache=${XDG_CACHE_HOME:-$HOME/.cache}/shingled-package
work=$PWD/build/deb/test
mkdir -p "$cache" "$work"
root=
trap '[ -z "$root" ] || rm -rf "$root"' EXIT

# group NAME: the packages of a group of packaging/dependencies, separated by blanks.
group() { awk -v group="$1" '$1 == group { printf "%s ", $2 }' packaging/dependencies; }

# debian NAME INSTALLED FETCHED: sets `tar` to an empty Debian 12 with the packages INSTALLED, and with the files of the
# packages FETCHED in apt's cache, because the containers have no network.
debian() {
  tar=$cache/$1-$(echo "$2 / $3" | sha256sum | cut -c1-12).tar
  [ ! -e "$tar" ] || return 0
  echo "making a Debian 12 ($1)"
  mmdebstrap --quiet --variant=minbase --skip=cleanup/apt --include="$(echo $2 | tr ' ' ,)" \
    --customize-hook="chroot \"\$1\" apt-get install -y -qq --no-install-recommends --download-only $3 >/dev/null" \
    bookworm "$tar.part"
  mv "$tar.part" "$tar"
}

# boot LOG PROGRAM: starts $root, runs PROGRAM in it once everything is started, and shows its output. PROGRAM says
# "all steps are as they must be" at the end.
boot() {
  cat >"$root/etc/systemd/system/life.service" <<UNIT
[Unit]
After=multi-user.target postfix@-.service
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
Environment=HOME=/var/tmp
ExecStart=$2
StandardOutput=file:/var/tmp/life.log
StandardError=inherit
[Install]
WantedBy=default.target
UNIT
  systemctl --quiet --root="$root" enable life.service
  echo mx.example.org >"$root/etc/hostname"
  # nspawn wants a /run that is no disk, which a machine without systemd may not have; so it gets one of its own.
  local code=0
  timeout -k 10 900 unshare --mount sh -c \
    'mount -t tmpfs tmpfs /run && exec systemd-nspawn --quiet --directory="$0" --machine=shingled-package --register=no \
     --keep-unit --private-network --console=pipe --boot' "$root" </dev/null >"$work/$1.console" 2>&1 || code=$?
  cat "$root/var/tmp/life.log" 2>/dev/null || tail -n 50 "$work/$1.console"
  grep -q '^all steps are as they must be$' "$root/var/tmp/life.log" ||
    { echo "package_test.sh: $1 failed (boot: $code)" >&2; exit 1; }
}

unpack() {
  [ -z "$root" ] || rm -rf "$root"
  root=$(mktemp -d "$work/root-XXXXXX")
  tar -xf "$tar" -C "$root" --exclude='./dev/*'
}

begin=$SECONDS
packaging/deb.sh --output "$work"
package=$(ls -t "$work"/shingled_*.deb | head -n 1)
echo "== package: $((SECONDS - begin)) s =="

if wanted lintian; then
  lintian --pedantic --fail-on warning --allow-root "$package"
  echo "== lintian: clean =="
fi

if wanted life; then
  begin=$SECONDS
  debian life "systemd systemd-sysv dbus postfix procps python3-minimal libpython3-stdlib" "$(group run)"
  unpack
  mkdir -p "$root/usr/local/share/packages"
  cp "$package" "$root/usr/local/share/packages/new.deb"
  # An older package with other settings in /etc, so that the upgrade has something to decide.
  dpkg-deb -R "$package" "$work/older"
  sed -i 's/^Version: .*/Version: 0.0.9/' "$work/older/DEBIAN/control"
  echo '# The settings of version 0.0.9.' >>"$work/older/etc/shingled/shingled.yaml"
  dpkg-deb --root-owner-group -Zgzip -b "$work/older" "$root/usr/local/share/packages/old.deb" >/dev/null
  rm -rf "$work/older"
  install -m 755 tests/systemd/life.py tests/systemd/package_life.py "$root/usr/local/sbin/"
  cp -r packaging/samples "$root/usr/local/share/samples"
  boot life /usr/local/sbin/package_life.py
  echo "== life: $((SECONDS - begin)) s =="
fi
