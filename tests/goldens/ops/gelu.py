# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/gelu.py: x times a distribution function, and the gradient.

import mpmath

import exact
from exact_array import broadcast
from ops import golden

CUBIC = mpmath.mpf("0.044715")
FAR = 1000  # here a distribution function is 0 or 1 whatever the dtype


def scale():
    return mpmath.sqrt(2 / mpmath.pi)


def by_erf(x):
    """P(x) and P'(x)."""
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2, scale() / 2 * mpmath.exp(-x * x / 2)


def by_tanh(x):
    u = scale() * (x + CUBIC * x**3)
    share = 1 / (1 + mpmath.exp(-2 * u))
    rest = 1 / (1 + mpmath.exp(2 * u))
    return share, share * rest * 2 * scale() * (1 + 3 * CUBIC * x**2)


def distribution(call):
    return {"none": by_erf, "tanh": by_tanh}[call.attrs["approximate"]]


def value(x, shares):
    if abs(x) > FAR:
        return max(x, -0.0)
    if x != x or x == 0:
        return x
    return mpmath.mpf(x) * shares(mpmath.mpf(x))[0]


def slope(x, shares):
    if x != x:
        return mpmath.nan
    if abs(x) > FAR:
        return mpmath.mpf(x > 0)
    share, density = shares(mpmath.mpf(x))
    return share + mpmath.mpf(x) * density


@golden("tenon.gelu")
def gelu(call):
    x, shares = call.inputs[0], distribution(call)
    return [x.map(x.dtype, lambda each: exact.rounded(x.dtype, value(each, shares)))]


@golden("tenon.gelu_grad")
def gelu_grad(call):
    dy, x = call.inputs
    shares = distribution(call)

    def element(d, each):
        return exact.rounded(x.dtype, mpmath.mpf(d) * slope(each, shares))

    return [broadcast(x.dtype, element, dy, x)]
