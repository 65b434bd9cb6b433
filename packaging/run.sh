#!/usr/bin/env bash
# Builds shingled on a Debian 12 and runs it on its embedded default, after showing that it works.
#   packaging/run.sh          demonstration, then the daemon in the foreground until Ctrl-C
#   packaging/run.sh --demo   demonstration, then the end
# The database is $SHINGLED_DIR/fuzzy.db; without SHINGLED_DIR it is kept in build/run, and the demonstration's is
# thrown away. With SHINGLED_BINARY that program is run and nothing is built.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

demo_only=no
case "${1:-}" in
  "") ;;
  --demo) demo_only=yes ;;
  -h|--help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "run.sh: unknown argument '$1' (allowed: --demo)" >&2; exit 64 ;;
esac

shingled=${SHINGLED_BINARY:-}
if [ -z "$shingled" ]; then
  packaging/install_dependencies.sh build run
  cmake --preset release -DSHINGLED_TESTS=OFF -DSHINGLED_BENCH=OFF -B build/run-release >/dev/null
  cmake --build build/run-release -j "$(nproc)"
  shingled=$PWD/build/run-release/milter/shingled
fi

state=${SHINGLED_DIR:-$PWD/build/run}
mkdir -p "$state"
demo=$(mktemp -d)
daemon=
stop() {
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null; } || true
  daemon=
  rm -rf "$demo"
}
trap stop EXIT
trap 'exit 130' INT TERM

milter_port=${SHINGLED_MILTER_PORT:-11339}
fuzzy_port=${SHINGLED_FUZZY_PORT:-11335}
status_port=${SHINGLED_STATUS_PORT:-11340}
where=(-o "milter.socket=inet:$milter_port@127.0.0.1" -o "storage.listen=127.0.0.1:$fuzzy_port"
  -o "status.listen=127.0.0.1:$status_port")

# Starts the daemon on the database $1 and returns when it says that it serves. Nothing is asked before: where another
# program has one of the ports, it would be that one that answers.
start() {
  : >"$demo/log"
  "$shingled" run "${where[@]}" -o "storage.hashfile=$1" 2>"$demo/log" &
  daemon=$!
  while ! grep -q ' started ' "$demo/log"; do
    if ! kill -0 "$daemon" 2>/dev/null; then
      daemon=
      cat "$demo/log" >&2
      ! grep -q 'in use' "$demo/log" || echo "run.sh: another program has one of the ports; name others:" \
        "SHINGLED_MILTER_PORT (now $milter_port), SHINGLED_FUZZY_PORT ($fuzzy_port), SHINGLED_STATUS_PORT ($status_port)" >&2
      exit 69
    fi
    sleep 0.05
  done
}
send() { python3 packaging/milter_client.py --socket "127.0.0.1:$milter_port" "$@"; }
say() { printf '\n%s\n' "$*"; }

start "$demo/fuzzy.db"
say "1. An offer arrives for the first time. Nobody knows it yet, so it passes:"
send packaging/samples/1-offer.eml
say "2. A user reports it:   shingled add --flag denied --weight 20 < packaging/samples/1-offer.eml"
"$shingled" add "${where[@]}" --flag denied --weight 20 < packaging/samples/1-offer.eml
say "3. It comes again with another greeting, another link and a changed sentence:"
send packaging/samples/2-offer-again.eml
say "4. A private letter on the same subject is none of it:"
send packaging/samples/3-letter.eml
say "5. Why? The daemon's own account of the second message:"
"$shingled" scan "${where[@]}" packaging/samples/2-offer-again.eml
kill "$daemon"; wait "$daemon" || true; daemon=
[ "$demo_only" = no ] || { say "The demonstration is over."; exit 0; }

cat <<TEXT

To attach it, leave this running and add

  Postfix, main.cf:      smtpd_milters = inet:127.0.0.1:$milter_port
                         milter_default_action = accept
  Sendmail, sendmail.mc: INPUT_MAIL_FILTER(\`shingled', \`S=inet:$milter_port@127.0.0.1, T=S:30s;R:30s')dnl

and teach it:            $shingled add --flag denied < spam.eml

The daemon runs on $state/fuzzy.db until Ctrl-C.
TEXT
trap - INT TERM
rm -rf "$demo"
exec "$shingled" run "${where[@]}" -o "storage.hashfile=$state/fuzzy.db"
