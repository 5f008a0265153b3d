# SPDX-License-Identifier: Apache-2.0
# tests/outside/sentencepiece_lines_test.py: models of SentencePiece against the package
# `sentencepiece` on 100,000 lines in many scripts.
"""Needs the package sentencepiece."""

import io
import pathlib
import sys
import tempfile
import unittest

from lines import COUNT, lines
from tenon_tokenizer import Ours, runtime

try:
    import sentencepiece
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

LINES = lines(COUNT)
MODELS = {
    "unigram": {"model_type": "unigram", "pad_id": 3},
    "unigram as it stands, bytes": {
        "model_type": "unigram",
        "normalization_rule_name": "identity",
        "byte_fallback": True,
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
    },
    "byte pairs": {"model_type": "bpe", "user_defined_symbols": ["[SEP]", "don't", "東"]},
    "byte pairs, bytes, lower case": {
        "model_type": "bpe",
        "byte_fallback": True,
        "normalization_rule_name": "nmt_nfkc_cf",
        "split_digits": True,
    },
    "characters": {
        "model_type": "char",
        "normalization_rule_name": "nfkc",
        "treat_whitespace_as_suffix": True,
    },
    "words": {"model_type": "word"},
}


def trained(options):
    model = io.BytesIO()
    sentences = [line for line in LINES[:8000] if line.isascii()] + LINES[-150:]
    sentences = [line for line in sentences if line and "\0" not in line]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=model,
        hard_vocab_limit=False,
        vocab_size=4000,
        minloglevel=2,
        num_threads=2,
        **options,
    )
    return model.getvalue()


def as_likely(model, found, expected):
    """Of a unigram model: two ways to cut a line that are equally good. Which is taken is by the
    rounding of sums, and the library's versions add them in another order."""
    both = [sum(model.get_score(token) for token in tokens) for tokens in (found, expected)]
    same_text = model.decode(found) == model.decode(expected)
    return same_text and abs(both[0] - both[1]) <= 1e-5 * abs(both[1])


class SentencePiece(unittest.TestCase):
    def test_models_of_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, options in MODELS.items():
                with self.subTest(name):
                    path = pathlib.Path(folder) / "a.model"
                    path.write_bytes(trained(options))
                    self.compare(path)

    def compare(self, path):
        theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
        tenon = runtime()
        self.addCleanup(tenon.close)
        ours = Ours(tenon, path)
        self.addCleanup(ours.close)
        wrong = []
        expected = theirs.encode(LINES, num_threads=2)
        back = theirs.decode(expected, num_threads=2)
        for line, tokens, text in zip(LINES, expected, back, strict=True):
            made = ours.encode(line, 0)
            found = ours.numbers(made)
            if found != tokens and not as_likely(theirs, found, tokens):
                wrong.append((line, tokens, found))
            elif found == tokens and ours.decode(made) != text:
                wrong.append((line, text, ours.decode(made)))
            tenon.library.tenon_tensor_release(made)
        self.assertEqual(wrong[:3], [], f"{len(wrong)} lines differ")


if __name__ == "__main__":
    unittest.main()
