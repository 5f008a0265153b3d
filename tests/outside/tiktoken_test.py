# SPDX-License-Identifier: Apache-2.0
# tests/outside/tiktoken_test.py: tenon.tiktoken against the package tiktoken: the expressions of
# its encodings over lines in many scripts, with ranks that are made here.
"""Needs the package tiktoken, but not the published ranks, which it would fetch."""

import base64
import collections
import itertools
import pathlib
import random
import sys
import tempfile
import unittest

from lines import lines
from tenon_ctypes import TenonError
from tenon_tokenizer import READ, Ours, runtime
from tokenizer_patterns_test import texts

try:
    import tiktoken
    from tiktoken_ext import openai_public
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

SPECIAL = {"<|endoftext|>": 900, "<|end|>": 901, "<|endof|>": 905}


# How many the published files have.
RANKS = {"gpt2": 50256, "r50k_base": 50256, "p50k_base": 50280, "p50k_edit": 50280,
         "cl100k_base": 100256, "o200k_base": 199998, "o200k_harmony": 199998}  # fmt: skip


def write(path, ranks):
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items())
    path.write_text("".join(lines))


def patterns():
    """{pattern: an encoding's name} as the package has them, without their ranks."""
    found = {}
    load, gym = openai_public.load_tiktoken_bpe, openai_public.data_gym_to_mergeable_bpe_ranks
    openai_public.load_tiktoken_bpe = lambda *_, **__: {}
    openai_public.data_gym_to_mergeable_bpe_ranks = lambda *_, **__: {}
    try:
        for name, make in openai_public.ENCODING_CONSTRUCTORS.items():
            made = make()
            found[name] = (made["pat_str"], made["special_tokens"])
    finally:
        openai_public.load_tiktoken_bpe = load
        openai_public.data_gym_to_mergeable_bpe_ranks = gym
    return found


def ranks(words, merges):
    """Bytes, and the pairs that stand together most often in the words."""
    parts = [[bytes([byte]) for byte in word.encode()] for word in words]
    known = {bytes([byte]): byte for byte in range(256)}
    for _ in range(merges):
        pairs = collections.Counter(pair for word in parts for pair in itertools.pairwise(word))
        left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
        known.setdefault(left + right, len(known))
        for word in parts:
            for at in range(len(word) - 2, -1, -1):
                if at + 1 < len(word) and (word[at], word[at + 1]) == (left, right):
                    word[at : at + 2] = [left + right]
    return known


class Tiktoken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runtime = runtime()
        cls.addClassCleanup(cls.runtime.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name) / "made.tiktoken"
        cls.lines = lines(1500) + texts(random.Random(7), 500)
        words = [word for line in cls.lines[::5] for word in line.split(" ")][:2000]
        cls.ranks = ranks(words, 250)
        write(cls.path, cls.ranks)

    def compare(self, pattern, ours):
        theirs = tiktoken.Encoding(
            "made", pat_str=pattern, mergeable_ranks=self.ranks, special_tokens=SPECIAL
        )
        wrong = []
        for line in [*self.lines, "a<|endoftext|> b<|end|><|endof|>", "x" * 3000, "ab " * 2000]:
            made = ours.encode(line, READ)
            expected = theirs.encode(line, allowed_special="all")
            if ours.numbers(made) != expected:
                wrong.append((line[:80], ours.numbers(made)[:40], expected[:40]))
            elif ours.decode(made) != line:
                wrong.append((line[:80], ours.decode(made)[:80]))
            self.runtime.library.tenon_tensor_release(made)
            plain = theirs.encode(line, disallowed_special=())
            if ours.tokens(line, 0) != plain:
                wrong.append((line[:80], "without special tokens"))
        self.assertEqual(wrong[:3], [], f"{len(wrong)} lines differ")

    def test_published_expressions(self):
        special = " ".join(f"{spelling}={token}" for spelling, token in SPECIAL.items())
        for name, (pattern, _) in patterns().items():
            with self.subTest(name):
                ours = Ours(self.runtime, self.path, pattern=pattern, special=special)
                self.addCleanup(ours.close)
                self.compare(pattern, ours)

    def test_names_of_encodings(self):
        """By name the expression, the special tokens and the number of ranks are the package's."""
        for name, (pattern, special) in patterns().items():
            with self.subTest(name):
                special.pop("<|reserved_200018|>", None)  # the number is <|endofprompt|>, too
                count = RANKS[name]
                numbers = (at for at in range(2 * count) if at not in special.values())
                tokens = list(self.ranks)
                tokens += [b"\xff" + at.to_bytes(3, "big") for at in range(count - len(tokens))]
                made = dict(zip(tokens, numbers, strict=False))
                path = self.path.with_name(name)
                write(path, made)
                theirs = tiktoken.Encoding(
                    name, pat_str=pattern, mergeable_ranks=made, special_tokens=special
                )
                ours = Ours(self.runtime, path, "tenon.tiktoken", pattern=name)
                self.addCleanup(ours.close)
                for line in [*self.lines[::50], *special, "".join(special)]:
                    expected = theirs.encode(line, allowed_special="all")
                    self.assertEqual(ours.tokens(line), expected)
                with self.assertRaisesRegex(TenonError, "not the ranks"):
                    Ours(self.runtime, self.path, pattern=name)

    def test_possessive_and_ends(self):
        """What tokenizer.json takes otherwise: see tokenizer_patterns_test.py."""
        for pattern in (r"\p{N}{1,3}+|.|\s", r"[^\n]+$|\s|.", r"^.|\S|\s", r"(?s).{1,2}"):
            ours = Ours(self.runtime, self.path, pattern=pattern)
            self.addCleanup(ours.close)
            theirs = tiktoken.Encoding(
                "made", pat_str=pattern, mergeable_ranks=self.ranks, special_tokens={}
            )
            for line in ("1234567", "abc\nabc", "abc\n", "a b\n\nc", "\n"):
                self.assertEqual(ours.tokens(line), theirs.encode(line), (pattern, line))

    def test_a_part_left_out_is_an_error(self):
        """The package leaves it out without a word."""
        ours = Ours(self.runtime, self.path, pattern="[a-z]+")
        self.addCleanup(ours.close)
        with self.assertRaisesRegex(TenonError, "leaves a part"):
            ours.tokens("ab 1")


if __name__ == "__main__":
    unittest.main()
