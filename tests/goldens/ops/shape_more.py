# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/shape_more.py: more of the same elements in other places.

import itertools
import math

import numpy

import exact
from exact_array import Array
from ops import golden
from ops.shape import moved, reshape, taken
from schema_text import element

golden("tenon.view")(reshape)


@golden("tenon.flatten")
@moved
def flatten(values, attrs):
    rank = max(values.ndim, 1)
    shape = list(values.shape) or [1]
    start, end = attrs["start_axis"] % rank, attrs["end_axis"] % rank
    middle = math.prod(shape[start : end + 1])
    return values.reshape([*shape[:start], middle, *shape[end + 1 :]])


@golden("tenon.unsqueeze")
@moved
def unsqueeze(values, attrs):
    return numpy.expand_dims(values, tuple(attrs["axes"]))


@golden("tenon.broadcast_to")
@moved
def broadcast_to(values, attrs):
    return numpy.broadcast_to(values, attrs["shape"])


@golden("tenon.flip")
@moved
def flip(values, attrs):
    axes = range(values.ndim) if attrs["axes"] is None else attrs["axes"]
    for axis in axes:
        values = taken(values, axis, range(values.shape[axis])[::-1])
    return values


@golden("tenon.diagonal")
@moved
def diagonal(values, attrs):
    # NumPy's offsets have 32 bits.
    offset = max(-100, min(100, attrs["offset"]))
    return numpy.diagonal(values, offset, attrs["axis0"], attrs["axis1"])


@golden("tenon.unfold")
@moved
def unfold(values, attrs):
    axis, size = attrs["axis"] % values.ndim, attrs["size"]
    starts = range(0, values.shape[axis] - size + 1, attrs["step"])
    windows = [taken(values, axis, range(start, start + size)) for start in starts]
    return numpy.stack([numpy.moveaxis(window, axis, -1) for window in windows], axis=axis)


@golden("tenon.unfold_add")
def unfold_add(call):
    x, attrs = call.inputs[0], call.attrs
    shape = list(x.shape[:-1])
    axis = attrs["axis"] % len(shape)
    shape[axis] = attrs["length"]
    terms = {place: [] for place in numpy.ndindex(*shape)}
    for place in numpy.ndindex(*x.shape):
        at = list(place[:-1])
        at[axis] = place[axis] * attrs["step"] + place[-1]
        terms[tuple(at)].append(x.values[place])
    if exact.is_float(x.dtype):
        sums = (exact.rounded(x.dtype, exact.exact_sum(each)) for each in terms.values())
    else:
        sums = (exact.wrapped(x.dtype, sum(each)) for each in terms.values())
    return [Array.of(x.dtype, shape, sums)]


@golden("tenon.split")
@moved
def split(values, attrs):
    ends = list(itertools.accumulate(attrs["sizes"]))
    index = attrs["index"] % len(ends)
    return taken(values, attrs["axis"], range(ends[index] - attrs["sizes"][index], ends[index]))


@golden("tenon.chunk")
@moved
def chunk(values, attrs):
    length = values.shape[attrs["axis"]]
    size = -(-length // attrs["chunks"])
    start = attrs["index"] % attrs["chunks"] * size
    return taken(values, attrs["axis"], range(min(start, length), min(start + size, length)))


@golden("tenon.stack")
def stack(call):
    xs = call.inputs[0]
    values = numpy.stack([x.values for x in xs], axis=call.attrs["axis"])
    return [Array.of(xs[0].dtype, values.shape, values.reshape(-1))]


@golden("tenon.repeat")
@moved
def repeat(values, attrs):
    return numpy.repeat(values, attrs["repeats"], attrs["axis"])


@golden("tenon.tile")
@moved
def tile(values, attrs):
    return numpy.tile(values, attrs["repetitions"])


@golden("tenon.roll")
@moved
def roll(values, attrs):
    axes, shifts = attrs["axes"], attrs["shifts"]
    if axes is None:
        return rolled(values.reshape(-1), 0, shifts[0]).reshape(values.shape)
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    for axis, shift in zip(axes, shifts, strict=True):
        values = rolled(values, axis, shift)
    return values


def rolled(values, axis, shift):
    """In Python's integers, which take shifts of any size."""
    length = values.shape[axis]
    return taken(values, axis, [(place - shift) % length for place in range(length)])


MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@golden("tenon.pad")
def pad(call):
    x, attrs = call.inputs[0], call.attrs
    pairs = list(zip(attrs["pads"][::2], attrs["pads"][1::2], strict=True))
    axes = range(len(x.shape)) if attrs["axes"] is None else attrs["axes"]
    convert = element if attrs["mode"] == "constant" else exact.converted
    value = convert(x.dtype, attrs["value"])
    values = x.values
    for axis, (before, after) in zip(axes, pairs, strict=True):
        if attrs["mode"] == "constant":
            values = around(values, axis, before, after, value)
        else:
            width = [(0, 0)] * values.ndim
            width[axis] = (before, after)
            values = numpy.pad(values, width, mode=MODES[attrs["mode"]])
    return [Array.of(x.dtype, values.shape, values.reshape(-1))]


def around(values, axis, before, after, value):
    """Places outside of an axis are the constant; negative pads begin inside of it."""
    length = values.shape[axis]
    shape = list(values.shape)
    shape[axis] = length + before + after
    result = numpy.full(shape, value, dtype=object)
    ahead = (slice(None),) * (axis % values.ndim)
    for place in range(shape[axis]):
        if 0 <= place - before < length:
            result[(*ahead, place)] = values[(*ahead, place - before)]
    return result
