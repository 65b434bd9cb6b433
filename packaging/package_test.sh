#!/usr/bin/env bash
# Installs the Debian package in a Debian 12 of its own, under a real systemd in systemd-nspawn, and tries its life there:
# apt install, rights, Postfix and Dovecot attached, mail, a report by a move, removal, purge, upgrade
# (tests/systemd/package_life.py). Then the lines of the section "Install" of README.md and the package's autopkgtest, in
# an empty Debian 12 with a clone of this checkout; and the images of packaging/Dockerfile and packaging/compose.yaml, built
# and run with podman (tests/systemd/container_test.py).
#   packaging/package_test.sh [STEP...]     some of: lintian life readme container; default: all
# SHINGLED_SUITE=trixie tries the steps lintian and life with Debian 13, which has Dovecot 2.4: the package is compiled in a
# Debian 13 first.
# The package comes from packaging/deb.sh. With SHINGLED_BINARY nothing is compiled; that program is packed. With
# SHINGLED_PACKAGE nothing is packed, either; that package is tested. Without both, the upgrade is from the package of the
# commit SHINGLED_BEFORE, HEAD~1 by default.
# Needs root. Takes about 6 minutes without compiling; the first time 9 more, for Debian's packages, which are kept in
# ~/.cache/shingled-package. Exit code 0 when everything is as it must be, 77 without root.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
case ${1:-} in -h|--help) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ "$(id -u)" -eq 0 ] || { echo "package_test.sh: needs root" >&2; exit 77; }
for step in "$@"; do
  case $step in lintian|life|readme|container) ;; *) echo "package_test.sh: unknown step '$step'" >&2; exit 64 ;; esac
done
wanted() { [ -z "$steps" ] || [[ " $steps " == *" $1 "* ]]; }
steps="$*"
suite=${SHINGLED_SUITE:-bookworm}
case $suite in
  bookworm) ;;
  trixie)
    for step in ${steps:=lintian life}; do
      case $step in lintian|life) ;; *) echo "package_test.sh: $step is tried with bookworm alone" >&2; exit 64 ;; esac
    done ;;
  *) echo "package_test.sh: unknown suite '$suite' (bookworm, trixie)" >&2; exit 64 ;;
esac
packaging/install_dependencies.sh package

cache=${XDG_CACHE_HOME:-$HOME/.cache}/shingled-package
work=$PWD/build/deb/test
mkdir -p "$cache" "$work"
root=
trap '[ -z "$root" ] || rm -rf "$root"' EXIT

# group NAME: the packages of a group of packaging/dependencies, separated by blanks.
group() { awk -v group="$1" '$1 == group { printf "%s ", $2 }' packaging/dependencies; }

# depends PACKAGE: what the package needs beside it, separated by blanks.
depends() { dpkg-deb -f "$1" Depends Pre-Depends | sed 's/^[A-Za-z-]*: //' | tr ',\n' '\n\n' | awk '{ printf "%s ", $1 }'; }

