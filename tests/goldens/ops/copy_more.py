# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/copy_more.py: tensors that follow from attributes.

import math

import numpy

import exact
from exact_array import Array
from ops import golden
from schema_text import element


@golden("tenon.full_like")
def full_like(call):
    x = call.inputs[0]
    value = element(x.dtype, call.attrs["value"])
    return [x.map(x.dtype, lambda _: value)]


@golden("tenon.eye")
def eye(call):
    attrs, dtype = call.attrs, call.dtypes["D"]
    shape = attrs["n"], attrs["n"] if attrs["m"] is None else attrs["m"]
    ones = (exact.converted(dtype, int(j - i == attrs["k"])) for i, j in numpy.ndindex(*shape))
    return [Array.of(dtype, shape, ones)]


@golden("tenon.arange")
def arange(call):
    attrs, dtype = call.attrs, call.dtypes["D"]
    start, stop, step = (attrs[name] for name in ("start", "stop", "step"))
    if any(isinstance(each, float) for each in (start, stop, step)):
        # As documented: in f64, which Python's floats are.
        start, stop, step = float(start), float(stop), float(step)
        count = max(math.ceil((stop - start) / step), 0)
        values = [start + float(i) * step for i in range(count)]
    else:
        values = range(int(start), stop, step)
    return [Array.of(dtype, (len(values),), (element(dtype, value) for value in values))]


@golden("tenon.linspace")
def linspace(call):
    attrs, dtype = call.attrs, call.dtypes["D"]
    start, stop, num = float(attrs["start"]), float(attrs["stop"]), attrs["num"]
    parts = num - 1 if attrs["endpoint"] else num
    step = (stop - start) / parts if parts > 0 else 0.0
    values = [start + float(i) * step for i in range(num)]
    values[:1] = [start][:num]
    if attrs["endpoint"] and num > 1:
        values[-1] = stop
    return [Array.of(dtype, (num,), (exact.rounded(dtype, value) for value in values))]
