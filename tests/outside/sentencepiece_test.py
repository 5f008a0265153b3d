# SPDX-License-Identifier: Apache-2.0
# tests/outside/sentencepiece_test.py: tenon.sentencepiece against the package `sentencepiece`.
"""Needs sentencepiece; with TENON_DATA also reads tinyshakespeare.txt.

Every line must give the package's tokens, and those tokens and random ones the package's text. One
thing differs between the library 0.1.97 and the package 0.2.3, and in long lines of unigram models
alone: which of two ways is better when the sums of their scores are equal up to the rounding of
floats, in which 0.1.97 sums them over the whole line. There the tokens may differ, if the sums do
not, and the text is the same.
"""

import collections
import ctypes
import io
import os
import pathlib
import random
import sys
import unicodedata
import unittest
from ctypes import byref, c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p

import tenon_ctypes as tenon

try:
    import sentencepiece
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

SEED = int(os.environ.get("TENON_TEST_SEED", "26"))
LINES = 100_000 // 9 + 1  # of each of the nine models
ADD, READ, SKIP = 1, 2, 4

MODELS = {
    "unigram": {"vocab_size": 600},
    "unigram, identity": {
        "vocab_size": 400,
        "normalization_rule_name": "identity",
        "character_coverage": 0.99,
    },
    "unigram, bytes and symbols": {
        "vocab_size": 700,
        "byte_fallback": True,
        "character_coverage": 0.98,
        "pad_id": 3,
        "user_defined_symbols": ["<user>", "<sep>", "ab"],
        "control_symbols": ["<ctl>", "[X]"],
    },
    "unigram, suffixes": {"vocab_size": 500, "treat_whitespace_as_suffix": True},
    "unigram, without begin": {"vocab_size": 500, "bos_id": -1, "self_test_sample_size": 5},
    "pairs": {
        "vocab_size": 600,
        "model_type": "bpe",
        "normalization_rule_name": "nfkc_cf",
        "user_defined_symbols": ["<user>"],
    },
    "pairs, bytes and spaces": {
        "vocab_size": 700,
        "model_type": "bpe",
        "byte_fallback": True,
        "character_coverage": 0.98,
        "remove_extra_whitespaces": False,
        "split_digits": True,
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "allow_whitespace_only_pieces": True,
    },
    "characters": {"vocab_size": 500, "model_type": "char"},
    "words": {"vocab_size": 500, "model_type": "word"},
}

SCRIPTS = [
    "日本語のテキスト、これは文章です。",
    "Привет мир, как дела?",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "①②③ ﬁne ＡＢＣ",
    "한국어 문장입니다",
    "x <user> y <sep> z",
]


def shakespeare():
    folder = os.environ.get("TENON_DATA")
    path = pathlib.Path(folder or "") / "tinyshakespeare.txt"
    if not folder or not path.exists():
        print("without TENON_DATA/tinyshakespeare.txt: lines of the tests' own alone")
        return [f"line {i} of the text that there is, and word{i % 97}" for i in range(6000)]
    return [line for line in path.read_text().split("\n") if line]


def train(options, lines):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines[:6000] + SCRIPTS * 50),
        model_writer=model,
        minloglevel=2,
        num_threads=1,
        hard_vocab_limit=False,
        **options,
    )
    return model.getvalue()


class Drawn:
    """Lines of many scripts, of bytes that are not text, and of what models treat specially."""

    def __init__(self, seed, lines):
        self.random = random.Random(seed)
        self.lines = lines
        points = [
            point
            for point in range(0x110000)
            if not 0xD800 <= point < 0xE000 and unicodedata.category(chr(point))[0] != "C"
        ]
        points += [0, 9, 10, 13, 0x200B, 0x200D, 0xFEFF, 0x2581]
        self.blocks = [points[i : i + 60] for i in range(0, len(points), 60)]
        self.special = ["<user>", "<sep>", "ab", "<s>", "</s>", "<unk>", "<ctl>", "<0x41>", "  "]

    def scripts(self):
        block = self.random.choice(self.blocks)
        letters = [
            chr(self.random.choice(block)) if self.random.random() < 0.8 else " "
            for _ in range(self.random.randrange(40))
        ]
        return "".join(letters).encode()

    def noise(self):
        return bytes(self.random.randrange(256) for _ in range(self.random.randrange(40)))

    def mixture(self):
        words = [self.random.choice(self.special), self.random.choice(self.lines)[:20]]
        line = bytearray("".join(self.random.choices(words, k=6)).encode())
        if line and self.random.random() < 0.5:
            line[self.random.randrange(len(line))] = self.random.choice([0, 0x80, 0xE2, 0xFF])
        return bytes(line)

    def __call__(self, count):
        kinds = [self.scripts, self.scripts, self.noise, self.mixture]
        kinds.append(lambda: self.random.choice(self.lines).encode())
        return [self.random.choice(kinds)() for _ in range(count)]


