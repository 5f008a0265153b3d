# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/gamma.py: OpInfos of the gamma function's logarithm and of erf's inverse.

import torch
from opinfo_table import CALLED_FOR_GRADIENT, LIBRARY, Entry, Row, unary


def in_float64(function):
    """By way of float64: PyTorch's narrower ones lose digits near poles and roots."""

    def reference(input):
        dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
        return function(input.double()).to(dtype)

    return reference


def digamma(input):
    """Below 0 PyTorch's loses digits near poles: the angle's distance from them is rounded."""
    inside = (input < 0) & (input != input.round())
    x = torch.where(inside, input, -0.5)
    reflected = torch.digamma(1 - x) - torch.pi / torch.tan(torch.pi * (x - x.round()))
    return torch.where(inside, reflected, torch.digamma(torch.where(inside, 1.0, input)))


TABLE = {
    "tenon.digamma": Entry(
        [Row("digamma", unary, in_float64(digamma))],
        16,
        2**22,
        LIBRARY + "; PyTorch's trigamma has nine digits",
        sums=True,
    ),
    "tenon.erfinv": Entry([Row("erfinv", unary, in_float64(torch.erfinv))], 8, 64, LIBRARY),
    "tenon.lgamma": Entry(
        [Row("lgamma", unary, in_float64(torch.lgamma))], 16, 64, LIBRARY, sums=True
    ),
}

WITHOUT = {"tenon.trigamma": CALLED_FOR_GRADIENT.format("digamma")}
