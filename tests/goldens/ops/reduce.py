# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/reduce.py: one value from many.

import math

import numpy

import exact
from exact_array import Array
from ops import golden


def reduced(x, axes, keepdims, dtype, function):
    """function(elements in row-major order) for each place of the axes that stay."""
    rank = len(x.shape)
    gone = set(range(rank)) if axes is None else {axis % rank for axis in axes}
    stay = [axis for axis in range(rank) if axis not in gone]
    shape = [1 if a in gone else x.shape[a] for a in range(rank) if keepdims or a not in gone]
    moved = numpy.transpose(x.values, [*stay, *sorted(gone)])
    results = []
    for place in numpy.ndindex(*(x.shape[axis] for axis in stay)):
        block = moved[place]
        results.append(function(list(block.reshape(-1)) if stay != list(range(rank)) else [block]))
    return Array.of(dtype, shape, results)


def total(dtype):
    if exact.is_float(dtype):
        return lambda values: exact.rounded(dtype, exact.exact_sum(values))
    return lambda values: exact.wrapped(dtype, sum(values))


@golden("tenon.sum")
def sum_(call):
    x = call.inputs[0]
    return [reduced(x, call.attrs["axes"], call.attrs["keepdims"], x.dtype, total(x.dtype))]


@golden("tenon.mean")
def mean(call):
    x = call.inputs[0]

    def average(values):
        if not values:
            return math.nan
        result = exact.exact_sum(values)
        return exact.rounded(x.dtype, result / len(values))

    return [reduced(x, call.attrs["axes"], call.attrs["keepdims"], x.dtype, average)]


def largest(values):
    """Where the first largest is; a NaN is larger than any number."""
    best = 0
    for i, value in enumerate(values):
        if values[best] == values[best] and (value != value or value > values[best]):
            best = i
    return best


@golden("tenon.max")
def max_(call):
    x = call.inputs[0]
    axes, keepdims = call.attrs["axes"], call.attrs["keepdims"]
    return [reduced(x, axes, keepdims, x.dtype, lambda values: values[largest(values)])]


@golden("tenon.argmax")
def argmax(call):
    axis = call.attrs["axis"]
    axes = None if axis is None else [axis]
    return [reduced(call.inputs[0], axes, call.attrs["keepdims"], "i64", largest)]


@golden("tenon.sum_to")
def sum_to(call):
    x, shape = call.inputs[0], call.attrs["shape"]
    lead = len(x.shape) - len(shape)
    stretched = [a for a in range(len(x.shape)) if a < lead or shape[a - lead] != x.shape[a]]
    flat = reduced(x, stretched, False, x.dtype, total(x.dtype))
    return [Array.of(x.dtype, shape, flat.elements())]
