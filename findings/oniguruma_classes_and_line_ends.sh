#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/oniguruma_classes_and_line_ends.sh: Oniguruma 6.9.8, which Debian 12 has, and 6.9.10,
# which the package tokenizers has: three expressions of the same syntax match otherwise. Both
# versions come with the package onigurumacffi, 1.2.0 and 1.4.1.
#
# Seen: 6.9.8 finds no line end by \R right after [^a]+, and [[:punct:]] has no signs such as +
# there; its \p{Word} has no superscripts, though its \w has.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for versions in 1.2.0,6.9.8 1.4.1,6.9.10; do
  "$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
    "onigurumacffi==${versions%,*}"
  "$folder/venv/bin/python" - "${versions#*,}" <<'PYTHON'
import sys

import onigurumacffi

version = onigurumacffi.__onig_version__
assert version == sys.argv[1]
found = [
    onigurumacffi.compile(pattern).match(text) is not None
    for pattern, text in (
        (r"[^a]+\R", "b\n"),
        ("[[:punct:]]", "+"),
        (r"\p{Word}", "\xb2"),
        (r"\w", "\xb2"),
    )
]
print(version, found)
assert found == ([False, False, False, True] if version == "6.9.8" else [True] * 4)
PYTHON
done
