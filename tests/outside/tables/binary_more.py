# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/binary_more.py: comparisons, logic, bits, minimum, division rounded down.

import torch
from opinfo_table import Entry, Row, binary, call

NARROW = torch.float16, torch.bfloat16


def rounded_down(input, other, *, rounding_mode="floor"):
    """Of 16 bits by way of float64: PyTorch rounds each step to 16 bits, and so misses the floor.
    floor_divide itself has no gradient there."""
    y = torch.div(input, other, rounding_mode="floor")
    if y.dtype not in NARROW:
        return y
    wide = [x.double() if isinstance(x, torch.Tensor) else x for x in (input, other)]
    return torch.div(*wide, rounding_mode="floor").to(y.dtype)


def floor_rounding(input, other, *, rounding_mode):
    return call(input, other)


TABLE = {
    "tenon.bitwise_and": Entry([Row("bitwise_and", binary), Row("__rand__", binary)]),
    "tenon.bitwise_left_shift": Entry([Row("bitwise_left_shift", binary)]),
    "tenon.bitwise_or": Entry([Row("bitwise_or", binary), Row("__ror__", binary)]),
    "tenon.bitwise_right_shift": Entry([Row("bitwise_right_shift", binary)]),
    "tenon.bitwise_xor": Entry([Row("bitwise_xor", binary), Row("__rxor__", binary)]),
    "tenon.floor_divide": Entry(
        [
            Row("floor_divide", binary, rounded_down),
            Row("div.floor_rounding", floor_rounding, rounded_down),
        ]
    ),
    "tenon.ge": Entry([Row("ge", binary)]),
    "tenon.gt": Entry([Row("gt", binary)]),
    "tenon.le": Entry([Row("le", binary)]),
    "tenon.logical_and": Entry([Row("logical_and", binary)]),
    "tenon.logical_or": Entry([Row("logical_or", binary)]),
    "tenon.logical_xor": Entry([Row("logical_xor", binary)]),
    "tenon.minimum": Entry([Row("minimum", binary), Row("min.binary", binary)]),
    "tenon.ne": Entry([Row("ne", binary)]),
    "tenon.nextafter": Entry([Row("nextafter", binary)]),
    "tenon.remainder": Entry([Row("remainder", binary)]),
}
