# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/binary.py: one value from two.

import math
import operator

import mpmath
import numpy

import exact
from exact_array import broadcast
from ops import golden


def arithmetic(function):
    """One IEEE 754 operation, or one of integers that wrap."""

    def compute(call):
        a, b = call.inputs
        finish = exact.rounded if exact.is_float(a.dtype) else exact.wrapped
        return [broadcast(a.dtype, lambda x, y: finish(a.dtype, function(x, y)), a, b)]

    return compute


golden("tenon.add")(arithmetic(operator.add))
golden("tenon.sub")(arithmetic(operator.sub))
golden("tenon.mul")(arithmetic(operator.mul))
golden("tenon.div")(arithmetic(exact.divided))


def float_power(a, b):
    """As C's pow. Zeros, infinities and NaN are NumPy's affair, which asks C."""
    if a == 0 or b == 0 or not (math.isfinite(a) and math.isfinite(b)):
        with numpy.errstate(all="ignore"):
            return float(numpy.float64(a) ** numpy.float64(b))
    if a < 0 and b != math.floor(b):
        return math.nan
    magnitude = mpmath.power(mpmath.mpf(abs(a)), mpmath.mpf(b))
    return -magnitude if a < 0 and math.fmod(b, 2) else magnitude


def integer_power(dtype, a, b):
    """Modulo 2^bits; of a negative exponent the whole part of the quotient."""
    if b < 0:
        return 1 if a == 1 else (-1) ** (b % 2) if a == -1 else 0
    return exact.wrapped(dtype, pow(a, b, 1 << exact.BITS[dtype]))


@golden("tenon.pow")
def power(call):
    a, b = call.inputs
    if exact.is_float(a.dtype):
        return [broadcast(a.dtype, lambda x, y: exact.rounded(a.dtype, float_power(x, y)), a, b)]
    return [broadcast(a.dtype, lambda x, y: integer_power(a.dtype, x, y), a, b)]


def float_pairs(function):
    """`function` of two mpf, rounded once; zeros, infinities and NaN are the C library's affair."""

    def compute(call):
        a, b = call.inputs

        def one(x, y):
            plain = x != 0 and y != 0 and math.isfinite(x) and math.isfinite(y)
            corner = getattr(math, function.__name__)
            value = function(mpmath.mpf(x), mpmath.mpf(y)) if plain else corner(x, y)
            return exact.rounded(a.dtype, value)

        return [broadcast(a.dtype, one, a, b)]

    return compute


golden("tenon.atan2")(float_pairs(mpmath.atan2))
golden("tenon.hypot")(float_pairs(mpmath.hypot))


@golden("tenon.maximum")
def maximum(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: y if x < y or y != y else x, a, b)]


@golden("tenon.eq")
def eq(call):
    return [broadcast("bool", operator.eq, *call.inputs)]


@golden("tenon.lt")
def lt(call):
    return [broadcast("bool", operator.lt, *call.inputs)]
