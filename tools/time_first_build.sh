#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Times the release build from nothing, as a new checkout pays for it: in an output base of its own, without caches.
# Prints the time that passed and the processor's time, Bazel included. The latter says more on a machine that is shared.
#
#   tools/time_first_build.sh [TARGET...]      (default: //tools:ptxmir)
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(mktemp -d)
# Bazel makes folders read-only.
trap 'chmod -R u+w "$base"; rm -rf "$base"' EXIT
(($#)) || set -- //tools:ptxmir

TIMEFORMAT='%R s passed; the processor: %U s user, %S s system'
# In batch mode, Bazel and all that it starts are processes of this shell.
time bazel --batch --output_base="$base" build -c opt --disk_cache= --symlink_prefix=/ --noshow_progress "$@"
