# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_schema.py: reads an op's schema text (docs/schema.md) for the extension
# module, which turns arguments into operands and attributes by it.
"""Texts come from the core, which has checked them and writes one spelling."""

INT, FLOAT, BOOL, TEXT, NUMBER, DTYPE, INTS = range(7)
_KINDS = {"int": INT, "float": FLOAT, "bool": BOOL, "str": TEXT, "number": NUMBER}
_LITERALS = {"true": "True", "false": "False", "none": "None"}
_DTYPES = {
    "bool": "bool",
    "u8": "uint8",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}


def _closing(text, start):
    """The place of the bracket that closes the one at `start`."""
    depth, quoted, at = 0, False, start
    while True:
        mark = text[at]
        if mark == "\\":
            at += 1
        elif mark == '"':
            quoted = not quoted
        elif not quoted:
            depth += (mark in "([") - (mark in ")]")
            if depth == 0:
                return at
        at += 1


def _split(text):
    """Parts between commas that stand in no bracket and no text."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, mark in enumerate(text):
        if mark == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (mark in "([") - (mark in ")]")
            if mark == "," and depth == 0:
                parts.append(text[start:at].strip())
                start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


class Schema:
    """What a schema says, in parts.

    inputs      [(name, type, is_list, is_optional), ...]
    attributes  [(name, kind, count, default), ...]; kind as above, default is Python text, or None
                where the attribute is required
    outputs     [(name, type), ...], without those that only a backward wants
    """

    def __init__(self, text):
        opening = text.index("(")
        closing = _closing(text, opening)
        self.inputs, self.attributes = [], []
        into = self._add_input
        for part in _split(text[opening + 1 : closing]):
            if part == "*":
                into = self._add_attribute
            else:
                into(part)
        self._read_outputs(text[closing + 1 :].lstrip(" ->"))

    def _add_input(self, part):
        name, _, kind = part.partition(": ")
        optional = kind.endswith("?")
        kind = kind.rstrip("?")
        self.inputs.append((name.rstrip("!"), kind.rstrip("*"), kind.endswith("*"), optional))

    def _add_attribute(self, part):
        name, _, rest = part.partition(": ")
        kind, has_default, default = rest.partition("=")
        optional = kind.endswith("?")
        kind = kind.rstrip("?")
        count = 0
        if kind.startswith("int["):
            count, number = int(kind[4:-1] or 0), INTS
        else:
            number = _KINDS.get(kind, DTYPE)
        if has_default:
            default = _LITERALS.get(default, default)
            if number == DTYPE:
                default = _DTYPES.get(default, default)
            elif default in ("inf", "-inf", "nan"):
                default = f'float("{default}")'
        elif optional:
            default = "None"
        else:
            default = None
        self.attributes.append((name, number, count, default))

    def _read_outputs(self, text):
        if text.startswith("("):
            parts = _split(text[1 : _closing(text, 0)])
        else:
            parts = [text.partition(" where ")[0]]
        self.outputs = []
        for part in parts:
            if not part.startswith("aux "):
                name, _, kind = part.rpartition(": ")
                self.outputs.append((name, kind))

    def signature(self):
        """As Python would write it: (x, bias=None, *, axis, keepdims=False, out=None)."""
        words = [name + "=None" * optional for name, _, _, optional in self.inputs]
        words.append("*")
        for name, _, _, default in self.attributes:
            words.append(name if default is None else f"{name}={default}")
        return f"({', '.join([*words, 'out=None'])})"


def describe(text):
    """What the extension module keeps of a schema."""
    schema = Schema(text)
    return (
        tuple((name, is_list) for name, _, is_list, _ in schema.inputs),
        tuple((name, kind, count) for name, kind, count, _ in schema.attributes),
        len(schema.outputs),
        schema.signature(),
    )


def make_signature(op):
    """An inspect.Signature of an op."""
    import inspect

    import tenon

    schema = Schema(op.schema)
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if optional else inspect.Parameter.empty,
        )
        for name, _, _, optional in schema.inputs
    ]
    names = {name: getattr(tenon, name) for name in _DTYPES.values()}
    for name, _, _, default in [*schema.attributes, ("out", 0, 0, "None")]:
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is None else eval(default, dict(names)),
            )
        )
    return inspect.Signature(parameters)
