# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/random.py: random numbers from Philox words.
#
# Philox4x32-10: J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

import math

import mpmath

import exact
from exact_array import Array
from ops import golden

WORD = 2**32 - 1


def block(key, number):
    """Four words of stream 0: block `number` under `key`."""
    counter = [number & WORD, number >> 32, 0, 0]
    key = [key & WORD, key >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (second >> 32) ^ counter[1] ^ key[0],
            second & WORD,
            (first >> 32) ^ counter[3] ^ key[1],
            first & WORD,
        ]
        key = [(key[0] + 0x9E3779B9) & WORD, (key[1] + 0xBB67AE85) & WORD]
    return counter


def uniforms(key, dtype, count):
    """`count` multiples of 2^-24 or 2^-53 in [0, 1)."""
    per_number = 2 if dtype == "f64" else 1
    words = [word for b in range((count * per_number + 3) // 4) for word in block(key, b)]
    if dtype == "f64":
        return [((words[2 * i] << 32 | words[2 * i + 1]) >> 11) * 2.0**-53 for i in range(count)]
    return [(words[i] >> 8) * 2.0**-24 for i in range(count)]


@golden("tenon.uniform")
def uniform(call):
    """Each operation is rounded to the dtype: that is what the op says."""
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    low, high = (exact.rounded(dtype, call.attrs[name]) for name in ("low", "high"))
    width = exact.rounded(dtype, high - low)

    def element(unit):
        return exact.rounded(dtype, low + exact.rounded(dtype, unit * width))

    return [Array.of(dtype, shape, map(element, uniforms(call.seed, dtype, math.prod(shape))))]


@golden("tenon.normal")
def normal(call):
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    mean, deviation = mpmath.mpf(call.attrs["mean"]), mpmath.mpf(call.attrs["std"])
    count = math.prod(shape)
    units = uniforms(call.seed, dtype, (count + 1) // 2 * 2)
    step = mpmath.mpf(2) ** (-53 if dtype == "f64" else -24)
    elements = []
    for i in range(count):
        first, second = units[i & ~1], units[i | 1]
        radius = mpmath.sqrt(-2 * mpmath.log(first + step))
        angle = 2 * mpmath.pi * second
        z = radius * (mpmath.sin(angle) if i & 1 else mpmath.cos(angle))
        elements.append(exact.rounded(dtype, mean + deviation * z))
    return [Array.of(dtype, shape, elements)]
