# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/gated.py: one half of an axis through a function, times the other half.

import math

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden
from ops.gelu import distribution
from ops.gelu import slope as gelu_slope
from ops.gelu import value as gelu_value

FAR = 3000  # here an exponential is 0, whatever the dtype


def product(*factors):
    """Of floats and mpf; a zero with its sign."""
    if any(factor != factor for factor in factors):
        return math.nan
    zeros = [factor for factor in factors if factor == 0]
    if not zeros:
        return mpmath.fprod(mpmath.mpf(factor) for factor in factors)
    if any(mpmath.isinf(factor) for factor in factors):
        return math.nan
    negative = sum(math.copysign(1, float(f)) < 0 if f == 0 else f < 0 for f in factors)
    return -0.0 if negative % 2 else 0.0


def sigmoid(x):
    if x != x:
        return math.nan
    if abs(x) > FAR:
        return mpmath.exp(-FAR) if x < 0 and math.isfinite(x) else float(x > 0)
    return 1 / (1 + mpmath.exp(-mpmath.mpf(x)))


def silu(x):
    return product(x, sigmoid(x))


def sigmoid_slope(x):
    return product(sigmoid(x), sigmoid(-x))


def silu_slope(x):
    if not math.isfinite(x):
        return math.nan
    return sigmoid(x) + mpmath.mpf(x) * sigmoid(-x) * sigmoid(x)


def parts(x, axis, gate_first):
    """The gate and the other half."""
    halves = numpy.split(x.values, 2, axis)
    return halves if gate_first else halves[::-1]


def elementwise(dtype, function, *values):
    rows = zip(*(each.reshape(-1) for each in values), strict=True)
    return Array.of(dtype, values[0].shape, (exact.rounded(dtype, function(*row)) for row in rows))


def forward(call, value, gate_first):
    x = call.inputs[0]
    gate, other = parts(x, call.attrs["axis"], gate_first)
    return [elementwise(x.dtype, lambda g, o: product(value(g), o), gate, other)]


def backward(call, value, slope, gate_first):
    dy, x = call.inputs
    axis = call.attrs["axis"]
    gate, other = parts(x, axis, gate_first)
    dgate = elementwise(x.dtype, lambda d, g, o: product(d, o, slope(g)), dy.values, gate, other)
    dother = elementwise(x.dtype, lambda d, g: product(d, value(g)), dy.values, gate)
    both = [dgate.values, dother.values]
    return [Array(x.dtype, numpy.concatenate(both if gate_first else both[::-1], axis))]


@golden("tenon.glu")
def glu(call):
    return forward(call, sigmoid, False)


@golden("tenon.glu_grad")
def glu_grad(call):
    return backward(call, sigmoid, sigmoid_slope, False)


@golden("tenon.swiglu")
def swiglu(call):
    return forward(call, silu, True)


@golden("tenon.swiglu_grad")
def swiglu_grad(call):
    return backward(call, silu, silu_slope, True)


@golden("tenon.geglu")
def geglu(call):
    shares = distribution(call)
    return forward(call, lambda x: gelu_value(x, shares), True)


@golden("tenon.geglu_grad")
def geglu_grad(call):
    shares = distribution(call)
    return backward(call, lambda x: gelu_value(x, shares), lambda x: gelu_slope(x, shares), True)
