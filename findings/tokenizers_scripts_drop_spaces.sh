#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/tokenizers_scripts_drop_spaces.sh: tokenizers 0.23.3, pre-tokenizer UnicodeScripts:
# spaces, and characters that its tables of Unicode 9 do not have, are lost where they begin a
# text.
#
# Seen: two spaces before a word are in no piece, and a text of spaces has none; between words they
# stay with the word before them. A letter of Unicode 12 that begins a text is lost, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet tokenizers==0.23.3
"$folder/venv/bin/python" - <<'PYTHON'
from tokenizers import pre_tokenizers

scripts = pre_tokenizers.UnicodeScripts()
for text, pieces in (
    ("  hello \u4e16\u754c", ["hello ", "\u4e16\u754c"]),
    ("hello  hello", ["hello  hello"]),
    ("  ", []),
    ("\U00010fe0a", ["a"]),  # ELYMAIC LETTER ALEPH
):
    found = [piece for piece, _ in scripts.pre_tokenize_str(text)]
    print(ascii(text), ascii(found))
    assert found == pieces
PYTHON
