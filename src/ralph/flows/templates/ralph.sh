#!/bin/sh
# Runs the loop over PRD.json; further arguments go to `ralph run`.
cd "$(dirname "$0")" || exit 1
exec ralph run PRD.json "$@"
