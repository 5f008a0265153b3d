# SPDX-License-Identifier: Apache-2.0
# tests/python/random_steps_samples.py: calls of any op of the registry, from the ops' own samples.
"""The grammar of samples is in docs/schema.md. A sample is offered if a call of it succeeds; what
it returns says shapes and dtypes for those who draw."""

import dataclasses
import functools
import json
import math
import random
import re

from support import tenon

DTYPES = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
RANGES = {"u8": (0, 5), "bool": (0, 2)}
LARGEST = 600  # elements of a tensor
E_DATA = 26
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.+-]+|[\[\](){},|=]')


@dataclasses.dataclass
class Operand:
    shape: tuple
    dtype: str
    low: float
    high: float
    values: list | None


@dataclasses.dataclass
class Sample:
    op: str
    tensors: list  # operands that are tensors, in order
    parts: list  # text of operands; None: the next tensor
    attributes: list  # texts
    is_view: bool = False
    writes: bool = False  # some of its operands
    outputs: list = dataclasses.field(default_factory=list)

    def call(self, names):
        names = iter(names)
        parts = [next(names) if part is None else part for part in self.parts]
        vendor, _, name = self.op.partition(".")
        text = f"tenon.op.{vendor}.{name}(" + ", ".join([*parts, *self.attributes]) + ")"
        return text.replace("[, ", "[").replace(", ]", "]").replace("(, ", "(").replace(", )", ")")


class Reader:
    """Reads one sample's text."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.tensors, self.parts, self.attributes = [], [], []

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def read(self):
        while self.peek() not in ("", "|"):
            self.parts.append(self.operand())
            if self.peek() == ",":
                self.next()
        if self.peek() == "|":
            self.next()
            while self.peek():
                name = self.next()
                assert self.next() == "="
                self.attributes.append(f"{name}={self.value()}")
                if self.peek() == ",":
                    self.next()
        return self

    def operand(self):
        token = self.next()
        if token == "[":
            inner = []
            while self.peek() != "]":
                inner.append(self.operand())
                if self.peek() == ",":
                    self.next()
            self.next()
            self.parts.append("[")
            self.parts += inner
            return "]"
        if token in DTYPES and self.peek() == "[":
            return self.tensor(token)
        return self.scalar(token)

    def tensor(self, dtype):
        shape = tuple(int(each) for each in self.listed("[", "]"))
        low, high = RANGES.get(dtype, (-5, 5) if dtype.startswith("i") else (-1, 1))
        values = None
        if self.peek() == "(":
            low, high = (float(each) for each in self.listed("(", ")"))
        elif self.peek() == "{":
            values = [json.loads(self.number(each)) for each in self.listed("{", "}")]
        self.tensors.append(Operand(shape, DTYPES[dtype], low, high, values))
        return None

    def listed(self, begin, end):
        assert self.next() == begin
        found = []
        while (token := self.next()) != end:
            if token != ",":
                found.append(token)
        return found

    @staticmethod
    def number(token):
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(token, token)

    def scalar(self, token):
        words = {"true": "True", "false": "False", "none": "None"}
        if token in ("inf", "-inf", "nan"):
            return f"float('{token}')"
        return words.get(token, token)

    def value(self):
        token = self.next()
        if token == "[":
            self.at -= 1
            return f"[{', '.join(self.listed('[', ']'))}]"
        return repr(DTYPES[token]) if token in DTYPES else self.scalar(token)


@functools.cache
def texts():
    """{op: texts of samples that succeed}, of ops whose sizes do not depend on values; and all ops.
    Ops that refuse some integers have "picky"."""
    ops = {each["name"]: each for each in tenon.query("ops")}
    found = {}
    for each in tenon.query("samples"):
        ops[each["op"]].setdefault("picky", False)
        ops[each["op"]]["picky"] |= each["expect"] == E_DATA
        op = ops[each["op"]]
        refused = {"dynamic-out", "transfer", "library-bits"} & set(op["flags"])
        if each["expect"] == 0 and not refused and op["revision"] == each["revision"]:
            found.setdefault(each["op"], []).append(each["text"])
    return found, ops


@functools.cache
def read(op, text):
    """The sample, or None if it cannot be called here."""
    _, ops = texts()
    try:
        said = Reader(text).read()
    except (AssertionError, IndexError, ValueError):
        return None
    sample = Sample(op, said.tensors, said.parts, said.attributes)
    sample.is_view = "view" in ops[op]["flags"]
    sample.writes = any(each["mutated"] for each in ops[op]["inputs"])
    if any(math.prod(each.shape) > LARGEST for each in sample.tensors):
        return None
    if any(not math.isfinite(each.low + each.high) for each in sample.tensors):
        return None
    for k, each in enumerate(sample.tensors):
        if "int" in each.dtype and ops[op]["picky"]:
            each.values = values_of(each, random.Random(k))
    made = {f"t{k}": tensor(each, random.Random(k)) for k, each in enumerate(sample.tensors)}
    try:
        results = eval(sample.call(list(made)), {"tenon": tenon, **made})
    except Exception:
        return None
    if results is None:
        results = ()
    elif isinstance(results, tenon.Tensor):
        results = (results,)
    for each in results:
        if not isinstance(each, tenon.Tensor) or math.prod(each.shape) > LARGEST:
            return None
        sample.outputs.append(Operand(tuple(each.shape), each.dtype.name, 0, 0, None))
    return sample


def values_of(wanted, rng):
    """The operand's values, or others in its range."""
    count = math.prod(wanted.shape)
    if wanted.values is not None:
        return wanted.values
    if wanted.dtype == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    if "int" in wanted.dtype:
        return [rng.randrange(int(wanted.low), int(wanted.high)) for _ in range(count)]
    return [round(rng.uniform(wanted.low, wanted.high), 4) for _ in range(count)]


def tensor(wanted, rng):
    return tenon.tensor(values_of(wanted, rng), wanted.dtype).reshape(wanted.shape)


# Draws of the caller's generator, so that a seed is one step.
def pick(rng, with_gradient=False):
    found, ops = texts()
    while True:
        op = rng.choice(list(found))
        sample = read(op, rng.choice(found[op]))
        if sample is None or (not sample.outputs and not sample.tensors):
            continue
        if not with_gradient:
            return sample
        floats = [each for each in sample.outputs if "float" in each.dtype]
        if floats and ops[op]["vjp"] and not ops[op]["flags"].count("random"):
            return sample
