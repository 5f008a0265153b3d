# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/activations_more.py: activations that are one formula of one value.

import math

import mpmath

import exact
from ops import golden

FAR = 3000  # here an exponential is 0 or an activation a line, whatever the dtype
SELU_SCALE = mpmath.mpf("1.0507009873554804934193349852946")
SELU_ALPHA = mpmath.mpf("1.6732632423543772848170429916717")


def each(function):
    """`function` of a float and the attributes, rounded once; NaN stays NaN."""

    def compute(call):
        x = call.inputs[0]

        def element(value):
            return value if value != value else function(value, **call.attrs)

        return [x.map(x.dtype, lambda value: exact.rounded(x.dtype, element(value)))]

    return compute


def arithmetic(dtype):
    return "f64" if dtype == "f64" else "f32"


@golden("tenon.leaky_relu")
def leaky_relu(call):
    """The product is one of the arithmetic, which has 32 bits for 16."""
    x = call.inputs[0]
    inner = arithmetic(x.dtype)
    slope = exact.rounded(inner, call.attrs["negative_slope"])

    def element(value):
        if value > 0:
            return value
        product = exact.exact_product(value, slope)
        return exact.rounded(inner, product) if product else value * slope  # with its sign

    return [x.map(x.dtype, lambda value: exact.rounded(x.dtype, element(value)))]


def exponential_unit(x, above, below):
    if x > 0:
        return above * mpmath.mpf(x) if math.isfinite(x) else x
    if x == 0:
        return x
    return -below if x < -FAR else below * mpmath.expm1(mpmath.mpf(x))


@golden("tenon.elu")
def elu(call):
    inner = arithmetic(call.inputs[0].dtype)
    below = mpmath.mpf(exact.rounded(inner, call.attrs["alpha"]))
    return each(lambda x, alpha: exponential_unit(x, 1, below))(call)


golden("tenon.selu")(each(lambda x: exponential_unit(x, SELU_SCALE, SELU_SCALE * SELU_ALPHA)))


def times_share(share):
    """x share(x); from FAR on the share is 0 or 1, and of -inf there is no product."""

    def function(x):
        if x == 0 or x > FAR:
            return x
        if x < -FAR:
            return x * 0.0
        return mpmath.mpf(x) * share(mpmath.mpf(x))

    return each(function)


golden("tenon.silu")(times_share(lambda x: 1 / (1 + mpmath.exp(-x))))
golden("tenon.mish")(times_share(lambda x: mpmath.tanh(mpmath.log1p(mpmath.exp(x)))))


def smooth_positive(x):
    """ln(1 + exp(x)) of an mpf."""
    if x > FAR:
        return x
    return mpmath.mpf(0) if x < -FAR else mpmath.log1p(mpmath.exp(x))


@golden("tenon.softplus")
def softplus(call):
    inner = arithmetic(call.inputs[0].dtype)

    def element(x, beta, threshold):
        beta, threshold = exact.rounded(inner, beta), exact.rounded(inner, threshold)
        power = mpmath.mpf(x) * mpmath.mpf(beta)
        if power > threshold:
            return x
        smooth = smooth_positive(power)
        return math.copysign(0.0, beta) if smooth == 0 else smooth / mpmath.mpf(beta)

    return each(element)(call)


@golden("tenon.logsigmoid")
@each
def logsigmoid(x):
    smooth = smooth_positive(-mpmath.mpf(x))
    return -0.0 if smooth == 0 else -smooth


@golden("tenon.hardswish")
@each
def hardswish(x):
    if x <= -3:
        return -0.0
    return x if x >= 3 or x == 0 else mpmath.mpf(x) * (mpmath.mpf(x) + 3) / 6
