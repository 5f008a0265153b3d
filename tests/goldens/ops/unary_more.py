# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/unary_more.py: signs, rounding to integers, powers, truth values.

import math

import mpmath

import exact
from ops import golden


def number_function(function):
    """`function` of a float, or of an integer whose result keeps its low bits."""

    def compute(call):
        x = call.inputs[0]
        fit = exact.rounded if exact.is_float(x.dtype) else exact.wrapped
        return [x.map(x.dtype, lambda value: fit(x.dtype, function(value)))]

    return compute


def float_function(function, *, elsewhere=lambda x: x):
    """`function` of an mpf, rounded once; zeros, infinities and NaN are mapped by `elsewhere`."""

    def compute(call):
        x = call.inputs[0]

        def element(value):
            special = value == 0 or not math.isfinite(value)
            return elsewhere(value) if special else function(mpmath.mpf(value))

        return [x.map(x.dtype, lambda value: exact.rounded(x.dtype, element(value)))]

    return compute


# ---- signs and powers ---------------------------------------------------------------------------


@golden("tenon.abs")
@number_function
def absolute(x):
    return abs(x)


@golden("tenon.sign")
@number_function
def sign(x):
    return x if x != x else type(x)((x > 0) - (x < 0))


@golden("tenon.square")
@number_function
def square(x):
    return exact.exact_product(x, x) if isinstance(x, float) else x * x


def inverse(x):
    """1 / x of a zero, an infinity or NaN."""
    return math.copysign(math.inf, x) if x == 0 else 1 / x


golden("tenon.reciprocal")(float_function(lambda x: 1 / x, elsewhere=inverse))
golden("tenon.rsqrt")(
    float_function(
        lambda x: 1 / mpmath.sqrt(x) if x > 0 else math.nan,
        elsewhere=lambda x: math.nan if x == -math.inf else inverse(x),
    )
)


# ---- rounding to integers -----------------------------------------------------------------------


def rounding(function):
    """`function` gives a Python int; a zero has the sign of the operand."""

    def compute(x):
        if isinstance(x, int) or x == 0 or not math.isfinite(x):
            return x
        return math.copysign(float(function(x)), x)

    return number_function(compute)


golden("tenon.floor")(rounding(math.floor))
golden("tenon.ceil")(rounding(math.ceil))
golden("tenon.trunc")(rounding(math.trunc))
golden("tenon.round")(rounding(round))  # Python's own: halves to even


# ---- truth values and bits ----------------------------------------------------------------------


def truth_function(function):
    return lambda call: [call.inputs[0].map("bool", function)]


golden("tenon.isnan")(truth_function(lambda x: x != x))
golden("tenon.isinf")(truth_function(lambda x: abs(x) == math.inf))
golden("tenon.logical_not")(truth_function(lambda x: x == 0))


@golden("tenon.bitwise_not")
def bitwise_not(call):
    x = call.inputs[0]
    if x.dtype == "bool":
        return [x.map("bool", lambda value: not value)]
    return [x.map(x.dtype, lambda value: exact.wrapped(x.dtype, ~value))]


# ---- mathematics --------------------------------------------------------------------------------


def at(*, zero=None, infinity=math.nan, minus_infinity=None):
    """What a function gives for a zero (itself without), for infinities (odd without) and NaN."""

    def value(x):
        if x == 0:
            return x if zero is None else zero
        if x == math.inf or x != x:
            return infinity if x == x else x
        return -infinity if minus_infinity is None else minus_infinity

    return value


def within(inside, function):
    """NaN where `inside` is not true."""
    return lambda x: function(x) if inside(x) else math.nan


LOG_ENDS = at(zero=-math.inf, infinity=math.inf, minus_infinity=math.nan)
NOWHERE = at(infinity=math.nan)
FUNCTIONS = {
    "exp2": (lambda x: mpmath.mpf(2) ** x, at(zero=1.0, infinity=math.inf, minus_infinity=0.0)),
    "log2": (within(lambda x: x > 0, lambda x: mpmath.log(x) / mpmath.log(2)), LOG_ENDS),
    "log10": (within(lambda x: x > 0, lambda x: mpmath.log(x) / mpmath.log(10)), LOG_ENDS),
    "tan": (mpmath.tan, NOWHERE),
    "asin": (within(lambda x: abs(x) <= 1, mpmath.asin), NOWHERE),
    "acos": (within(lambda x: abs(x) <= 1, mpmath.acos), at(zero=mpmath.pi / 2)),
    "atan": (mpmath.atan, at(infinity=mpmath.pi / 2)),
    "sinh": (mpmath.sinh, at(infinity=math.inf)),
    "cosh": (mpmath.cosh, at(zero=1.0, infinity=math.inf, minus_infinity=math.inf)),
    "asinh": (mpmath.asinh, at(infinity=math.inf)),
    "acosh": (
        within(lambda x: x >= 1, mpmath.acosh),
        at(zero=math.nan, infinity=math.inf, minus_infinity=math.nan),
    ),
    "atanh": (
        within(lambda x: abs(x) <= 1, lambda x: x * math.inf if abs(x) == 1 else mpmath.atanh(x)),
        NOWHERE,
    ),
}
for name, (function, ends) in FUNCTIONS.items():
    golden(f"tenon.{name}")(float_function(function, elsewhere=ends))
