# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/unary.py: one value from one value.

import math

import mpmath

import exact
from ops import golden


def float_function(function):
    """`function` of an mpf, rounded once; the corners are its own affair."""

    def compute(call):
        x = call.inputs[0]
        return [x.map(x.dtype, lambda value: exact.rounded(x.dtype, function(value)))]

    return compute


@golden("tenon.exp")
@float_function
def exp(x):
    return math.exp(x) if not math.isfinite(x) else mpmath.exp(mpmath.mpf(x))


@golden("tenon.log")
@float_function
def log(x):
    if x == 0:
        return -math.inf
    if math.isnan(x) or x < 0:
        return math.nan
    return mpmath.log(mpmath.mpf(x))


@golden("tenon.tanh")
@float_function
def tanh(x):
    return math.tanh(x) if x == 0 or not math.isfinite(x) else mpmath.tanh(mpmath.mpf(x))


@golden("tenon.sigmoid")
@float_function
def sigmoid(x):
    if not math.isfinite(x):
        return x if math.isnan(x) else float(x > 0)
    return 1 / (1 + mpmath.exp(-mpmath.mpf(x)))


def finite_function(function, *, at_infinity):
    """`function` of mpmath; zeros and NaN stay as they are, infinities are mapped."""

    def compute(x):
        if x == 0 or math.isnan(x):
            return x
        return function(mpmath.mpf(x)) if math.isfinite(x) else at_infinity(x)

    return float_function(compute)


golden("tenon.erf")(finite_function(mpmath.erf, at_infinity=lambda x: math.copysign(1.0, x)))
golden("tenon.expm1")(finite_function(mpmath.expm1, at_infinity=math.expm1))
golden("tenon.sin")(finite_function(mpmath.sin, at_infinity=lambda x: math.nan))


@golden("tenon.cos")
@float_function
def cos(x):
    return mpmath.cos(mpmath.mpf(x)) if math.isfinite(x) else math.nan


@golden("tenon.log1p")
@float_function
def log1p(x):
    if x == 0 or x == math.inf:
        return x
    if math.isnan(x) or x <= -1:
        return -math.inf if x == -1 else math.nan
    return mpmath.log1p(mpmath.mpf(x))


@golden("tenon.sqrt")
@float_function
def sqrt(x):
    return exact.square_root(x)


@golden("tenon.neg")
def neg(call):
    x = call.inputs[0]
    if exact.is_float(x.dtype):
        return [x.map(x.dtype, lambda value: -value)]
    return [x.map(x.dtype, lambda value: exact.wrapped(x.dtype, -value))]


@golden("tenon.relu")
def relu(call):
    x = call.inputs[0]
    zero = exact.converted(x.dtype, 0)
    return [x.map(x.dtype, lambda value: zero if value < 0 else value)]


@golden("tenon.isfinite")
def isfinite(call):
    return [call.inputs[0].map("bool", math.isfinite)]
