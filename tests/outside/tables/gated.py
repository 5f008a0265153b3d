# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/gated.py: one half of an axis through a function, times the other half.

import torch
from opinfo_table import AXIS_OF_RANK_0, CALLED_FOR_GRADIENT, LIBRARY, Entry, Row, call
from torch.nn import functional


def gated(input, dim=-1):
    return call(input, axis=dim, lacks={AXIS_OF_RANK_0: input.dim() == 0})


def halves(function):
    """`function` of the halves of glu's samples, in float32 if they are narrower."""

    def reference(input, dim=-1):
        narrow = input.dtype in (torch.float16, torch.bfloat16)
        first, second = (input.float() if narrow else input).chunk(2, dim)
        return function(first, second).to(input.dtype)

    return reference


def entry(function):
    return Entry([Row("nn.functional.glu", gated, halves(function))], 4, 16, LIBRARY, sums=True)


TABLE = {
    "tenon.glu": Entry([Row("nn.functional.glu", gated)], 4, 16, LIBRARY, sums=True),
    "tenon.swiglu": entry(lambda a, b: functional.silu(a) * b),
    "tenon.geglu": entry(lambda a, b: functional.gelu(a) * b),
}

WITHOUT = {
    f"tenon.{name}_grad": CALLED_FOR_GRADIENT.format(name) for name in ("glu", "swiglu", "geglu")
}
