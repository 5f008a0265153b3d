#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/tiktoken_number_of_two_tokens.sh: tiktoken 0.14.0, encoding o200k_harmony: the number
# 200018 is <|endofprompt|> and <|reserved_200018|>, so that one of them does not come back.
#
# Seen: 1,091 special tokens have 1,090 numbers. The ranks, which would be fetched, are left out:
# the list of special tokens does not depend on them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet tiktoken==0.14.0
"$folder/venv/bin/python" - <<'PYTHON'
import collections

from tiktoken_ext import openai_public

openai_public.load_tiktoken_bpe = lambda *_, **__: {}
special = openai_public.ENCODING_CONSTRUCTORS["o200k_harmony"]()["special_tokens"]
counts = collections.Counter(special.values())
twice = {
    token: [text for text in special if special[text] == token]
    for token in counts
    if counts[token] > 1
}
print(len(special), "special tokens,", len(counts), "numbers, twice:", twice)
assert twice == {200018: ["<|endofprompt|>", "<|reserved_200018|>"]}
PYTHON
