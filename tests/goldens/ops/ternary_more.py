# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/ternary_more.py: lerp, clamp, fma.

import math
from fractions import Fraction

import exact
from exact_array import broadcast
from ops import golden


@golden("tenon.lerp")
def lerp(call):
    """Each operation is rounded to f32, or f64: that is what the op says."""
    dtype = call.inputs[0].dtype
    wide = "f64" if dtype == "f64" else "f32"

    def step(value):
        return exact.rounded(wide, value)

    def element(x, end, weight):
        way = step(end - x)
        if abs(weight) < 0.5:
            return exact.rounded(dtype, step(x + step(weight * way)))
        return exact.rounded(dtype, step(end - step(way * step(1 - weight))))

    return [broadcast(dtype, element, *call.inputs)]


@golden("tenon.clamp")
def clamp(call):
    x, least, most = (*call.inputs, None, None)[:3]
    if least is not None:
        x = broadcast(x.dtype, lambda a, b: b if a < b or b != b else a, x, least)
    if most is not None:
        x = broadcast(x.dtype, lambda a, b: b if b < a or b != b else a, x, most)
    return [x]


@golden("tenon.fma")
def fma(call):
    dtype = call.inputs[0].dtype

    def element(a, b, c):
        product = exact.exact_product(a, b)
        if isinstance(product, float) or not math.isfinite(c):
            return float(product) + c if isinstance(product, float) else c
        total = product + Fraction(c)
        # A sum that is exactly 0 has the sign that IEEE 754 gives it.
        return exact.rounded(dtype, total) if total else a * b + c

    return [broadcast(dtype, element, *call.inputs)]
