# SPDX-License-Identifier: Apache-2.0
# tests/outside/tokenizer_json_test.py: tokenizers against the package `tokenizers`: the same tokens
# and the same text again, for files that it wrote.
"""Needs the package tokenizers."""

import json
import pathlib
import sys
import tempfile
import unittest
from ctypes import c_uint64

from lines import COUNT, lines
from tenon_tokenizer import ADD, READ, SKIP, Ours, runtime

try:
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )
    from tokenizers.implementations import BertWordPieceTokenizer
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

LINES = lines(COUNT)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def trained(tokenizer, trainer, count=6000):
    tokenizer.train_from_iterator(LINES[:count] + LINES[-count:], trainer)
    return tokenizer


def byte_level():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return trained(
        made,
        trainers.BpeTrainer(
            vocab_size=3000,
            show_progress=False,
            special_tokens=["<|endoftext|>", "</s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )


def split_by_expression():
    made = Tokenizer(models.BPE(ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    trained(
        made,
        trainers.BpeTrainer(
            vocab_size=3000,
            show_progress=False,
            special_tokens=["<|begin|>", "<|end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    made.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A <|end|>", special_tokens=[("<|begin|>", 0), ("<|end|>", 1)]
    )
    return made


def bert(lower):
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    trained(
        made,
        trainers.WordPieceTrainer(
            vocab_size=3000,
            show_progress=False,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        ),
    )
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def byte_fallback():
    first = Tokenizer(models.BPE(unk_token="<unk>"))
    first.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    trained(
        first,
        trainers.BpeTrainer(
            vocab_size=2500, limit_alphabet=200, show_progress=False, special_tokens=special
        ),
        1500,
    )
    vocab = first.get_vocab()
    merges = [tuple(each) for each in json.loads(first.to_str())["model"]["merges"]]
    made = Tokenizer(
        models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = first.normalizer
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return made


def metaspace(scheme, unknown, form):
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=unknown))
    made.normalizer = normalizers.Sequence([form(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    made.decoder = decoders.Metaspace(prepend_scheme=scheme)
    trained(
        made,
        trainers.BpeTrainer(
            vocab_size=2000,
            limit_alphabet=300,
            show_progress=False,
            special_tokens=["<unk>", "</s>"],
        ),
    )
    return made


def suffixed():
    made = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence(
        [
            normalizers.NFD(),
            normalizers.StripAccents(),
            normalizers.Strip(),
            normalizers.Replace(Regex(r"\d{3,}"), "#"),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Punctuation("merged_with_previous"),
        ]
    )
    made.decoder = decoders.BPEDecoder(suffix="</w>")
    return trained(
        made,
        trainers.BpeTrainer(
            vocab_size=2000,
            limit_alphabet=300,
            show_progress=False,
            special_tokens=["<unk>"],
            end_of_word_suffix="</w>",
        ),
    )


def prefixed():
    made = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Whitespace(),
            pre_tokenizers.Digits(),
            pre_tokenizers.Punctuation("contiguous"),
        ]
    )
    made.decoder = decoders.WordPiece(cleanup=False)
    trained(
        made,
        trainers.BpeTrainer(
            vocab_size=2000,
            limit_alphabet=300,
            show_progress=False,
            special_tokens=["<unk>"],
            continuing_subword_prefix="##",
        ),
    )
    made.add_tokens(
        [
            AddedToken("é", lstrip=True),
            AddedToken("for", single_word=True),
            AddedToken("1234", rstrip=True),
            AddedToken("don't", normalized=False),
        ]
    )
    made.add_special_tokens([AddedToken("[SEP]", lstrip=True, rstrip=True), "</s>"])
    return made


MADE = {
    "byte level": byte_level,
    "split by an expression": split_by_expression,
    "BERT, lower case": lambda: bert(True),
    "BERT, cased": lambda: bert(False),
    "byte fallback": byte_fallback,
    "metaspace, always": lambda: metaspace("always", True, normalizers.NFKC),
    "metaspace, first": lambda: metaspace("first", False, normalizers.NFKD),
    "suffix of words": suffixed,
    "prefix of pieces, added tokens": prefixed,
}


class TokenizerJson(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runtime = runtime()
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.runtime.close()
        cls.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def compare(self, theirs, ours):
        wrong = []
        for special in (False, True):
            chosen = LINES[::10] if special else LINES
            for line, expected in zip(
                chosen, theirs.encode_batch(chosen, add_special_tokens=special), strict=True
            ):
                made = ours.encode(line, READ | (ADD if special else 0))
                found = ours.numbers(made)
                if found != expected.ids:
                    wrong.append((line, expected.ids, found))
                elif ours.decode(made, SKIP) != theirs.decode(expected.ids):
                    wrong.append((line, theirs.decode(expected.ids), ours.decode(made, SKIP)))
                self.runtime.library.tenon_tensor_release(made)
        self.assertEqual(wrong[:3], [], f"{len(wrong)} lines differ")

    def test_files_of_the_package(self):
        for name, make in MADE.items():
            with self.subTest(name):
                theirs = make()
                theirs.save(str(self.path("tokenizer.json")))
                ours = Ours(self.runtime, self.path("tokenizer.json"))
                self.addCleanup(ours.close)
                self.compare(theirs, ours)

    def test_special_tokens_that_are_text(self):
        theirs = byte_level()
        theirs.save(str(self.path("tokenizer.json")))
        ours = Ours(self.runtime, self.path("tokenizer.json"))
        self.addCleanup(ours.close)
        theirs.encode_special_tokens = True
        for line in ("a</s>b", "<|endoftext|>", "x <|endoftext|> y</s>"):
            self.assertEqual(ours.tokens(line, 0), theirs.encode(line).ids)

    def test_limits(self):
        theirs = split_by_expression()
        theirs.save(str(self.path("tokenizer.json")))
        ours = Ours(self.runtime, self.path("tokenizer.json"))
        self.addCleanup(ours.close)
        for limit in (2, 3, 7, 64):
            theirs.enable_truncation(limit)
            for line in LINES[::997]:
                self.assertEqual(ours.tokens(line, READ | ADD, limit), theirs.encode(line).ids)

    def test_vocabularies_with_merges(self):
        """What is saved of the two files is a tokenizer.json to the package, too."""
        theirs = byte_level()
        model = json.loads(theirs.to_str())["model"]
        vocabulary = self.path("vocab.json")
        vocabulary.write_text(json.dumps(model["vocab"]), "utf-8")
        merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in model["merges"])
        ours = Ours(self.runtime, vocabulary, merges=merges, special="<|endoftext|> </s>")
        self.addCleanup(ours.close)
        saved = str(self.path("saved.json"))
        name = saved.encode()
        self.runtime.call("tenon_tokenizer_save", ours.handle, name, c_uint64(len(name)))
        again = Tokenizer.from_file(saved)
        for line in [*LINES[::20], "a<|endoftext|> </s>b"]:
            found = ours.tokens(line)
            self.assertEqual(found, theirs.encode(line).ids)
            self.assertEqual(found, again.encode(line).ids)
            self.assertEqual(theirs.decode(found), again.decode(found))

    def test_vocabularies_of_bert(self):
        for lower in (True, False):
            vocabulary = sorted(bert(lower).get_vocab().items(), key=lambda each: each[1])
            self.path("vocab.txt").write_text(
                "".join(f"{each[0]}\n" for each in vocabulary), "utf-8"
            )
            theirs = BertWordPieceTokenizer(str(self.path("vocab.txt")), lowercase=lower)
            ours = Ours(self.runtime, self.path("vocab.txt"), "tenon.wordpiece", lower_case=lower)
            self.addCleanup(ours.close)
            self.compare(theirs, ours)


if __name__ == "__main__":
    unittest.main()
