#!/bin/bash
# The entry of the container. Each variable SHINGLED_SECTION__KEY=value becomes `-o section.key=value`: capitals become
# small, two underscores a dot. The value is YAML; an empty variable is as good as none, since compose files pass on
# variables that nobody has set. Variables without two underscores are others' and are left alone.
#   entrypoint.sh COMMAND [ARGUMENT...]      shingled COMMAND with these settings; no command: run
#   entrypoint.sh shingled [ARGUMENT...]     shingled without them, for commands that have no settings
set -euo pipefail
[ "${1:-}" != shingled ] || exec "$@"
options=()
for name in "${!SHINGLED_@}"; do
  key=${name#SHINGLED_}
  [[ $key == ?*__?* && -n ${!name} ]] || continue
  key=${key//__/.}
  options+=(-o "${key,,}=${!name}")
done
command=${1:-run}
[ $# -eq 0 ] || shift
exec shingled "$command" "${options[@]}" "$@"
