# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/random_more.py: what else is made of Philox words.

import math

import mpmath

import exact
from exact_array import Array
from ops import golden
from ops.random import block, uniforms


def pairs(key, count):
    """`count` integers of 64 bits, of two words each."""
    words = [word for b in range((2 * count + 3) // 4) for word in block(key, b)]
    return [words[2 * i] << 32 | words[2 * i + 1] for i in range(count)]


@golden("tenon.exponential")
def exponential(call):
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    rate = mpmath.mpf(call.attrs["rate"])
    step = mpmath.mpf(2) ** (-53 if dtype == "f64" else -24)
    units = uniforms(call.seed, dtype, math.prod(shape))
    elements = [exact.rounded(dtype, -mpmath.log(u + step) / rate) for u in units]
    return [Array.of(dtype, shape, elements)]


@golden("tenon.random_integers")
def random_integers(call):
    low, high, shape = (call.attrs[name] for name in ("low", "high", "shape"))
    drawn = pairs(call.seed, math.prod(shape))
    return [Array.of(call.dtypes["D"], shape, [low + (w * (high - low) >> 64) for w in drawn])]


@golden("tenon.bernoulli")
def bernoulli(call):
    (p,) = call.inputs
    units = uniforms(call.seed, "f64" if p.dtype == "f64" else "f32", p.values.size)
    ones = [float(u < x) for u, x in zip(units, p.elements(), strict=True)]
    return [Array.of(p.dtype, p.shape, ones)]


@golden("tenon.dropout")
def dropout(call):
    """The scale is rounded to f32, or f64: that is what the op says."""
    (x,) = call.inputs
    p = call.attrs["p"]
    wide = "f64" if x.dtype == "f64" else "f32"
    scale = exact.rounded(wide, exact.divided(1.0, 1.0 - p))
    kept = [u >= p for u in uniforms(call.seed, "f32", x.values.size)]
    elements = [
        exact.rounded(x.dtype, exact.rounded(wide, value * scale)) if keep else 0.0
        for value, keep in zip(x.elements(), kept, strict=True)
    ]
    return [Array.of(x.dtype, x.shape, elements), Array.of("bool", x.shape, kept)]


@golden("tenon.permutation")
def permutation(call):
    n = call.attrs["n"]
    keys = pairs(call.seed, n)
    order = sorted(range(n), key=lambda i: (keys[i], i))
    return [Array.of(call.dtypes["D"], (n,), order)]


def category(weights, unit):
    """Sums of f64 in order: that is what the op says."""
    sums, total = [], 0.0
    for weight in weights:
        total += weight
        sums.append(total)
    for k, value in enumerate(sums):
        if value > unit * total:
            return k
    return max(k for k, weight in enumerate(weights) if weight > 0)


@golden("tenon.multinomial")
def multinomial(call):
    (given,) = call.inputs
    draws = call.attrs["num_samples"]
    *lead, n = given.shape
    units = iter(uniforms(call.seed, "f64", math.prod(lead) * draws))
    drawn = []
    for row in given.values.reshape(math.prod(lead), n):
        weights = list(row)
        for _ in range(draws):
            drawn.append(category(weights, next(units)))
            if not call.attrs["replacement"]:
                weights[drawn[-1]] = 0.0
    return [Array.of("i64", (*lead, draws), drawn)]
