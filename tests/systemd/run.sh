#!/usr/bin/env bash
# The life of an installed shingled under systemd: a Debian 12 of its own with the distribution's chrooted Postfix, and no
# network but its own loopback. Installed by `cmake --install`, started by the unit; what is then tried is in life.py.
#   tests/systemd/run.sh [BUILD]     BUILD: a built folder, build/release by default
# Needs root, 1 GB below BUILD and, the first time, Debian's packages: the empty system is kept as BUILD/debian12.tar.
# systemd-nspawn starts it without a systemd of ours outside. Exit code 0 when every step is as it must be.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(cd "$here/../.." && pwd)
build=$(readlink -f "${1:-$source/build/release}")
[ "$(id -u)" -eq 0 ] || { echo "run.sh: needs root" >&2; exit 77; }
[ -x "$build/milter/shingled" ] || { echo "run.sh: $build has no milter/shingled; build it first" >&2; exit 66; }
"$source/packaging/install_dependencies.sh" container

# The run-time libraries come from our own list: one that is missing there is missing here.
packages=$(awk '$1 == "run" { printf "%s,", $2 }' "$source/packaging/dependencies")
empty=$build/debian12.tar
if [ ! -e "$empty" ] || [ "$source/packaging/dependencies" -nt "$empty" ]; then
  echo "making a Debian 12 with systemd and Postfix"
  mmdebstrap --quiet --variant=minbase --include="${packages}systemd,systemd-sysv,dbus,postfix,procps" \
    bookworm "$build/debian12.part.tar"
  mv "$build/debian12.part.tar" "$empty"
fi

root=$(mktemp -d "$build/systemd-XXXXXX")
trap 'rm -rf "$root"' EXIT
tar -xf "$empty" -C "$root" --exclude='./dev/*'
DESTDIR=$root cmake --install "$build" --prefix /usr >/dev/null
systemd-sysusers --root="$root"
install -D -m 755 "$here/life.py" "$root/usr/local/sbin/life.py"
cp -r "$source/packaging/samples" "$root/usr/local/share/samples"
cat >"$root/etc/systemd/system/life.service" <<'UNIT'
[Unit]
After=shingled.service postfix.service postfix@-.service
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/life.py
StandardOutput=file:/var/tmp/life.log
StandardError=inherit
[Install]
WantedBy=multi-user.target
UNIT
systemctl --quiet --root="$root" enable shingled.service life.service
echo mx.example.org >"$root/etc/hostname"

# nspawn wants a /run that is no disk, which a machine without systemd may not have; so it gets one of its own.
code=0
timeout -k 10 900 unshare --mount sh -c \
  'mount -t tmpfs tmpfs /run && exec systemd-nspawn --quiet --directory="$0" --machine=shingled-life --register=no \
   --keep-unit --private-network --console=pipe --boot' "$root" </dev/null >"$build/systemd-console.log" 2>&1 || code=$?
cat "$root/var/tmp/life.log" || tail -n 50 "$build/systemd-console.log"
grep -q '^all steps are as they must be$' "$root/var/tmp/life.log" || { echo "run.sh: failed (boot: $code)" >&2; exit 1; }