class Tokenizer:
    def __init__(self, runtime, file):
        self.runtime = runtime
        self.handle = c_void_p()
        runtime.call(
            "tenon_tokenizer_create", b"tenon.sentencepiece", c_uint64(tenon.NUL), file,
            c_uint64(len(file)), None, None, c_uint32(0), byref(self.handle),
        )

    def release(self):
        self.runtime.library.tenon_tokenizer_release(self.handle)

    def encode(self, text, flags=0):
        out = c_void_p()
        self.runtime.call(
            "tenon_tokenizer_call", self.handle, text, c_uint64(len(text)), c_uint32(flags),
            c_int64(0), byref(out),
        )
        tensor = tenon.Tensor(self.runtime, out.value)
        (count,) = tensor.shape()
        tokens = list((c_int64 * count).from_buffer_copy(tensor.get_bytes(8 * count)))
        tensor.release()
        return tokens

    def decode(self, tokens, flags=0):
        tensor = self.runtime.make(
            "tenon_tensor_create_from", c_uint32(tenon.DTYPES["int64"]), None, c_int32(1),
            tenon.int64s([len(tokens)]), tenon.int64s(tokens), c_uint64(8 * len(tokens)),
        )
        text = c_void_p()
        self.runtime.call(
            "tenon_tokenizer_get_text", self.handle, tensor.handle, c_uint32(flags), byref(text)
        )
        tensor.release()
        data, length = c_char_p(), c_uint64()
        self.runtime.library.tenon_text_get(text, byref(data), byref(length))
        found = ctypes.string_at(data, length.value)
        self.runtime.library.tenon_text_release(text)
        return found


class SentencePiece(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runtime = tenon.Runtime()
        cls.runtime.library.tenon_tokenizer_release.restype = None
        cls.runtime.library.tenon_tokenizer_release.argtypes = [c_void_p]
        cls.lines = shakespeare()
        cls.files = {name: train(options, cls.lines) for name, options in MODELS.items()}
        print(f"sentencepiece {sentencepiece.__version__}, seed {SEED}")

    @classmethod
    def tearDownClass(cls):
        cls.runtime.close()

    def both(self, name):
        file = self.files[name]
        ours = Tokenizer(self.runtime, file)
        self.addCleanup(ours.release)
        return ours, sentencepiece.SentencePieceProcessor(model_proto=file)

    def expect_equal(self, ours, theirs, line):
        tokens = theirs.encode(line)
        self.assertEqual(ours.encode(line), tokens, line)
        self.assertEqual(ours.decode(tokens), theirs.decode(tokens, out_type=bytes), line)

    def test_lines(self):
        for number, name in enumerate(MODELS):
            with self.subTest(model=name):
                ours, theirs = self.both(name)
                draw = Drawn(SEED + number, self.lines)
                size = theirs.get_piece_size()
                for line in draw(LINES):
                    self.expect_equal(ours, theirs, line)
                    tokens = [draw.random.randrange(size) for _ in range(draw.random.randrange(9))]
                    self.assertEqual(ours.decode(tokens), theirs.decode(tokens, out_type=bytes))

    def expect_as_good(self, ours, theirs, line):
        found, expected = ours.encode(line), theirs.encode(line)
        if found != expected:
            sums = [sum(map(theirs.get_score, tokens)) for tokens in (found, expected)]
            others = (collections.Counter(found) - collections.Counter(expected)).total()
            rounding = 2.0**-23 * abs(sums[1])  # of one float, at the line's end
            self.assertLess(abs(sums[0] - sums[1]), rounding * max(others, 1))
        text = theirs.decode(expected, out_type=bytes)
        self.assertEqual(ours.decode(found), text)
        self.assertEqual(ours.decode(expected), text)

    def test_long_lines(self):
        for name in MODELS:
            with self.subTest(model=name):
                ours, theirs = self.both(name)
                draw = Drawn(SEED, self.lines)
                is_unigram = MODELS[name].get("model_type", "unigram") == "unigram"
                compare = self.expect_as_good if is_unigram else self.expect_equal
                compare(ours, theirs, b" ".join(draw(5000)))
                compare(ours, theirs, b"a" * 50_000)

    def test_begin_and_end(self):
        for name in MODELS:
            with self.subTest(model=name):
                ours, theirs = self.both(name)
                begin = theirs.bos_id() >= 0
                for line in self.lines[:200]:
                    self.assertEqual(
                        ours.encode(line.encode(), ADD),
                        theirs.encode(line, add_bos=begin, add_eos=True),
                    )

    def test_control_symbols_of_a_text(self):
        ours, theirs = self.both("unigram, bytes and symbols")
        parts = [b"once <user> ", b"<ctl>", b" upon", b"</s>", b"[X]", b"a <pad"]
        known = {symbol: theirs.piece_to_id(symbol) for symbol in ("<ctl>", "</s>", "[X]")}
        expected = []
        for part in parts:
            token = known.get(part.decode())
            expected += theirs.encode(part) if token is None else [token]
        self.assertEqual(ours.encode(b"".join(parts), READ), expected)
        self.assertEqual(ours.encode(b"".join(parts)), theirs.encode(b"".join(parts)))
        kept = [token for token in expected if not theirs.is_control(token)]
        self.assertEqual(ours.decode(expected, SKIP), theirs.decode(kept, out_type=bytes))


if __name__ == "__main__":
    unittest.main()
