# SPDX-License-Identifier: Apache-2.0
# tests/goldens/schema_text.py: what of a schema says which dtypes a call has: type variables,
# promotion, attributes and their defaults (docs/schema.md).

import math
import re
from dataclasses import dataclass

import exact
from sample_text import Dtype, Parser, TensorText

SETS = {
    "any": exact.ALL,
    "bool": ("bool",),
    "int": exact.INTEGERS,
    "uint": ("u8",),
    "float": exact.FLOATS,
    "number": (*exact.INTEGERS, *exact.FLOATS),
}
INPUT = re.compile(r"(\w+)(!?): (\w+)(\[[^]]*\])?(\*?)(\??)")
SIGNED_FOR_U8 = "i16"


@dataclass
class Input:
    name: str
    mutated: bool
    type: str
    is_list: bool


@dataclass
class Attribute:
    kind: str
    default: object  # no default: the attribute is required, and every good sample gives it


class Refused(Exception):
    """The op does not take these dtypes."""


def element(dtype, value):
    """A number that becomes an element, as cast converts it; raises Refused where an integer dtype
    does not hold it."""
    found = exact.converted(dtype, value)
    if exact.is_integer(dtype):
        if not math.isfinite(value) or found != math.trunc(value):
            raise Refused
    return found


def split(text):
    """Parts between commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += (mark in "[(") - (mark in "])")
        if mark == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def promoted(a, b):
    """The common dtype of two, by the table of docs/schema.md."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if exact.is_float(a) != exact.is_float(b):
        return a if exact.is_float(a) else b
    if exact.is_float(a):
        return "f32" if {a, b} == {"f16", "bf16"} else max(a, b, key=exact.FLOATS.index)
    if {a, b} == {"u8", "i8"}:
        return SIGNED_FOR_U8
    return max(a, b, key=lambda dtype: exact.BITS[dtype])


def promoted_weak(dtype, kinds):
    """A dtype that meets numbers of these Python types."""
    if float in kinds:
        return dtype if exact.is_float(dtype) else "f32"
    if int in kinds:
        return "i64" if dtype == "bool" else dtype
    return dtype


class Schema:
    def __init__(self, text):
        head, _, rest = text.partition("(")
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        parameters, where = rest[: end - 1], rest[end:].partition(" where ")[2]
        self.inputs, self.attributes = [], {}
        parts = split(parameters)
        cut = parts.index("*") if "*" in parts else len(parts)
        for part in parts[:cut]:
            name, mark, kind, _, many, _ = INPUT.fullmatch(part).groups()
            self.inputs.append(Input(name, mark == "!", kind, many == "*"))
        for part in parts[cut + 1 :]:
            declared, _, default = part.partition("=")
            name, _, kind = declared.partition(": ")
            value = Parser(default).value() if default else None
            kind = kind.rstrip("?")
            if kind == "float" and value is not None:
                value = float(value)
            self.attributes[name] = Attribute(kind, value)
        self.sets, self.promotes = {}, set()
        for clause in where.split(";") if where else []:
            variable, _, allowed = clause.strip().partition(": ")
            if allowed.endswith(" promote"):
                self.promotes.add(variable)
            names = allowed.removesuffix(" promote").replace(" ", "").split("|")
            self.sets[variable] = [d for name in names for d in SETS.get(name, (name,))]

    def is_variable(self, kind):
        return kind[0].isupper()

    def attrs(self, given):
        """All attributes: as given, else by default. Floats are floats."""
        values = {}
        for name, attribute in self.attributes.items():
            value = given.get(name, attribute.default)
            if attribute.kind == "float" and value is not None:
                value = float(value)
            values[name] = value
        return values

    def bind(self, inputs, attrs):
        """The dtype of each type variable; raises Refused."""
        dtypes = {}
        for slot, given in zip(self.inputs, inputs, strict=False):
            if not self.is_variable(slot.type):
                for tensor in [given] if isinstance(given, TensorText) else given or []:
                    if tensor.dtype != slot.type:
                        raise Refused
        variables = {s.type for s in self.inputs if self.is_variable(s.type)}
        variables |= {a.kind for a in self.attributes.values() if self.is_variable(a.kind)}
        for variable in variables:
            dtypes[variable] = self.decided(variable, inputs, attrs)
        for slot, given in zip(self.inputs, inputs, strict=False):
            dtype = dtypes.get(slot.type, slot.type)
            if type(given) is int and exact.is_integer(dtype):
                if exact.wrapped(dtype, given) != given:
                    raise Refused  # a number that the dtype cannot hold
        return dtypes

    def decided(self, variable, inputs, attrs):
        dtype, kinds = None, set()
        for slot, given in zip(self.inputs, inputs, strict=False):
            if slot.type != variable:
                continue
            for item in given if isinstance(given, list) else [given]:
                if not isinstance(item, TensorText):
                    kinds.add(type(item))
                elif dtype is None:
                    dtype = item.dtype
                elif variable in self.promotes:
                    dtype = promoted(dtype, item.dtype)
                elif dtype != item.dtype:
                    raise Refused
        for name, attribute in self.attributes.items():
            if attribute.kind == variable and isinstance(attrs[name], Dtype):
                dtype = attrs[name].name
        allowed = self.sets.get(variable, exact.ALL)
        if dtype is None:  # numbers alone, or an empty list
            if not kinds:
                return allowed[0]
            dtype = "f32" if float in kinds else "i64" if int in kinds else "bool"
        elif variable in self.promotes:
            dtype = promoted_weak(dtype, kinds)
        if dtype in allowed:
            return dtype
        whole = not exact.is_float(dtype)
        if variable in self.promotes and whole:
            integers = [name for name in allowed if exact.is_integer(name)]
            if integers == ["i64"]:
                return "i64"
            if not integers and "f32" in allowed:
                return "f32"
        raise Refused
