# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_tokenizers.py: the tokenizers of the registry, as tenon.data has them.
"""`words = tenon.data.load_tokenizer("book.pairs")`, then `words.encode("a text")`."""

import os

from tenon import _core, _errors


def _refuse(operand, expected, found, hint="", kind="value"):
    return _errors.make_refusal(kind, "tokenizer", operand, expected, found, hint)


def _whole(name, number, least):
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number < 2**63:
        raise _refuse(name, f"a number from {least} on", repr(number))
    return number


def _limit(limit):
    return 0 if limit is None else _whole("limit", limit, 1)


def _path(what, path):
    _errors.check_type(what, "path", path, (str, bytes, os.PathLike), "a file's name")
    return os.fspath(path)


class Tokenizer:
    """Text as tokens, numbers from 0 to len() - 1, and back. It never changes, so any number of
    threads may use it. A text is a str, which is encoded as UTF-8, or bytes.

    unknown  the token of what has no other one; None if there is none, as for the three below
    begin    before a text
    end      after it
    pad      fills up the shorter texts of a batch
    """

    def __init__(self, handle):
        self._handle = handle
        self._size, *special = _core.tokenizer_info(handle)
        self.unknown, self.begin, self.end, self.pad = (
            None if token < 0 else token for token in special
        )

    def __len__(self):
        return self._size

    def encode(self, text, *, special=False, read_special=False, limit=None):
        """The tokens of a text, a tensor int64[n].

        special       also those that a model expects around a text, such as [CLS] and [SEP]
        read_special  what is spelt as a special token is that token; else it is text like any
                      other, so that a stranger's text cannot give commands
        limit         the most tokens, special ones included; the text's end is left out
        """
        return _core.encode_text(self._handle, text, special, read_special, _limit(limit))

    def encode_batch(
        self, texts, *, special=False, read_special=False, limit=None, pad=None, side="right",
        to_limit=False,
    ):  # fmt: skip
        """(tokens, mask) of texts: int64[n, length] and bool[n, length], true where a token is the
        text's.

        pad       the token that fills up the shorter ones, if not the tokenizer's own
        side      where they are filled up: "right", after their tokens, or "left"
        to_limit  all rows have `limit` tokens, not as many as the longest text
        special, read_special, limit  as of `encode`
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise _refuse("texts", "a list of texts", type(texts).__name__, "", "type")
        if side not in ("right", "left"):
            raise _refuse("side", "'right' or 'left'", repr(side))
        if to_limit and limit is None:
            raise _refuse("limit", "a number, for to_limit=True", "None")
        pad = -1 if pad is None else _whole("pad", pad, 0)
        return _core.encode_texts(
            self._handle, tuple(texts), special, read_special, _limit(limit), pad, side == "left",
            to_limit,
        )  # fmt: skip

    def decode(self, tokens, *, skip_special=False, errors="strict"):
        """The text of tokens, a str.

        tokens        a tensor of integers [n], or what becomes one: a list, an array
        skip_special  leaves special tokens out
        errors        where they end within a character: "replace", "ignore" and so on, as of
                      bytes.decode
        """
        text = self.decode_bytes(tokens, skip_special=skip_special)
        try:
            return text.decode("utf-8", errors)
        except UnicodeDecodeError as error:
            found = error
        raise _refuse(
            "tokens", "the tokens of UTF-8", f"{found.reason} at byte {found.start}",
            "decode_bytes gives the bytes, errors='replace' a text", "DATA",
        )  # fmt: skip

    def decode_bytes(self, tokens, *, skip_special=False):
        """The same as bytes, which need not be UTF-8: a token may be a part of a character."""
        from tenon._tensor import asarray

        empty = isinstance(tokens, (list, tuple)) and not tokens
        tensor = asarray(tokens, "int64" if empty else None)
        return _core.decode_tokens(self._handle, tensor, skip_special)

    def token(self, number):
        """How the vocabulary spells a token: a str, or bytes that are not UTF-8."""
        spelling, _ = _core.get_token(self._handle, number)
        try:
            return spelling.decode()
        except UnicodeDecodeError:
            return spelling

    def is_special(self, number):
        """Does the token stand for no text?"""
        return _core.get_token(self._handle, number)[1]

    def find(self, spelling):
        """The token that is spelt so, a str or bytes; a LookupError if there is none."""
        return _core.find_token(self._handle, spelling)

    def save(self, path):
        """Writes the tokenizer's file, all at once, for `load_tokenizer`."""
        _core.save_tokenizer(self._handle, _path("save", path))

    def __repr__(self):
        return f"<tokenizer of {len(self)} tokens>"


def tokenizer(name, file=None, **options):
    """The tokenizer of that name in the registry: `tokenizer("tenon.pairs", text=text)`.

    file     the bytes of its file, if it is made of one
    options  as the tokenizer's documentation says: `tenon.query("tokenizers")`
    """
    _errors.check_type("tokenizer", "name", name, str, "a text")
    if file is not None:
        _errors.check_type(name, "file", file, bytes, "bytes; load_tokenizer reads files")
    return Tokenizer(_core.create_tokenizer(name, file, options))


def load_tokenizer(path, name=None, **options):
    """The tokenizer of a file.

    name     that of the registry; None: the one for files whose name ends so
    options  as of `tokenizer`
    """
    if name is not None:
        _errors.check_type("load_tokenizer", "name", name, str, "a text")
    return Tokenizer(_core.load_tokenizer(_path("load_tokenizer", path), name, options))


# Where they are found.
for _each in (Tokenizer, load_tokenizer, tokenizer):
    _each.__module__ = "tenon.data"
