# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/unary_more.py: OpInfos of signs, rounding to integers, powers, truth values.

from opinfo_table import LIBRARY, Entry, Row, call, unary


def sign(input):
    """Of NaN PyTorch gives 0; the array API standard NaN."""
    return call(input, lacks={"sign of NaN, 0 in PyTorch": bool((input != input).any())})


def round_half_to_even(input, *, decimals=0):
    return call(input, lacks={"decimals": decimals != 0})


def leaky_relu(input, negative_slope=0.01):
    return call(input, negative_slope=negative_slope)


def elu(input, alpha=1.0):
    return call(input, alpha=alpha)


def softplus(input, beta=1, threshold=20):
    return call(input, beta=float(beta), threshold=float(threshold))


NEAR_1 = LIBRARY + "; near 1 PyTorch's 1 - x * x has lost digits"

TABLE = {
    "tenon.abs": Entry([Row("abs", unary)]),
    "tenon.acos": Entry([Row("acos", unary)], 2, 64, NEAR_1),
    "tenon.acosh": Entry([Row("acosh", unary)], 2, 8, LIBRARY),
    "tenon.asin": Entry([Row("asin", unary)], 2, 64, NEAR_1),
    "tenon.asinh": Entry([Row("asinh", unary)], 2, 8, LIBRARY),
    "tenon.atan": Entry([Row("atan", unary)], 2, 8, LIBRARY),
    "tenon.atanh": Entry([Row("atanh", unary)], 2, 64, NEAR_1),
    "tenon.bitwise_not": Entry([Row("bitwise_not", unary)]),
    "tenon.ceil": Entry([Row("ceil", unary)]),
    "tenon.cosh": Entry([Row("cosh", unary)], 2, 8, LIBRARY),
    "tenon.elu": Entry([Row("nn.functional.elu", elu)], 4, 16, LIBRARY),
    "tenon.exp2": Entry([Row("exp2", unary)], 2, 8, LIBRARY),
    "tenon.floor": Entry([Row("floor", unary)]),
    "tenon.hardswish": Entry([Row("nn.functional.hardswish", unary)], 4, 16, LIBRARY),
    "tenon.isinf": Entry([Row("isinf", unary)]),
    "tenon.isnan": Entry([Row("isnan", unary)]),
    "tenon.leaky_relu": Entry([Row("nn.functional.leaky_relu", leaky_relu)], 4, 16, LIBRARY),
    "tenon.log10": Entry([Row("log10", unary)], 2, 8, LIBRARY),
    "tenon.log2": Entry([Row("log2", unary)], 2, 8, LIBRARY),
    "tenon.logical_not": Entry([Row("logical_not", unary)]),
    "tenon.logsigmoid": Entry([Row("nn.functional.logsigmoid", unary)], 4, 16, LIBRARY),
    "tenon.mish": Entry([Row("nn.functional.mish", unary)], 4, 16, LIBRARY),
    "tenon.reciprocal": Entry([Row("reciprocal", unary)], 1, 8, "PyTorch's 16 bits round twice"),
    "tenon.round": Entry(
        [Row("round", round_half_to_even), Row("round.decimals_0", round_half_to_even)]
    ),
    "tenon.rsqrt": Entry([Row("rsqrt", unary)], 2, 8, LIBRARY),
    "tenon.selu": Entry([Row("nn.functional.selu", unary)], 4, 16, LIBRARY),
    "tenon.sign": Entry([Row("sign", sign), Row("sgn", sign)]),
    "tenon.silu": Entry([Row("nn.functional.silu", unary)], 4, 16, LIBRARY),
    "tenon.sinh": Entry([Row("sinh", unary)], 2, 8, LIBRARY),
    "tenon.softplus": Entry(
        [Row("nn.functional.softplus", softplus)],
        32,
        32,
        "PyTorch rounds beta * x, an error that the exponential multiplies by its size",
    ),
    "tenon.square": Entry([Row("square", unary)], None, 8),
    "tenon.tan": Entry([Row("tan", unary)], 2, 8, LIBRARY),
    "tenon.trunc": Entry([Row("trunc", unary)]),
}
