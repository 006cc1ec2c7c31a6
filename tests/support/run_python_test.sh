#!/bin/bash
# Runs a file of unittest cases. Bazel's py_test would start `python`, which Debian does not have.
set -eu
export PYTHONPATH="$PWD/bench:$PWD/tools/run:$PWD/tests/support:$PWD/$(dirname "$1")"
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$1"
