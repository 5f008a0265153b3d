#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cmake/split_debug.sh OBJCOPY STRIP READELF FILE: moves FILE's symbols and line numbers to
# FILE.debug. Does nothing if that was done: CMake may run a step after linking more than once.
set -e
if "$3" -S "$4" | grep -q '\.gnu_debuglink'; then exit 0; fi
"$1" --only-keep-debug "$4" "$4.debug"
"$2" "$4"
"$1" --add-gnu-debuglink="$4.debug" "$4"
