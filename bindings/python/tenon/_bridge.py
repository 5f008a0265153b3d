# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_bridge.py: what PyTorch's and JAX's modules share: a call's tensors in a
# row, results without values.

import json

from tenon import _schema


def flatten(inputs, given):
    """The tensors of a call in a row, and for each operand of a schema the place of its tensor, a
    list of places, or None. Takes the operands out of `given`, {name: operand}."""
    tensors, places = [], []
    for name, _, is_list, _ in inputs:
        each = given.pop(name, None)
        if is_list:
            places.append(list(range(len(tensors), len(tensors) + len(each))))
            tensors += each
        else:
            places.append(None if each is None else len(tensors))
            tensors += [] if each is None else [each]
    return tensors, places


def infer(op, *arguments, **named):
    """[(shape, dtype), ...] of a call's outputs, the dtype by its name, by the op's own rule; of
    operands (`_core.placeholder`) the values do not count."""
    said = op._explain(*arguments, **named)
    outputs = [each for each in json.loads(said)["outputs"] if not each["aux"]]
    return [(each["shape"], _schema._DTYPES[each["dtype"]]) for each in outputs]


def row_major(shape):
    """The strides, in elements."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))
