#!/bin/sh
# Everything that has to be fine before a merge.
set -e
cd "$(dirname "$0")/.."
python -m compileall -q stock
python -m pytest -q tests
