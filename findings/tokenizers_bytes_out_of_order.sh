#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/tokenizers_bytes_out_of_order.sh: tokenizers 0.23.3, BPE with byte_fallback, where the
# vocabulary has some of the bytes: tokens stand in another order than their characters, and their
# offsets name other characters.
#
# Seen: of "x", e with an acute accent, "a" the bytes come first, with the offsets of "x" and of
# themselves, then the unknown token for "x".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet tokenizers==0.23.3
"$folder/venv/bin/python" - <<'PYTHON'
from tokenizers import Tokenizer, models

vocabulary = {"?": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3}
model = models.BPE(vocabulary, [], unk_token="?", byte_fallback=True)
found = Tokenizer(model).encode("x\xe9a")
print(found.tokens, found.offsets)
assert found.tokens == ["<0xC3>", "<0xA9>", "?", "a"], "the text is ?, the bytes, a"
assert found.offsets == [(0, 1), (1, 2), (1, 2), (2, 3)]
PYTHON
