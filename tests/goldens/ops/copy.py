# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/copy.py: the same values, elsewhere or in another dtype.

import math

from exact_array import Array
from ops import golden
from schema_text import element


@golden("tenon.copy", "tenon.to")
def same(call):
    return [call.inputs[0]]


@golden("tenon.cast")
def cast(call):
    return [call.inputs[0].to(call.attrs["dtype"].name)]


@golden("tenon.full")
def full(call):
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    value = element(dtype, call.attrs["value"])
    return [Array.of(dtype, shape, [value] * math.prod(shape))]
