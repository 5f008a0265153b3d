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
