#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/tokenizers_repeat_what_tiktoken_takes_once.sh: the same expression cuts otherwise in
# tokenizers 0.23.3 and in tiktoken 0.14.0: {1,3}+ repeats in one and is possessive in the other,
# and $ is the end of each line in one and of the text in the other. tiktoken's own cl100k_base has
# \p{N}{1,3}+.
#
# Seen: 1234567 is one piece to tokenizers; to tiktoken 123, 456 and 7.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
  tokenizers==0.23.3 tiktoken==0.14.0
"$folder/venv/bin/python" - <<'PYTHON'
import tiktoken
from tokenizers import Regex, pre_tokenizers

ranks = {bytes([byte]): byte for byte in range(256)}
ranks |= {word: 256 + at for at, word in enumerate((b"123", b"456", b"1234567", b"ab", b"ab\nab"))}
for pattern, text, ours, theirs in (
    (r"\p{N}{1,3}+", "1234567", ["1234567"], [b"123", b"456", b"7"]),
    (r"\w+$|\s|\w", "ab\nab", ["ab", "\n", "ab"], [b"a", b"b", b"\n", b"ab"]),
):
    cut = pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str(text)
    found = [piece for piece, _ in cut]
    made = tiktoken.Encoding("made", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    tokens = made.decode_tokens_bytes(made.encode(text))
    print(pattern, ascii(text), "tokenizers", found, "tiktoken", tokens)
    assert found == ours and tokens == theirs
PYTHON
