# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_schema.py: what an op takes and gives, for the extension module, which
# turns arguments into operands and attributes by it.
from tenon import _core

INT, FLOAT, BOOL, TEXT, NUMBER, DTYPE, INTS = range(7)
_KINDS = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": TEXT,
    "number": NUMBER,
    "dtype": DTYPE,
    "int[]": INTS,
}
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


# Other names of arguments, as users of NumPy, PyTorch and the array API standard write them. One
# that an op has as a name of its own, or that several arguments of an op could mean, is not taken.
SYNONYMS = {
    "x": ("input", "a", "x1", "self"),
    "a": ("input", "x", "x1"),
    "b": ("other", "x2", "y"),
    "xs": ("tensors", "arrays"),
    "indices": ("index",),
    "axes": ("axis", "dim", "dims"),
    "axis": ("axes", "dim"),
    "keepdims": ("keepdim",),
    "axis0": ("dim0",),
    "axis1": ("dim1",),
    "start_axis": ("start_dim",),
    "end_axis": ("end_dim",),
    "shifts": ("shift",),
    "repetitions": ("reps",),
    "classes": ("num_classes",),
    "stop": ("end",),
    "num": ("steps",),
    "size": ("output_size",),
    "kernel": ("kernel_size",),
}


def _default(said):
    """An attribute's default as Python writes it; None where it is required."""
    if said["required"]:
        return None
    value = said["default"]
    if said["kind"] == "dtype":
        return _DTYPES.get(value, str(value))
    if isinstance(value, str) and said["kind"] != "str":  # what JSON has no number for
        return f'float("{value}")'
    return said["default_text"] if isinstance(value, (str, list)) else str(value)


class Schema:
    """What an op takes and gives, as the runtime says it.

    inputs      [(name, dtype, is_list, is_optional), ...]
    attributes  [(name, kind, count, default), ...]; kind as above, default is Python text, or None
                where the attribute is required
    outputs     [name, ...], without those that only a backward wants
    said        the runtime's words, a dict
    """

    def __init__(self, name, revision):
        import json

        said = self.said = json.loads(_core.query(f"ops/{name}@{revision}"))
        self.inputs = [
            (each["name"], each["dtype"], each["list"], each["optional"]) for each in said["inputs"]
        ]
        self.attributes = [
            (each["name"], _KINDS[each["kind"]], each["count"], _default(each))
            for each in said["attributes"]
        ]
        self.outputs = [each["name"] for each in said["outputs"] if not each["aux"]]

    def dtypes(self):
        """Of each input: which type variable it has, -1 for none; its dtype otherwise; does the
        variable promote?"""
        variables = {each["name"]: at for at, each in enumerate(self.said["variables"])}
        promotes = {each["name"]: each["promote"] for each in self.said["variables"]}
        return [
            (variables.get(dtype, -1), _DTYPES.get(dtype), promotes.get(dtype, False))
            for _, dtype, _, _ in self.inputs
        ]

    def positional(self):
        """How many attributes may be given without a name: those before the first truth, and
        `keepdims` after `axes`. A truth without a name says nothing to who reads it, and libraries
        do not agree where it stands. One that must be given does not follow one that need not."""
        count = 0
        optional = any(each[3] for each in self.inputs)
        for name, kind, _, default in self.attributes:
            if (kind == BOOL and name != "keepdims") or (optional and default is None):
                break
            optional = default is not None
            count += 1
            if kind == BOOL:
                break
        return count

    def synonyms(self):
        """{another name: which input, or attribute after these}"""
        names = [each[0] for each in [*self.inputs, *self.attributes]]
        found = {}
        for place, name in enumerate(names):
            for other in SYNONYMS.get(name, ()):
                if other not in names:
                    found.setdefault(other, []).append(place)
        return {other: places[0] for other, places in found.items() if len(places) == 1}

    def output_names(self):
        """As attributes of a tuple: those of the schema, or "output0", ..."""
        return [name or f"output{place}" for place, name in enumerate(self.outputs)]

    def signature(self):
        """As Python would write it: (x, bias=None, axes=None, keepdims=False, *, out=None)."""
        words = [name + "=None" * optional for name, _, _, optional in self.inputs]
        for name, _, _, default in self.attributes:
            words.append(name if default is None else f"{name}={default}")
        words.insert(len(self.inputs) + self.positional(), "*")
        return f"({', '.join([*words, 'out=None'])})"


def describe(name, revision):
    """What the extension module keeps of an op."""
    schema = Schema(name, revision)
    return (
        tuple(
            (name, is_list, *dtypes)
            for (name, _, is_list, _), dtypes in zip(schema.inputs, schema.dtypes(), strict=True)
        ),
        tuple((name, kind, count) for name, kind, count, _ in schema.attributes),
        tuple(schema.synonyms().items()),
        schema.positional(),
        tuple(schema.output_names()),
        schema.signature(),
    )


def reduce_results(results):
    """What is pickled of several outputs: a tuple."""
    return tuple, (list(results),)


def make_signature(op):
    """An inspect.Signature of an op."""
    import inspect

    import tenon

    schema = Schema(op.name, op.revision)
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if optional else inspect.Parameter.empty,
        )
        for name, _, _, optional in schema.inputs
    ]
    names = {name: getattr(tenon, name) for name in _DTYPES.values()}
    positional = schema.positional()
    for place, (name, _, _, default) in enumerate([*schema.attributes, ("out", 0, 0, "None")]):
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if place < positional
                else inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is None else eval(default, dict(names)),
            )
        )
    return inspect.Signature(parameters)
