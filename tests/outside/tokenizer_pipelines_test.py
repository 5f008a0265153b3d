# SPDX-License-Identifier: Apache-2.0
# tests/outside/tokenizer_pipelines_test.py: random tokenizer.json files, of every step that is
# known here, against the package `tokenizers`: the same tokens, the same text again, or an error.
"""Needs the packages tokenizers and sentencepiece, whose rules of normalisation files have.
`COUNT=5000 tokenizer_pipelines_test.py` makes as many files."""

import base64
import io
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

from tenon_ctypes import TenonError
from tenon_tokenizer import ADD, READ, Ours, runtime
from tokenizer_patterns_test import texts

os.environ["RUST_BACKTRACE"] = "0"  # where the package raises
try:
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    from tokenizers import Tokenizer, pre_tokenizers
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

COUNT = int(os.environ.get("COUNT", "500"))
PATTERNS = (r"\s+", r"\p{L}+", r"\d{1,3}", r"[^\s\p{L}]", r"\b", " ", "a", "")
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SCHEMES = ("always", "first", "never")
ADDED = ("<s>", "</s>", "[CLS]", "<m>", "\n\n", " ", "ab", "hello", "World", "a")


def rules(name):
    """Of SentencePiece, as tokenizer.json has them."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a text", "of words"]),
        model_writer=made,
        vocab_size=20,
        hard_vocab_limit=False,
        normalization_rule_name=name,
        minloglevel=2,
    )
    model = sentencepiece_model_pb2.ModelProto.FromString(made.getvalue())
    return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


class Files:
    """Files by chance."""

    def __init__(self, seed, letters):
        self.random = random.Random(seed)
        self.letters = letters
        self.rules = [rules(name) for name in ("nmt_nfkc", "nmt_nfkc_cf", "nfkc")]

    def flag(self, share=0.5):
        return self.random.random() < share

    def one(self, *choices):
        return self.random.choice(choices)

    def pattern(self):
        if self.flag():
            return {"Regex": self.one(*PATTERNS)}
        return {"String": self.one(" ", "a", "ab", "\n")}

    def step(self, steps, depth=0):
        """Of {type: how its fields are made}; a Sequence has up to three of the others."""
        kind = self.one(*steps)
        made = {"type": kind, **steps[kind]()}
        for value in made.values():
            if depth == 0 and isinstance(value, list):
                rest = {name: fields for name, fields in steps.items() if name != "Sequence"}
                value.extend(self.step(rest, 1) for _ in range(self.random.randint(0, 3)))
        return made

    def normalizer(self):
        return self.step(
            {
                **dict.fromkeys(
                    ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "ByteLevel", "Nmt"),
                    dict,
                ),
                "Precompiled": lambda: {"precompiled_charsmap": self.one(*self.rules)},
                "Sequence": lambda: {"normalizers": []},
                "Strip": lambda: {"strip_left": self.flag(), "strip_right": self.flag()},
                "Prepend": lambda: {"prepend": self.one("▁", " ", "x")},
                "Replace": lambda: {
                    "pattern": self.pattern(),
                    "content": self.one("", " ", "▁", "zz"),
                },
                "BertNormalizer": lambda: {
                    "clean_text": self.flag(),
                    "handle_chinese_chars": self.flag(),
                    "strip_accents": self.one(None, True, False),
                    "lowercase": self.flag(),
                },
            }
        )

    def pre_tokenizer(self):
        return self.step(
            {
                **dict.fromkeys(
                    ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"), dict
                ),
                "FixedLength": lambda: {"length": self.one(1, 3, 5)},
                "Sequence": lambda: {"pretokenizers": []},
                "ByteLevel": lambda: {
                    "add_prefix_space": self.flag(),
                    "trim_offsets": True,
                    "use_regex": self.flag(),
                },
                "Split": lambda: {
                    "pattern": self.pattern(),
                    "behavior": self.one(*BEHAVIORS),
                    "invert": self.flag(0.3),
                },
                "Punctuation": lambda: {"behavior": self.one(*BEHAVIORS)},
                "Digits": lambda: {"individual_digits": self.flag()},
                "CharDelimiterSplit": lambda: {"delimiter": self.one(" ", "a", "-")},
                "Metaspace": lambda: {
                    "replacement": self.one("▁", "_"),
                    "prepend_scheme": self.one(*SCHEMES),
                    "split": self.flag(),
                },
            }
        )

    def decoder(self):
        return self.step(
            {
                **dict.fromkeys(("ByteFallback", "Fuse"), dict),
                "Sequence": lambda: {"decoders": []},
                "ByteLevel": lambda: {
                    "add_prefix_space": True,
                    "trim_offsets": True,
                    "use_regex": True,
                },
                "WordPiece": lambda: {"prefix": "##", "cleanup": self.flag()},
                "BPEDecoder": lambda: {"suffix": "</w>"},
                "Metaspace": lambda: {
                    "replacement": self.one("▁", "_"),
                    "prepend_scheme": self.one(*SCHEMES),
                    "split": True,
                },
                "CTC": lambda: {
                    "pad_token": self.one("?", "a", ""),
                    "word_delimiter_token": self.one("|", "b", ""),
                    "cleanup": self.flag(),
                },
                "Strip": lambda: {
                    "content": self.one(" ", "a"),
                    "start": self.one(0, 1, 2),
                    "stop": self.one(0, 1, 2),
                },
                "Replace": lambda: {"pattern": self.pattern(), "content": self.one("", " ", "q")},
            }
        )

    def byte_pairs(self):
        prefix, suffix = self.one("", "", "##"), self.one("", "", "</w>")
        words = ["?"]
        for letter in self.letters:
            words += [start + letter + end for start in {"", prefix} for end in {"", suffix}]
        words = sorted(set(words))
        known, merges = set(words), []
        for _ in range(self.random.randint(0, 25)):
            left, right = self.one(*"abehilorst"), self.one(*"abehilorst")
            if [left, prefix + right] not in merges:
                merges.append([left, prefix + right])
                words += [] if left + right in known else [left + right]
                known.add(left + right)
        if self.flag():
            words += [word for word in ("hello", "<s>") if word not in known]
        fallback = self.flag(0.3)
        if fallback:  # of some bytes, bytes come before what is unknown and stands before them
            share = self.one(0.9, 1)
            words += [f"<0x{byte:02X}>" for byte in range(256) if self.flag(share)]
        return {
            "type": "BPE",
            "dropout": None,
            "unk_token": "?",
            "continuing_subword_prefix": prefix or None,
            "end_of_word_suffix": suffix or None,
            "fuse_unk": self.flag(),
            "byte_fallback": fallback,
            "ignore_merges": self.flag(0.3),
            "vocab": {word: number for number, word in enumerate(words)},
            "merges": merges,
        }

    def word_pieces(self):
        some = self.random.sample(self.letters, len(self.letters) * 3 // 4)
        words = ["?", "hello", "##lo", "wor", "##ld", "ab", "##ab"]
        words += [start + letter for letter in some for start in ("", "##") if letter != "?"]
        return {
            "type": "WordPiece",
            "unk_token": "?",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": self.one(100, 5),
            "vocab": {word: number for number, word in enumerate(words)},
        }

    def pieces(self):
        words = ["<unk>", "▁", "hello", "▁hello", "lo", "ab", "▁a", "or", "ld", "aaa", "漢字"]
        words += self.random.sample(self.letters, len(self.letters) * 3 // 4)
        fallback = self.flag(0.3)
        if fallback:
            words += [f"<0x{byte:02X}>" for byte in range(256)]
        scores = {word: -round(self.random.uniform(0, 12), 4) for word in dict.fromkeys(words)}
        return {
            "type": "Unigram",
            "unk_id": 0,
            "byte_fallback": fallback,
            "vocab": [list(each) for each in scores.items()],
        }

    def words(self):
        words = ("?", "hello", "World", "a", "ab", "1", "23", ".", "é", "漢字", "x", "▁hello", "▁a")
        return {
            "type": "WordLevel",
            "unk_token": "?",
            "vocab": {word: number for number, word in enumerate(words)},
        }

    def post_processor(self, vocab):
        token = self.one(*sorted(vocab))
        named, other = [token, vocab[token]], ["?", vocab.get("?", 0)]
        kind = self.one("BertProcessing", "RobertaProcessing", "TemplateProcessing", "ByteLevel")
        bytes_ = {"type": "ByteLevel", "add_prefix_space": self.flag(), "trim_offsets": self.flag()}
        bytes_["use_regex"] = True
        if kind == "ByteLevel":
            return bytes_
        made = {"type": kind, "sep": named, "cls": other}
        if kind == "RobertaProcessing":
            made |= {"trim_offsets": self.flag(), "add_prefix_space": self.flag()}
        if kind == "TemplateProcessing":
            around = [
                {"SpecialToken": {"id": "x", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ]
            made = {
                "type": kind,
                "single": around + around[:1] if self.flag() else around,
                "pair": [around[1], {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {
                    "x": {"id": "x", "ids": [named[1], other[1]], "tokens": [token, "?"]}
                },
            }
        return {"type": "Sequence", "processors": [bytes_, made]} if self.flag(0.3) else made

    def added_tokens(self, vocab):
        added, free = [], len(vocab)
        for content in self.random.sample(ADDED, self.random.randint(0, 4)):
            number = vocab.get(content, free)
            free += content not in vocab
            special = content.startswith(("<s", "</", "[")) or self.flag(0.2)
            added.append(
                {
                    "id": number,
                    "content": content,
                    "single_word": self.flag(0.2),
                    "lstrip": self.flag(0.25),
                    "rstrip": self.flag(0.25),
                    "normalized": not special and self.flag(),
                    "special": special,
                }
            )
        return sorted(added, key=lambda token: token["id"])

    def file(self):
        model = self.one(self.byte_pairs, self.word_pieces, self.words, self.pieces)()
        vocab = model["vocab"]
        if isinstance(vocab, list):
            vocab = {word: number for number, (word, _) in enumerate(vocab)}
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": self.added_tokens(vocab),
            "normalizer": self.normalizer() if self.flag(0.6) else None,
            "pre_tokenizer": self.pre_tokenizer() if self.flag(0.8) else None,
            "post_processor": self.post_processor(vocab) if self.flag(0.3) else None,
            "decoder": self.decoder() if self.flag(0.8) else None,
            "model": model,
        }


def asked(call, *arguments):
    """What a call of the package gives; None where it raises, panics among them."""
    try:
        return call(*arguments)
    except BaseException:  # noqa: BLE001 - its panics are not Exceptions
        return None


class Pipelines(unittest.TestCase):
    def differences(self, ours, theirs, words):
        """A line for each text that became other tokens, or they another text."""
        for text in words:
            adds = len(text) % 2 == 0
            expected = asked(lambda *of: theirs.encode(of[0], None, False, of[1]).ids, text, adds)
            if expected is None:
                continue
            try:
                made = ours.encode(text, READ | (ADD if adds else 0))
            except TenonError:
                self.refused += 1
                continue
            self.encoded += 1
            if ours.numbers(made) != expected:
                yield f"{text!r}: {ours.numbers(made)}, not {expected}"
            else:
                right = asked(lambda ids=expected: theirs.decode(ids, skip_special_tokens=False))
                if right is not None and ours.decode(made) != right:
                    yield f"{text!r}: {ours.decode(made)!r}, not {right!r}"
            ours.runtime.library.tenon_tensor_release(made)

    def test_random_files(self):
        words = texts(random.Random(5), 30)
        for before, after in (("hello ", "\n\n hi"), ("a", "b"), (" ", " x")):
            words += [before + each + after for each in ADDED]
        letters = set("".join(words)) | set("▁#") | set(pre_tokenizers.ByteLevel.alphabet())
        files = Files(54, sorted(letters))
        host = runtime()
        self.encoded, self.refused, loaded, wrong = 0, 0, 0, []
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tokenizer.json"
            for _ in range(COUNT):
                file = files.file()
                theirs = asked(Tokenizer.from_str, json.dumps(file))
                if theirs is None:
                    continue
                path.write_text(json.dumps(file))
                try:
                    ours = Ours(host, path)
                except TenonError as refusal:
                    self.assertIn(" added token", str(refusal))  # normalised to nothing, or alike
                    continue
                loaded += 1
                found = list(self.differences(ours, theirs, words))
                del file["model"]["vocab"]
                wrong += [f"{found[0]} by {json.dumps(file)}"] if found else []
                ours.close()
        print(f"{COUNT} files, {loaded} loaded: {self.encoded} texts, {self.refused} refused here")
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertGreater(loaded, 0.95 * COUNT)
        self.assertLess(self.refused, 0.01 * self.encoded)


if __name__ == "__main__":
    unittest.main(verbosity=2)
