#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/02_third_party_plugin/test.sh: do programs find a plugin they never heard of?
#
# usage: test.sh <folder of Tenon's programs> <folder of this build's plugins>
# The programs were built without any knowledge of this plugin and are not built again.
set -eu
programs=$1
plugins=$2

fail() {
  echo "test.sh: $*" >&2
  exit 1
}

train() {
  "$programs/01_train_digits" --activation acme.softsign "$@"
}

if TENON_PLUGIN_PATH='' train --epochs 1 2>error.txt; then
  fail 'the op was found without the plugin'
fi
grep -q 'acme.softsign' error.txt || fail "the error does not name the op: $(cat error.txt)"

export TENON_PLUGIN_PATH="$plugins"
"$programs/tenon" explain acme.softsign >explain.txt
grep -q 'softsign' explain.txt || fail 'tenon explain does not know the op'
train --json report.json | tee output.txt
grep -q '"acme.softsign"' report.json || fail 'the report does not name the plugin'
accuracy=$(sed -n 's/^test accuracy: //p' output.txt)
awk -v accuracy="$accuracy" 'BEGIN { exit !(accuracy >= 0.95) }' ||
  fail "accuracy '$accuracy' is below 0.95"
