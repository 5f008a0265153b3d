# SPDX-License-Identifier: Apache-2.0
# tests/goldens/exact.py: numbers of Tenon's dtypes in Python: exact values, rounded once.
"""A float of any dtype is a Python float (its f64 value), an integer an int, a bool a bool.

f64 operations are Python's own, which IEEE 754 rounds right. An operation + - * / or a square root
of narrower floats may be done in f64 and rounded once more: 53 digits are more than twice 24 and
two, so the second rounding changes nothing (S. Figueroa, "When is double rounding innocuous?",
SIGNUM Newsletter 30, 1995). All else is done in fractions, which are exact, or in mpmath with 60
digits.
"""

import math
from fractions import Fraction

import mpmath

mpmath.mp.dps = 60

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("u8", "i8", "i16", "i32", "i64")
ALL = ("bool", *INTEGERS, *FLOATS)
BITS = {"bool": 8, "u8": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
BITS |= {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# digits, exponent of the least and of the largest normal number, bits of the fraction
FORMATS = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
}


def is_float(dtype):
    return dtype in FLOATS


def is_integer(dtype):
    return dtype in INTEGERS


def scaled_integer(value):
    """(sign, n, e): |value| is n * 2^e, or just above it, and then n is odd and no tie."""
    if isinstance(value, mpmath.mpf):
        sign, mantissa, exponent, _ = value._mpf_
        return sign, int(mantissa), int(exponent)
    ratio = Fraction(value)
    n, d = abs(ratio.numerator), ratio.denominator
    shift = max(0, d.bit_length() - n.bit_length() + 70)
    quotient, rest = divmod(n << shift, d)
    return int(ratio < 0), 2 * quotient + (rest != 0), -shift - 1


def rounded(dtype, value):
    """A float, int, Fraction or mpf as a float of the dtype: to nearest, ties to even."""
    if isinstance(value, mpmath.mpf) and not mpmath.isfinite(value):
        value = float(value)
    if isinstance(value, float) and (value == 0 or not math.isfinite(value)):
        return value
    sign, n, exponent = scaled_integer(value)
    if n == 0:
        return 0.0
    digits, least, largest = FORMATS[dtype]
    top = n.bit_length() + exponent - 1
    if top > largest:
        return -math.inf if sign else math.inf
    if top < least - digits - 1:
        return -0.0 if sign else 0.0
    unit = max(top, least) - digits + 1
    shift = unit - exponent
    if shift <= 0:
        units = n << -shift
    else:
        units, rest = n >> shift, n & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        units += rest > half or (rest == half and units & 1)
    if units.bit_length() + unit - 1 > largest:
        return -math.inf if sign else math.inf
    result = math.ldexp(units, unit)
    return -result if sign else result


def wrapped(dtype, value):
    """The low bits of an int, as the integer dtype reads them."""
    bits = BITS[dtype]
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype != "u8" and value >> (bits - 1) else value


def converted(dtype, value):
    """A bool, int or float as cast converts it."""
    if dtype == "bool":
        return value != 0
    if is_float(dtype):
        return rounded(dtype, int(value) if isinstance(value, bool) else value)
    if not isinstance(value, float):
        return wrapped(dtype, int(value))
    if math.isnan(value):
        return 0
    least = 0 if dtype == "u8" else -(1 << (BITS[dtype] - 1))
    greatest = least + (1 << BITS[dtype]) - 1
    if math.isinf(value):
        return greatest if value > 0 else least
    return min(max(math.trunc(value), least), greatest)


def encoded(dtype, value):
    """The bytes of a value in memory, little-endian."""
    if dtype == "bool":
        return bytes([1 if value else 0])
    if is_integer(dtype):
        return int(value).to_bytes(BITS[dtype] // 8, "little", signed=dtype != "u8")
    digits, least, largest = FORMATS[dtype]
    fraction_bits = digits - 1
    sign = int(math.copysign(1, value) < 0)
    if math.isnan(value):
        # The quiet NaN that a conversion gives.
        sign, biased, fraction = 0, 2 * largest + 1, 1 << (fraction_bits - 1)
    elif math.isinf(value):
        biased, fraction = 2 * largest + 1, 0
    elif value == 0:
        biased, fraction = 0, 0
    else:
        exponent = max(math.frexp(value)[1] - 1, least)
        units = int(math.ldexp(abs(value), fraction_bits - exponent))
        normal = units >> fraction_bits
        biased = exponent + largest if normal else 0
        fraction = units & ((1 << fraction_bits) - 1)
    bits = (sign << (BITS[dtype] - 1)) | (biased << fraction_bits) | fraction
    return bits.to_bytes(BITS[dtype] // 8, "little")


def divided(a, b):
    """a / b of two floats as IEEE 754 has it, in f64."""
    if b != 0 or math.isnan(a):
        return a / b
    if a == 0:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def precise_divided(a, b):
    """a / b of two mpf; by zero as IEEE 754 has it for +0."""
    if b != 0 or mpmath.isnan(a):
        return a / b
    return mpmath.nan if a == 0 else mpmath.mpf("inf") * mpmath.sign(a)


def square_root(value):
    """The root of a float, in f64."""
    return math.nan if value < 0 else math.sqrt(value)


def exact_sum(terms):
    """The sum of floats and fractions: a Fraction, or an infinity or NaN as a float."""
    special = [term for term in terms if isinstance(term, float) and not math.isfinite(term)]
    if special:
        return sum(special)
    return sum((Fraction(term) for term in terms), Fraction(0))


def exact_product(a, b):
    """The product of two floats: a Fraction, or an infinity or NaN as a float."""
    if math.isfinite(a) and math.isfinite(b):
        return Fraction(a) * Fraction(b)
    return a * b
