#!/bin/bash
# What packaging/package_test.sh tries in a chroot where podman cannot be used: the steps of the second stage of
# packaging/Dockerfile, then the entry as the user of the image, and its health check.
set -euo pipefail
dockerfile=/usr/local/share/Dockerfile
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d  # as in Debian's images
mkdir /package && cp /usr/local/share/shingled_new.deb /package/shingled_0_any.deb

# Its RUN, but for apt-get update, which needs a network.
run=$(sed -n '/^FROM debian:bookworm-slim/,$p' "$dockerfile" |
  awk '/^RUN / { on = 1; sub(/^RUN /, "") } on { more = sub(/\\$/, ""); printf "%s", $0; if (!more) exit }')
run=${run/apt-get update/true}
DEBIAN_FRONTEND=noninteractive bash -ec "$run" >/dev/null 2>&1 || { echo "FAILED  RUN $run"; exit 1; }
[ ! -e /package ]
echo "ok      RUN of the second stage"

user=$(awk '$1 == "USER" { print $2 }' "$dockerfile")
settings=()
while read -r setting; do settings+=("$setting"); done < <(grep -oE 'SHINGLED_[A-Z0-9_]+=\S+' "$dockerfile" | grep __ | grep -v KEY=value | grep -v DRY_RUN)
as_image=(env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" SHINGLED_MILTER__ACTIONS__REJECT=9
  SHINGLED_PORT=tcp://x setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all
  --inh-caps=-all)
eval "entry=($(sed -n 's/^ENTRYPOINT \[\(.*\)\]/\1/p' "$dockerfile" | tr , ' '))"
eval "command=($(sed -n 's/^CMD \[\(.*\)\]/\1/p' "$dockerfile" | tr , ' '))"
eval "health=($(sed -n 's/^HEALTHCHECK .*CMD \[\(.*\)\]/\1/p' "$dockerfile" | tr , ' '))"

! "${as_image[@]}" "${health[@]}" >/dev/null 2>&1
echo "ok      before the start the health check fails"
"${as_image[@]}" "${entry[@]}" "${command[@]}" 2>/tmp/log &
daemon=$!
for _ in $(seq 300); do ! grep -q ' started ' /tmp/log || break; kill -0 $daemon || break; sleep 0.1; done
grep -q ' started .*milter=inet:11339@0.0.0.0 storage=0.0.0.0:11335' /tmp/log || { echo "FAILED  start"; cat /tmp/log; exit 1; }
[ "$(stat -c %U /proc/$daemon)" = "$user" ]
"${as_image[@]}" "${health[@]}"
echo "ok      the entry runs as $user with the settings of the image; the health check succeeds"
"${as_image[@]}" "${entry[@]}" configtest >/dev/null
kill $daemon
wait $daemon
echo "ok      SIGTERM ends it with exit code 0"
echo "all steps are as they must be"
