# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/ternary.py: one value from three.

import math
from fractions import Fraction

import exact
from exact_array import broadcast
from ops import golden
from schema_text import Refused


@golden("tenon.where")
def where(call):
    condition, a, b = call.inputs
    return [broadcast(a.dtype, lambda c, x, y: x if c else y, condition, a, b)]


def whole_add_scaled(dtype, value, inputs):
    """addcmul of integers, whose value is one of their dtype."""
    if isinstance(value, float) or exact.wrapped(dtype, value) != value:
        raise Refused
    return [broadcast(dtype, lambda x, a, b: exact.wrapped(dtype, x + value * a * b), *inputs)]


def add_scaled(combine):
    """x + combine(value * a, b), rounded once; `combine` is given two floats or two fractions."""

    def compute(call):
        dtype = call.inputs[0].dtype
        value = call.attrs["value"]
        if not exact.is_float(dtype):
            return whole_add_scaled(dtype, value, call.inputs)

        def element(x, a, b):
            term = combine(exact.exact_product(value, a), b)
            if all(isinstance(part, Fraction) or math.isfinite(part) for part in (x, term)):
                total = Fraction(x) + Fraction(term)
                return exact.rounded(dtype, total if total else x + float(term))
            return exact.rounded(dtype, x + float(term))

        return [broadcast(dtype, element, *call.inputs)]

    return compute


@golden("tenon.addcmul")
@add_scaled
def addcmul(scaled, b):
    if isinstance(scaled, Fraction) and scaled and math.isfinite(b) and b:
        return scaled * Fraction(b)
    return float(scaled) * b


@golden("tenon.addcdiv")
@add_scaled
def addcdiv(scaled, b):
    if isinstance(scaled, Fraction) and scaled and math.isfinite(b) and b:
        return scaled / Fraction(b)
    return exact.divided(float(scaled), b)
