#!/usr/bin/env bash
# Builds shingled on Debian 12, demonstrates it, and runs it with its built-in defaults.
#   packaging/run.sh          demonstration, then the daemon in the foreground until Ctrl-C
#   packaging/run.sh --demo   only the demonstration
# The database is $SHINGLED_DIR/fuzzy.db, by default in build/run. The demonstration uses a temporary database.
# With SHINGLED_BINARY nothing is built; that program is run.
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
  export CCACHE_SLOPPINESS=pch_defines,time_macros  # else it does not cache what uses precompiled headers
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$(nproc)" --target shingled
  shingled=$PWD/build/release/milter/shingled
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
  -o "http.listen=127.0.0.1:$status_port")

# Starts the demonstration's daemon, with the settings that follow, and returns when its log says that it has started. Do not send requests before
# that: if another program has one of the ports, that program would answer.
start() {
  : >"$demo/log"
  "$shingled" run "${where[@]}" "$@" 2>"$demo/log" &
  daemon=$!
  while ! grep -q ' started ' "$demo/log"; do
    if ! kill -0 "$daemon" 2>/dev/null; then
      daemon=
      cat "$demo/log" >&2
      ! grep -q 'in use' "$demo/log" || echo "run.sh: another program uses one of the ports; choose others with" \
        "SHINGLED_MILTER_PORT (now $milter_port), SHINGLED_FUZZY_PORT ($fuzzy_port), SHINGLED_STATUS_PORT ($status_port)" >&2
      exit 69
    fi
    sleep 0.05
  done
}
send() { python3 packaging/milter_client.py --socket "127.0.0.1:$milter_port" "$@"; }
say() { printf '\n%s\n' "$*"; }

# Everybody who reports is one of ours (reports.residents). The counters would have to be days old to tell.
start -o "storage.hashfile=$demo/fuzzy.db" -o "reports.file=$demo/reports.db" -o "reports.residents=all" \
  -o "counters.directory=$demo/counters"
report() { "$shingled" report "${where[@]}" --spam --reporter "$1@example.org" packaging/samples/1-offer.eml; }
say "1. An offer arrives for the first time. Nobody knows it yet, so it passes:"
send packaging/samples/1-offer.eml
say "2. A user reports it, and another one:   shingled report --spam --reporter ann@example.org packaging/samples/1-offer.eml"
report ann
report bob
say "3. It comes again with another greeting, another link and a changed sentence. It is marked:"
send packaging/samples/2-offer-again.eml
say "   Three more people report it. Now it is rejected:"
for who in carol dave erin; do report "$who"; done
send packaging/samples/2-offer-again.eml
say "4. A private letter on the same subject still passes:"
send packaging/samples/3-letter.eml
say "5. Why was the changed offer rejected?   shingled scan < packaging/samples/2-offer-again.eml"
"$shingled" scan "${where[@]}" packaging/samples/2-offer-again.eml
kill "$daemon"; wait "$daemon" || true; daemon=
[ "$demo_only" = no ] || { say "The demonstration is complete."; exit 0; }

cat <<TEXT

To use it with your mail server, leave this running and add

  Postfix, main.cf:      smtpd_milters = inet:127.0.0.1:$milter_port
                         milter_default_action = accept
  Sendmail, sendmail.mc: INPUT_MAIL_FILTER(\`shingled', \`S=inet:$milter_port@127.0.0.1, T=S:30s;R:30s')dnl

Teach it with:           $shingled add --flag denied < spam.eml

The daemon runs with $state/fuzzy.db until you press Ctrl-C.
TEXT
trap - INT TERM
rm -rf "$demo"
exec "$shingled" run "${where[@]}" -o "storage.hashfile=$state/fuzzy.db"
