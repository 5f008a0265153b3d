# SPDX-License-Identifier: Apache-2.0
# tests/outside/tokenizer_patterns_test.py: regular expressions of tokenizer.json cut texts as the
# package `tokenizers` cuts them: those of published files, and ones made of everything that the
# syntax has.
"""Needs the package tokenizers."""

import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

from tenon_ctypes import TenonError
from tenon_tokenizer import Ours, runtime

os.environ["RUST_BACKTRACE"] = "0"  # where the package raises
try:
    from tokenizers import Tokenizer
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

GENERATED = 2000
# What texts are made of: scripts, marks, digits of several kinds, spaces, ends of lines, signs, and
# what case folding changes the length of.
PARTS = (
    "hello", "World", "I'm", "we'll", "IT'S", "a", "B", "_x9", "don't", "1", "23", "1234567", "4.5",
    "x²", "½", "Ⅷ", "٣٤", "五六", "漢字", "かな", "カタカナ", "ー", "한국어", "привет", "МИР",
    "עברית", "שָׁלוֹם", "العربية", "हिन्दी", "ไทย", "é", "e\u0301", "ß", "SS", "ẞ", "ﬁ", "ſ", "K",
    " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\v", "\u00a0", "\u2003", "\u3000", "\u0085",
    "\u2028", "\u200d", "\ufeff", ".", ",", "!", "?!", "...", "--", "(", ")", "[", "]", "{}", "&&",
    "'", '"', "“", "”", "`", "^", "$", "$5", "#", "@me", "~", "\\", "/", "|", "=", "<s>", "http://",
    "www.a.org", "👍", "👍🏽", "👩\u200d💻", "🇩🇪", "aaa", "abab", "a-b", "\x01", "\x7f", "™", "€",
)  # fmt: skip
ATOMS = (
    "a", "b", "[a-z]", "[^a-z]", r"\w", r"\W", r"\s", r"\S", r"\d", r"\D", r"\h", r"\H", r"\R", ".",
    r"\X", r"\p{L}", r"\p{Lu}", r"\p{M}", r"\p{N}", r"\p{Nd}", r"\P{L}", r"\p{^L}", r"\p{Han}",
    r"\p{Hiragana}", r"\p{Cyrillic}", r"\p{Arabic}", r"\p{Latin}", r"\p{Word}", r"\p{Letter}",
    r"\p{Alpha}", r"\p{Punct}", r"\p{S}", r"\p{P}", r"\p{Z}", r"\p{Emoji}", "[[:alpha:]]",
    "[[:^alpha:]]", "[[:punct:]]", "[[:space:][:digit:]]", "[[:word:]]", "[[:upper:]]",
    r"[\p{L}\p{M}&&[^\p{Han}]]", r"[\w&&[^\d_]]", r"[^\s&&\S]", r"[\W]", r"[\S\n]", r"[^\W\d]",
    r"[a[b-d]]", r"[^[:ascii:]]", "[à-ÿ]", r"[\u0400-\u04FF]", r"[^\r\n\p{L}\p{N}]", r"[\h]", r"\.",
    "'", " ", " ?", r"\n", r"[\r\n]", r"\x{4E00}", r"\u00e9", r"\t", "ss", "(?i:ss)", "(?i:ß)",
    "(?i:k)", "(?i:it's|i'm)", "(?m:.)",
    "(?x: a b )", r"\b", r"\B", "^", "$", r"\A", r"\z",
    r"\Z", r"\G", r"\y", r"\K", "(?=a)", r"(?!\S)", r"(?<=\s)", r"(?<!\p{L})", r"(?>a+)",
    "(?~ab)", "",
)  # fmt: skip
LOOKS = ("(?=", "(?!", "(?<")
# What may not be repeated, or would take the package all its time; groups are not repeated without
# bound either.
PLACES = {r"\b", r"\B", "^", "$", r"\A", r"\z", r"\Z", r"\G", r"\y", r"\K", "",
          "(?~ab)", r"\X", r"\R"}  # fmt: skip
TIMES = ("", "", "", "", "?", "*", "+", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,3}",
         "{,2}", "{2,}", "{1,3}?", "{1,3}+", "{3}+", "{2}?", "{0}", "{1,2}{2}")  # fmt: skip


def texts(random, count):
    return [
        "".join(random.choice(PARTS) for _ in range(random.randint(1, 14))) for _ in range(count)
    ]


