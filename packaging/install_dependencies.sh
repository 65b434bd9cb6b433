#!/usr/bin/env bash
# Installs missing Debian packages of the given groups of packaging/dependencies.
#   packaging/install_dependencies.sh build run test
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

# installed NAME...: whether one of them is.
installed() { { dpkg-query -W -f='${Status}\n' "$@" 2>/dev/null || true; } | grep -q ' installed$'; }

missing=()
for group in "$@"; do
  while read -r names; do
    installed $names || missing+=("$names")
  done < <(awk -v group="$group" '$1 == group { print $2, $3 }' "$here/dependencies")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "need root (or sudo) to install: ${missing[*]}" >&2; exit 77; }
  as_root=(sudo)
fi

# The tests start the test peers in their own directories, so Debian must not start them as services.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod +x "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" apt-get update -qq
for i in "${!missing[@]}"; do
  for package in ${missing[i]}; do  # the first name that this Debian knows
    apt-cache show "$package" >/dev/null 2>&1 && missing[i]=$package && break
  done
done
echo "installing: ${missing[*]}"
echo 'postfix postfix/main_mailer_type select No configuration' | "${as_root[@]}" debconf-set-selections
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
