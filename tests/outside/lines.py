# SPDX-License-Identifier: Apache-2.0
# tests/outside/lines.py: lines of text in many scripts, for tests of tokenizers.
"""The same lines for the same seed: of a book, of every script there is, and hostile ones."""

import os
import pathlib
import random
import unicodedata

# All 100,000 take minutes for each tokenizer: TENON_LINES=100000.
COUNT = int(os.environ.get("TENON_LINES", "20000"))

# First and last code points of scripts, signs and pictures; what is not assigned is left out.
BLOCKS = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x531, 0x58A), (0x591, 0x5F4),
    (0x600, 0x77F), (0x900, 0xDFF), (0xE01, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F),
    (0x10A0, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x167F), (0x1780, 0x18AA), (0x1E00, 0x1FFF),
    (0x2000, 0x22FF), (0x2460, 0x27BF), (0x2E80, 0x2FFB), (0x3000, 0x33FF), (0x3400, 0x4DB5),
    (0x4E00, 0x9FA5), (0xA000, 0xA4C6), (0xAC00, 0xD7A3), (0xF900, 0xFAD9), (0xFB00, 0xFDFF),
    (0xFE20, 0xFFEF), (0x10300, 0x1034A), (0x10400, 0x104A9), (0x1D100, 0x1D7FF),
    (0x1F300, 0x1F64F), (0x20000, 0x2A6D6), (0x2F800, 0x2FA1D),
)  # fmt: skip
SPACES = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u180e\u200b\ufeff"
HOSTILE = (
    "\x00\x01\x1b\x7f\xad\ufffd\ufffe\ufeff\u202e\u2066\u200d\u0301\u0327\u0345\u1e9e\u0130"
    "\u017f\u212a\ue000\U000e0001\U0010ffff"
)
# Assigned or changed by Unicode since its version 8: the tables of the package `tokenizers` are of
# that age, Tenon's and SentencePiece's are newer.
NEWER = frozenset((
    0x61D, 0x9FD, 0x9FE, 0xA76, *range(0xAFA, 0xB00), 0xB55, 0xC04, 0xC3C, 0xC77, 0xC84, 0xD00,
    0xD3B, 0xD3C, 0xD81, 0xEBA, 0x166D, 0x180F, 0x1885, 0x1886, 0x32FF,
))  # fmt: skip


def characters(first, last):
    """Those of a block that every Unicode since version 8 knows."""
    every = (chr(point) for point in range(first, last + 1) if point not in NEWER)
    return [each for each in every if unicodedata.category(each) not in ("Cn", "Cs")]


ALPHABETS = [characters(*block) for block in BLOCKS]


def word(source):
    alphabet = source.choice(ALPHABETS)
    return "".join(source.choice(alphabet) for _ in range(source.randint(1, 9)))


def one_script(source):
    alphabet = source.choice(ALPHABETS)
    words = ("".join(source.choices(alphabet, k=source.randint(1, 12))) for _ in range(6))
    return " ".join(words)


def mixed(source):
    return "".join(word(source) + source.choice((" ", "", ", ", ".", "'s ", "  ", "\n"))
                   for _ in range(source.randint(1, 8)))  # fmt: skip


def code(source):
    parts = ("for (i = 0; i < n; ++i)", "    ", "\t\t", "x", "==", "0x7F", "1234567", "3.14e-10",
             "don't", "We'LL", "I'M", "...", "!?", "{}", "</s>", "<unk>", "[SEP]",
             "http://a.b/c?d=1",
             "\r\n", "é", "e\u0301", "ﬁ", "Å", "½", "²")  # fmt: skip
    return "".join(source.choice(parts) for _ in range(source.randint(1, 12)))


def spaced(source):
    return "".join(source.choice(SPACES) * source.randint(1, 4) + source.choice("aZ9é!東")
                   for _ in range(source.randint(1, 8)))  # fmt: skip


def hostile(source):
    kind = source.randint(0, 3)
    if kind == 0:
        return "".join(source.choice(HOSTILE) for _ in range(source.randint(1, 20)))
    if kind == 1:
        return source.choice("aé東😀 \u0301") * source.randint(1, 300)
    if kind == 2:
        return "a" + "".join(source.choice("\u0301\u0327\u0323\u0345\u05b0") for _ in range(40))
    return source.choice(SPACES) * source.randint(0, 40)


def lines(count, seed=20261125):
    """`count` of them, a third from the book that TENON_DATA holds."""
    source = random.Random(seed)
    book = pathlib.Path(os.environ.get("TENON_DATA", "")) / "tinyshakespeare.txt"
    made = []
    if book.is_file():
        made = book.read_text(encoding="utf-8").splitlines()[: count // 3]
    makers = (one_script, mixed, mixed, code, spaced, hostile)
    while len(made) < count:
        made.append(source.choice(makers)(source))
    return made
