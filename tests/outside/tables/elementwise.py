# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/elementwise.py: OpInfos of ops that give one value for one, two or three.

import torch
from opinfo_table import CALLED_FOR_GRADIENT, LIBRARY, Entry, Row, binary, call, unary


def swapped(input, other):
    return call(other, input)


def scaled(input, other, *, alpha=1):
    return call(input, other, lacks={"alpha": alpha != 1})


def in_float64(function):
    """Of 16 bits by way of float64: near 0 PyTorch's own are several units off."""

    def reference(input):
        narrow = input.dtype in (torch.float16, torch.bfloat16)
        return function(input.double()).to(input.dtype) if narrow else function(input)

    return reference


def gelu(input, *, approximate="none"):
    return call(input, approximate=approximate)


def scaled_onto(input, tensor1, tensor2, *, value=1):
    """Of integers PyTorch cuts off what their dtype does not hold of the value."""
    dtype = torch.promote_types(torch.promote_types(input.dtype, tensor1.dtype), tensor2.dtype)
    cut = False
    if not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool):
        limits = torch.iinfo(dtype)
        cut = isinstance(value, float) or not limits.min <= value <= limits.max
    lacks = {"a value that is not an integer of the operands' dtype": cut}
    return call(input, tensor1, tensor2, value=value, lacks=lacks)


def quotient_onto(input, tensor1, tensor2, *, value=1):
    return call(input, tensor1, tensor2, value=float(value))


TABLE = {
    "tenon.add": Entry([Row("add", scaled)]),
    "tenon.addcdiv": Entry(
        [Row("addcdiv", quotient_onto)], 4, 32, "quotient, product and sum", sums=True
    ),
    "tenon.addcmul": Entry(
        [Row("addcmul", scaled_onto)], 4, 32, "two products and a sum", sums=True
    ),
    "tenon.atan2": Entry([Row("atan2", binary)], 2, 32, LIBRARY),
    "tenon.cos": Entry([Row("cos", unary)], 2, 8, LIBRARY),
    "tenon.div": Entry(
        [Row("div.no_rounding_mode", binary), Row("true_divide", binary)],
        None,
        8,
        "x",
    ),
    "tenon.eq": Entry([Row("eq", binary)]),
    "tenon.erf": Entry([Row("erf", unary, in_float64(torch.erf))], 2, 8, LIBRARY),
    "tenon.exp": Entry([Row("exp", unary)], 2, 8, LIBRARY),
    "tenon.expm1": Entry([Row("expm1", unary)], 2, 8, LIBRARY),
    "tenon.gelu": Entry([Row("nn.functional.gelu", gelu)], 4, 8, LIBRARY, sums=True),
    "tenon.hypot": Entry([Row("hypot", binary)], 2, 32, LIBRARY),
    "tenon.isfinite": Entry([Row("isfinite", unary)]),
    "tenon.log": Entry([Row("log", unary)], 2, 8, LIBRARY),
    "tenon.log1p": Entry([Row("log1p", unary)], 2, 8, LIBRARY),
    "tenon.lt": Entry([Row("lt", binary)]),
    "tenon.maximum": Entry([Row("maximum", binary), Row("max.binary", binary)]),
    "tenon.mul": Entry([Row("mul", binary)], None, 32, "broadcast gradients add products"),
    "tenon.neg": Entry([Row("neg", unary)]),
    "tenon.pow": Entry(
        [Row("pow", binary), Row("__rpow__", swapped)],
        2,
        32,
        LIBRARY,
    ),
    "tenon.relu": Entry([Row("nn.functional.relu", unary)]),
    "tenon.sigmoid": Entry([Row("sigmoid", unary)], 2, 8, LIBRARY),
    "tenon.sin": Entry([Row("sin", unary)], 2, 8, LIBRARY),
    "tenon.sqrt": Entry([Row("sqrt", unary)], 1, 8, "PyTorch's is not correctly rounded"),
    "tenon.sub": Entry([Row("sub", scaled)]),
    "tenon.tanh": Entry([Row("tanh", unary)], 2, 8, LIBRARY),
    "tenon.where": Entry(
        [Row("where", lambda input, condition, other: call(condition, input, other))]
    ),
}

WITHOUT = {
    "tenon.gelu_grad": CALLED_FOR_GRADIENT.format("gelu"),
}
