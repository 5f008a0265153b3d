# SPDX-License-Identifier: Apache-2.0
# tests/goldens/sample_text.py: the grammar sample/1 of docs/schema.md, read by hand.

import math
import re
from dataclasses import dataclass

import exact

STRING, NUMBER = r'"(?:[^"\\]|\\.)*"', r"-?inf\b|-?\d[\w.]*(?:(?<=[eE])[-+]\d+)?"
TOKEN = re.compile(rf"\s*({STRING}|{NUMBER}|\w+|[][(){{}},|=])")
WORDS = {"true": True, "false": False, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass
class TensorText:
    dtype: str
    shape: tuple
    low: float
    high: float
    given: list | None  # the elements, where the text has them


@dataclass(frozen=True)
class Dtype:
    name: str


def default_range(dtype):
    if exact.is_float(dtype) or dtype == "bool":
        return -1.0, 1.0  # which a bool makes no use of
    return (0.0 if dtype == "u8" else -5.0), 6.0


class Parser:
    def __init__(self, text):
        self.text = text
        self.tokens, at = [], 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"sample column {at + 1}: {text}")
            self.tokens.append(found.group(1))
            at = found.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def many(self, end, item):
        """item {"," item} up to `end`, which is taken; none at all is allowed."""
        items = []
        while not self.accept(end):
            items.append(item())
            self.accept(",")
        return items

    def scalar(self):
        word = self.take()
        if word in WORDS:
            return WORDS[word]
        return int(word) if re.fullmatch(r"-?\d+", word) else float(word)

    def tensor(self):
        dtype = self.take()
        if dtype not in exact.ALL or not self.accept("["):
            raise ValueError(f"not a tensor: {self.text}")
        shape = tuple(self.many("]", self.scalar))
        low, high = default_range(dtype)
        given = None
        if self.accept("("):
            low, high = (float(bound) for bound in self.many(")", self.scalar))
        elif self.accept("{"):
            given = self.many("}", self.scalar)
        return TensorText(dtype, shape, low, high, given)

    def input(self):
        if self.accept("["):
            return self.many("]", self.tensor)
        if self.accept("none"):
            return None
        return self.tensor() if self.peek() in exact.ALL else self.scalar()

    def value(self):
        word = self.peek()
        if self.accept("["):
            return self.many("]", self.scalar)
        if word.startswith('"'):
            return self.take()[1:-1]
        if self.accept("none"):
            return None
        return Dtype(self.take()) if word in exact.ALL else self.scalar()

    def sample(self):
        """The inputs, and the attributes by name."""
        inputs, attrs = [], {}
        while self.peek() not in ("", "|"):
            inputs.append(self.input())
            self.accept(",")
        if self.accept("|"):
            while self.peek():
                name = self.take()
                self.take()
                attrs[name] = self.value()
                self.accept(",")
        return inputs, attrs


def parse(text):
    return Parser(text).sample()


def tensors_of(inputs):
    """All tensors of a call, lists one by one."""
    for item in inputs:
        if isinstance(item, TensorText):
            yield item
        elif isinstance(item, list):
            yield from item