def expression(random, depth=0):
    def one():
        if depth < 2 and random.random() < 0.2:
            inner = expression(random, depth + 1)
            start = random.choice(("(", "(?:", "(?i:", "(?>", "(?=", "(?!", "(?<=", "(?<!"))
            return (
                start
                + inner
                + ")"
                + random.choice(("",) if start.startswith(LOOKS) else ("", "?", "{2}", "{1,2}+"))
            )
        if random.random() < 0.02:
            return random.choice((r"\1", r"(?<a>x)", r"\k<a>"))
        atom = random.choice(ATOMS)
        return atom + (
            random.choice(TIMES) if atom not in PLACES and not atom.startswith(LOOKS) else ""
        )

    return "|".join(
        "".join(one() for _ in range(random.randint(1, 3))) for _ in range(random.randint(1, 3))
    )


class Patterns(unittest.TestCase):
    """The model writes where each piece ends, so equal tokens are equal pieces."""

    @classmethod
    def setUpClass(cls):
        cls.runtime = runtime()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name) / "tokenizer.json"
        random_ = random.Random(54)
        cls.texts = texts(random_, 200)
        cls.made = [expression(random_) for _ in range(GENERATED)]
        characters = sorted(set("".join(cls.texts)) | {"#"})
        spellings = [each + end for end in ("", "</w>") for each in characters]
        cls.model = {
            "type": "BPE",
            "vocab": {spelling: number for number, spelling in enumerate(spellings)},
            "merges": [],
            "end_of_word_suffix": "</w>",
            "unk_token": None,
            "continuing_subword_prefix": None,
            "dropout": None,
            "fuse_unk": False,
        }

    def file(self, pattern, step, behavior="Isolated"):
        named = {"pattern": {"Regex": pattern}}
        split = {"type": "Split", "behavior": behavior, "invert": False, **named}
        replace = {"type": "Replace", "content": "#", **named}
        return json.dumps(
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": [],
                "normalizer": replace if step == "Replace" else None,
                "pre_tokenizer": split if step == "Split" else None,
                "post_processor": None,
                "decoder": None,
                "model": self.model,
            }
        )

    def differences(self, patterns, behaviors=("Isolated",)):
        """Lines about patterns that cut otherwise; how many are cut, how many refused by both."""
        wrong, cut, refused, given_up = [], 0, 0, 0
        for i, pattern in enumerate(patterns):
            step = "Replace" if i % 4 == 3 else "Split"
            file = self.file(pattern, step, behaviors[i % len(behaviors)])
            try:
                theirs = Tokenizer.from_str(file)
            except BaseException:  # noqa: BLE001 - its panics are not Exceptions
                theirs = None
            try:
                self.path.write_text(file)
                ours = Ours(self.runtime, self.path)
            except TenonError as refusal:
                refused += 1
                if theirs is not None:
                    wrong.append(f"{pattern!r}: refused here: {refusal}")
                continue
            if theirs is None:
                wrong.append(f"{pattern!r}: refused by the package alone")
                continue
            cut += 1
            for text in self.texts:
                try:
                    expected = theirs.encode(text).ids
                except BaseException:  # noqa: BLE001 - it ends so where a match cannot cut
                    expected = None
                try:
                    found = ours.tokens(text)
                except TenonError as refusal:
                    if "retry-limit" in str(refusal) or "too long" in str(refusal):
                        given_up += 1
                        break
                    found = str(refusal)
                if expected is not None and found != expected:
                    wrong.append(f"{pattern!r} ({step}) on {text!r}: {expected} {found}")
                    break
            ours.close()
        self.assertLess(given_up, 0.02 * len(patterns))
        return wrong, cut, refused

    def test_published_patterns(self):
        path = pathlib.Path(os.environ.get("TENON_OUTSIDE", "")) / "tokenizer_patterns.json"
        if not path.is_file():
            self.skipTest("TENON_OUTSIDE names no folder with tokenizer_patterns.json")
        patterns = json.loads(path.read_text())["patterns"]
        for step in (0, 3):  # as splits, and as replacements
            wrong, cut, refused = self.differences([p for p in patterns for _ in range(4)][step::4])
            print(f"{len(patterns)} published patterns: {cut} cut, {refused} refused by both")
            self.assertEqual(wrong, [])

    def test_made_patterns(self):
        behaviors = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
        wrong, cut, refused = self.differences(self.made, behaviors)
        print(f"{len(self.made)} made patterns: {cut} cut, {refused} refused by both")
        self.assertEqual(wrong, [])
        self.assertGreater(cut, GENERATED * 0.7)


if __name__ == "__main__":
    unittest.main(verbosity=2)
