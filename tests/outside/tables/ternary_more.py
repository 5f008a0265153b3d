# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/ternary_more.py: lerp, clamp, fma.

import torch
from opinfo_table import Entry, Row, call


def lerp(input, end, weight):
    return call(input, end, weight)


def lerp_in_float32(input, end, weight):
    """Of 16 bits in float32, rounded once, with a weight of 16 bits: PyTorch's vectors round each
    step to 16 bits, and its weight keeps more."""
    if input.dtype not in (torch.float16, torch.bfloat16):
        return torch.lerp(input, end, weight)
    narrow = torch.as_tensor(weight).to(input.dtype).float()
    return torch.lerp(input.float(), end.float(), narrow).to(input.dtype)


TABLE = {
    "tenon.clamp": Entry(
        [
            Row("clamp", lambda input, min=None, max=None: call(input, min, max)),
            Row("clamp_min", lambda input, min: call(input, min)),
            Row("clamp_max", lambda input, max: call(input, None, max)),
        ]
    ),
    "tenon.lerp": Entry(
        [Row("lerp", lerp, lerp_in_float32)],
        2,
        32,
        "where vectors of PyTorch's fuse a product and the sum, terms cancel otherwise",
        sums=True,
    ),
}

WITHOUT = {
    "tenon.fma": "no OpInfo: PyTorch has no such op",
}
