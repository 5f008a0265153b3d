# SPDX-License-Identifier: Apache-2.0
# tests/goldens/draw.py: the operands of a sample, by the rule of tenon/sdk/plugin/draw.hpp
# (README.md).

import math

import exact
from exact_array import Array

SEED = 20261121
MASK = 2**64 - 1


def unit(seed, tensor, element):
    """A number of [0, 1) for element `element` of tensor `tensor`."""
    z = (seed + 0x9E3779B97F4A7C15 * (tensor * 2**32 + element + 1)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def drawn(dtype, number, low, high):
    if dtype == "bool":
        return number < 0.5
    value = low + number * (high - low)
    if exact.is_float(dtype):
        return exact.rounded(dtype, value)
    return exact.wrapped(dtype, math.floor(value))


def array_of(text, tensor, dtype, seed=SEED):
    """The operand that a TensorText describes, as tensor number `tensor`, in `dtype`."""
    if text.given is not None:
        return Array.of(dtype, text.shape, (exact.converted(dtype, v) for v in text.given))
    count = math.prod(text.shape)
    numbers = (unit(seed, tensor, element) for element in range(count))
    return Array.of(dtype, text.shape, (drawn(dtype, n, text.low, text.high) for n in numbers))


def fnv1a(arrays):
    """FNV-1a, 64 bits, of all arrays' bytes, in hex."""
    value = 0xCBF29CE484222325
    for array in arrays:
        for byte in array.encoded():
            value = ((value ^ byte) * 0x100000001B3) & MASK
    return f"{value:016x}"