# debian NAME INSTALLED FETCHED: sets `tar` to an empty Debian with the packages INSTALLED, and with the files of the
# packages FETCHED in apt's cache, because the containers have no network.
debian() {
  tar=$cache/$1-$(echo "$suite $2 / $3" | sha256sum | cut -c1-12).tar
  [ ! -e "$tar" ] || return 0
  echo "making a Debian $suite ($1)"
  mmdebstrap --quiet --variant=minbase --skip=cleanup/apt --include="$(echo $2 | tr ' ' ,)" \
    --customize-hook="chroot \"\$1\" apt-get install -y -qq --no-install-recommends --download-only $3 >/dev/null" \
    "$suite" "${tar%.tar}.part.tar"
  mv "${tar%.tar}.part.tar" "$tar"
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

# compile REVISION OUTPUT: the package of a commit (empty: of the files that are here), compiled in the suite. What was
# compiled is kept for the next time.
compile() {
  local arguments=()
  [ -z "$1" ] || arguments=(--revision "$1")
  if [ "$suite" = bookworm ]; then
    packaging/deb.sh "${arguments[@]}" --output "$2"
    return
  fi
  debian build "git $(group build) $(group deb)" apt
  unpack
  mkdir -p "$2" "build/deb/$suite" "$cache/ccache-$suite" "$root/src" "$root/ccache"
  git config --file "$root/etc/gitconfig" safe.directory '*'
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
    mount --bind . "$0/src" && mount --bind "build/deb/$1" "$0/src/build/deb" && mount --bind "$2" "$0/ccache" && root=$0 &&
    shift 2 && exec chroot "$root" env CCACHE_DIR=/ccache /src/packaging/deb.sh "$@"' \
    "$root" "$suite" "$cache/ccache-$suite" "${arguments[@]}"
  mv "build/deb/$suite"/shingled_*.deb "$2"
}

begin=$SECONDS
package=${SHINGLED_PACKAGE:-}
if [ -z "$package" ] && [ -n "${SHINGLED_BINARY:-}" ]; then
  packaging/deb.sh --output "$work"
  package=$(ls -t "$work"/shingled_*.deb | head -n 1)
elif [ -z "$package" ]; then
  compile "" "$work"
  package=$(ls -t "$work"/shingled_*.deb | head -n 1)
fi
echo "== package: $((SECONDS - begin)) s =="

if wanted lintian; then
  lintian --pedantic --fail-on warning --allow-root "$package"
  echo "== lintian: clean =="
fi

if wanted life; then
  begin=$SECONDS
  # The package of the commit before, with a lower version and other settings in /etc, so that the upgrade has something
  # to decide. Where nothing is compiled, it has the same program.
  before=$package
  if [ -z "${SHINGLED_BINARY:-}${SHINGLED_PACKAGE:-}" ]; then
    compile "${SHINGLED_BEFORE:-HEAD~1}" "$work/before"
    before=$(ls -t "$work/before"/shingled_*.deb | head -n 1)
  fi
  debian life "systemd systemd-sysv dbus postfix procps python3-minimal libpython3-stdlib dovecot-imapd dovecot-sieve" \
    "$(depends "$package")"
  unpack
  mkdir -p "$root/usr/local/share/packages"
  cp "$package" "$root/usr/local/share/packages/new.deb"
  rm -rf "$work/older"
  dpkg-deb -R "$before" "$work/older"
  sed -i 's/^Version: .*/Version: 0.0.9/' "$work/older/DEBIAN/control"
  echo '# The settings of version 0.0.9.' >>"$work/older/etc/shingled/shingled.yaml"
  dpkg-deb --root-owner-group -Zgzip -b "$work/older" "$root/usr/local/share/packages/old.deb" >/dev/null
  rm -rf "$work/older"
  install -m 755 tests/systemd/life.py tests/systemd/package_life.py "$root/usr/local/sbin/"
  cp -r packaging/samples "$root/usr/local/share/samples"
  boot life /usr/local/sbin/package_life.py
  echo "== life: $((SECONDS - begin)) s =="
fi

if wanted readme; then
  begin=$SECONDS
  debian readme "systemd systemd-sysv dbus postfix procps python3-minimal libpython3-stdlib git autopkgtest" \
    "$(group build) $(group deb) $(group run)"
  unpack
  # The lines of the section "Install", as they are. The container has no network, so git finds the project's address in a
  # clone of this checkout; and compiling once more would take 10 minutes, so what the package has is packed again.
  sed -n '/^## Install$/,/^## /s/^    //p' README.md >"$work/lines"
  [ "$(wc -l <"$work/lines")" -le 12 ] && grep -q '^git clone ' "$work/lines" ||
    { echo "package_test.sh: README.md has no section Install of at most 12 lines that begins with git clone" >&2; exit 65; }
  address=$(awk '$1 == "git" && $2 == "clone" { print $3 }' "$work/lines")
  git clone --quiet --bare . "$root/usr/local/src/shingled.git"
  git config --file "$root/etc/gitconfig" "url.file:///usr/local/src/shingled.git.insteadOf" "$address"
  git config --file "$root/etc/gitconfig" safe.directory '*'
  dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/shingled >"$root/usr/local/lib/shingled"
  chmod +x "$root/usr/local/lib/shingled"
  install -m 755 tests/systemd/life.py tests/systemd/readme_life.py "$root/usr/local/sbin/"
  cp "$work/lines" "$root/usr/local/share/lines"
  cp -r packaging/samples "$root/usr/local/share/samples"
  mkdir "$root/usr/local/share/autopkgtest"
  cp -r packaging/debian "$root/usr/local/share/autopkgtest/debian"
  boot readme /usr/local/sbin/readme_life.py
  echo "== readme: $((SECONDS - begin)) s =="
fi

if wanted container; then
  begin=$SECONDS code=0
  debian container apt "systemd-standalone-sysusers postfix ca-certificates $(group build) $(group deb) $(group run)"
  tests/systemd/container_test.py "$package" "$tar" || code=$?
  if [ $code -eq 77 ]; then
    echo "podman cannot be used here, so the second stage of packaging/Dockerfile is replayed in a chroot"
    code=0
    unpack
    install -m 755 packaging/container/entrypoint.sh "$root/usr/local/bin/shingled-entrypoint"
    install -m 755 tests/systemd/container_life.sh "$root/usr/local/sbin/"
    cp packaging/Dockerfile "$root/usr/local/share/"
    cp "$package" "$root/usr/local/share/shingled_new.deb"
    unshare --mount --net --pid --fork sh -c 'ip link set lo up 2>/dev/null; mount -t proc proc "$0/proc" &&
      mount --bind /dev "$0/dev" && exec chroot "$0" /usr/local/sbin/container_life.sh' "$root" | tee "$work/container.log"
    grep -q '^all steps are as they must be$' "$work/container.log" || code=1
  fi
  [ $code -eq 0 ] || { echo "package_test.sh: container failed" >&2; exit 1; }
  echo "== container: $((SECONDS - begin)) s =="
fi
