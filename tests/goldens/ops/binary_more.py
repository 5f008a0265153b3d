# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/binary_more.py: comparisons, logic, bits, minimum, division rounded down.

import math
import operator
from fractions import Fraction

import exact
from exact_array import broadcast
from ops import golden


def decided(function):
    """A truth value of two values of any dtype."""

    def compute(call):
        return [broadcast("bool", lambda x, y: bool(function(x, y)), *call.inputs)]

    return compute


golden("tenon.ne")(decided(operator.ne))
golden("tenon.le")(decided(operator.le))
golden("tenon.gt")(decided(operator.gt))
golden("tenon.ge")(decided(operator.ge))
golden("tenon.logical_and")(decided(lambda x, y: x != 0 and y != 0))
golden("tenon.logical_or")(decided(lambda x, y: x != 0 or y != 0))
golden("tenon.logical_xor")(decided(lambda x, y: (x != 0) != (y != 0)))


@golden("tenon.minimum")
def minimum(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: y if y < x or y != y else x, a, b)]


def on_bits(function):
    """Of bool, Python's own are truth values again."""

    def compute(call):
        a, b = call.inputs
        return [broadcast(a.dtype, function, a, b)]

    return compute


golden("tenon.bitwise_and")(on_bits(operator.and_))
golden("tenon.bitwise_or")(on_bits(operator.or_))
golden("tenon.bitwise_xor")(on_bits(operator.xor))


def places(dtype, count):
    """How far a count moves bits: below 0, or past the width, as far as it takes."""
    bits = exact.BITS[dtype]
    return count if 0 <= count < bits else bits


@golden("tenon.bitwise_left_shift")
def left_shift(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: exact.wrapped(a.dtype, x << places(a.dtype, y)), a, b)]


@golden("tenon.bitwise_right_shift")
def right_shift(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: x >> places(a.dtype, y), a, b)]


def float_quotient(dtype, a, b):
    """The floor, exact below 2^p; a larger quotient is rounded to nearest."""
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and b != 0):
        return math.nan
    if not math.isfinite(a) or not math.isfinite(b) or a == 0 or b == 0:
        quotient = exact.divided(a, b)
        below = quotient == 0 and a != 0 and (a < 0) != (b < 0)  # b is infinite
        return -1.0 if below else quotient
    wide = "f64" if dtype == "f64" else "f32"
    quotient = Fraction(a) / Fraction(b)
    if abs(quotient) >= 2 ** exact.FORMATS[wide][0]:
        return exact.rounded(dtype, exact.rounded(wide, quotient))
    return exact.rounded(dtype, math.floor(quotient))


def float_rest(dtype, a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    if math.isinf(b):
        return math.copysign(0.0, b) if a == 0 else a if (a < 0) == (b < 0) else b
    rest = Fraction(a) - math.floor(Fraction(a) / Fraction(b)) * Fraction(b)
    return exact.rounded(dtype, rest) if rest else math.copysign(0.0, b)


@golden("tenon.floor_divide")
def floor_divide(call):
    a, b = call.inputs
    dtype = a.dtype
    if exact.is_float(dtype):
        return [broadcast(dtype, lambda x, y: float_quotient(dtype, x, y), a, b)]
    return [broadcast(dtype, lambda x, y: exact.wrapped(dtype, x // y) if y else 0, a, b)]


@golden("tenon.remainder")
def remainder(call):
    a, b = call.inputs
    dtype = a.dtype
    if exact.is_float(dtype):
        return [broadcast(dtype, lambda x, y: float_rest(dtype, x, y), a, b)]
    return [broadcast(dtype, lambda x, y: x % y if y else 0, a, b)]


def next_number(dtype, a, b):
    """The number after a towards b: the whole number of units in a's last place, and one more."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b:
        return b
    digits, least, largest = exact.FORMATS[dtype]
    up = a < b
    if math.isinf(a):
        return math.copysign((2.0**digits - 1) * 2.0 ** (largest - digits + 1), a)
    exponent = max(math.frexp(a)[1] - 1, least) if a else least
    # Below a power of 2 numbers are twice as dense.
    inwards = a != 0 and up != (a > 0)
    if inwards and abs(math.frexp(a)[0]) == 0.5 and exponent > least:
        exponent -= 1
    unit = Fraction(2) ** (exponent - digits + 1)
    value = Fraction(a) + (unit if up else -unit)
    return math.copysign(0.0, a) if value == 0 else exact.rounded(dtype, value)


@golden("tenon.nextafter")
def nextafter(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: next_number(a.dtype, x, y), a, b)]
