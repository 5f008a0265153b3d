#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/tokenizers_rules_lose_marks.sh: tokenizers 0.23.3, normaliser Precompiled, and
# sentencepiece 0.2.3: the same rules (nmt_nfkc) make other texts. The package looks a whole
# cluster of fewer than six bytes up, and takes the shortest rule that it begins with for all of
# it; the library takes the longest rule at each place.
#
# Seen: a ligature fi with an acute accent is "fi" to tokenizers, and the accent is lost; to
# sentencepiece it stays. Half-width ka with its mark becomes ga in sentencepiece alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
  tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/venv/bin/python" - <<'PYTHON'
import io

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import normalizers

made = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["a text of words"] * 3),
    model_writer=made,
    vocab_size=20,
    hard_vocab_limit=False,
    normalization_rule_name="nmt_nfkc",
    add_dummy_prefix=False,
    minloglevel=2,
)
model = sentencepiece_model_pb2.ModelProto.FromString(made.getvalue())
package = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
library = sentencepiece.SentencePieceNormalizer(model_proto=made.getvalue())
for text, ours, theirs in (
    ("\ufb01\u0301", "fi", "fi\u0301"),
    ("\u2460\u0301", "1", "1\u0301"),
    ("\uff76\u3099", "\u30ab\u3099", "\u30ac"),
    ("e\u0301", "\xe9", "\xe9"),
):
    found = package.normalize_str(text), library.normalize(text)
    print(ascii(text), "tokenizers", ascii(found[0]), "sentencepiece", ascii(found[1]))
    assert found == (ours, theirs)
PYTHON
