#!/bin/bash
# The entry of the container. Variables SHINGLED_SECTION__KEY=value are settings (shingled --environment), so that
# passwords among them are in no command line.
#   entrypoint.sh COMMAND [ARGUMENT...]      shingled COMMAND with these settings; no command: run
#   entrypoint.sh shingled [ARGUMENT...]     shingled without them, for commands that have no settings
set -euo pipefail
[ "${1:-}" != shingled ] || exec "$@"
command=${1:-run}
[ $# -eq 0 ] || shift
exec shingled "$command" --environment "$@"
