# SPDX-License-Identifier: Apache-2.0
# tests/goldens/layer_case.py: a case of a layer's golden file, and the numbers it is called with.

import math

LAYER_TOLERANCES = [
    {"dtype": "f64", "ulp": 0, "relative": 1e-12, "reason": "every step is rounded"},
    {"dtype": "f32", "ulp": 0, "relative": 1e-6, "reason": "every step is rounded"},
    {"dtype": "f16", "ulp": 4, "relative": 0, "reason": "every step is rounded"},
    {"dtype": "bf16", "ulp": 4, "relative": 0, "reason": "every step is rounded"},
]


def tensor(dtype, shape, found):
    return {"dtype": dtype, "shape": list(shape), "values": [float(each) for each in found]}


def numbers(shape, shift=0, least=-5):
    """Few and small, so that every dtype holds them."""
    return [((7 * i + 3 * shift) % 11 + least) / 4 for i in range(math.prod(shape))]


def rows(found, width):
    return [found[i:i + width] for i in range(0, len(found), width)] if width else []


def layer_case(sample, dtype, shape, found, out_shape, tensors=None, operand=None):
    return {
        "sample": sample,
        "operands": [operand or tensor(dtype, shape, numbers(shape))],
        "tensors": tensors or {},
        "results": [tensor(dtype, out_shape, found)],
    }
