# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_rules.py: what the schema of an op that is written in Python says of dtypes
# and shapes.

import itertools

from tenon import _schema
from tenon._errors import make_refusal


# ---- dtypes -------------------------------------------------------------------------------------


class Types(_schema.Schema):
    """A schema with the dtypes of its variables and the dimensions of its operands."""

    def __init__(self, name, revision):
        super().__init__(name, revision)
        self.variables = {
            each["name"]: [_schema._DTYPES[dtype] for dtype in each["dtypes"]]
            for each in self.said["variables"]
        }

    def rows(self):
        """All dtypes that the variables may have together, but those NumPy lacks."""
        allowed = [[d for d in each if d != "bfloat16"] for each in self.variables.values()]
        return list(itertools.product(*allowed)) if allowed else []


# ---- shapes -------------------------------------------------------------------------------------


_MOST_KNOWN = 256


def _spread_at(dims):
    return next((i for i, each in enumerate(dims) if each.startswith("...")), None)


def _broadcast(shapes):
    """The common shape; None if there is none."""
    merged = []
    for shape in shapes:
        rank = max(len(merged), len(shape))
        merged = [1] * (rank - len(merged)) + merged
        for at, length in enumerate((1,) * (rank - len(shape)) + tuple(shape)):
            if length != 1 and merged[at] not in (1, length):
                return None
            merged[at] = length if merged[at] == 1 else merged[at]
    return tuple(merged)


class ShapeRule:
    """The shapes of outputs: by the letters of the schema, or by a function."""

    def __init__(self, name):
        self.name, self.function, self.lists = name, None, ()
        self._known = {}  # what the letters have said

    def take(self, schema):
        """What `schema` says."""
        self.lists = tuple(is_list for _, _, is_list, _ in schema.inputs)
        self.inputs = [(each["name"], each["dims"]) for each in schema.said["inputs"]]
        self.outputs = [each["dims"] for each in schema.said["outputs"] if not each["aux"]]
        self.attributes = [name for name, *_ in schema.attributes]

    def __call__(self, shapes, attributes):
        if self.function is None:
            found = self._known.get(shapes)
            if found is None:
                found = self._by_letters(shapes)
                if len(self._known) < _MOST_KNOWN:
                    self._known[shapes] = found
            return found
        named = dict(zip(self.attributes, attributes, strict=True))
        given = self.function(*shapes, **named)
        given = [given] if len(self.outputs) == 1 and not _is_nested(given) else list(given)
        if len(given) != len(self.outputs):
            raise make_refusal(
                "value", self.name, "shape", f"{len(self.outputs)} shapes", str(len(given))
            )
        return tuple(tuple(each) for each in given)

    def _by_letters(self, shapes):
        lengths, spreads = {}, []
        for (_, dims), shape, is_list in zip(self.inputs, shapes, self.lists, strict=True):
            if shape is None:
                continue
            for each in shape if is_list else [shape]:
                self._bind(dims, each, lengths, spreads)
        common = _broadcast(spreads)
        if common is None:
            found = ", ".join(map(str, spreads))
            raise make_refusal(
                "SHAPE", self.name, "inputs", "shapes that broadcast together", found
            )
        return tuple(self._output(dims, lengths, spreads, common) for dims in self.outputs)

    @staticmethod
    def _bind(dims, shape, lengths, spreads):
        if dims is None:
            spreads.append(shape)
            return
        at = _spread_at(dims)
        if at is not None:
            behind = len(dims) - at - 1
            spreads.append(shape[at : len(shape) - behind])
            shape = shape[:at] + shape[len(shape) - behind :]
            dims = dims[:at] + dims[at + 1 :]
        lengths.update(zip(dims, shape, strict=False))

    def _output(self, dims, lengths, spreads, common):
        made = []
        for each in [] if dims is None else dims:
            if each.startswith("...") and spreads:
                made += common
            elif each.isdigit():
                made.append(int(each))
            elif each in lengths:
                made.append(lengths[each])
            else:
                raise self._unknown(each)
        if dims is None and not spreads:
            raise self._unknown("the output")
        return common if dims is None else tuple(made)

    def _unknown(self, what):
        return make_refusal(
            "SHAPE",
            self.name,
            "output",
            "a schema whose letters say how large the outputs are",
            f"{what}, which no input has",
            f"@{self.name.rpartition('.')[2]}.shape makes a shape rule of a function",
        )


def _is_nested(shapes):
    return any(not isinstance(each, int) for each in shapes)
