# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/shape.py: the same elements in other places.

import math

import numpy

import exact
from exact_array import Array
from ops import golden


def moved(function):
    """An op of one tensor that only NumPy's own rearrangement is needed for."""

    def compute(call):
        x = call.inputs[0]
        values = function(x.values, call.attrs)
        return [Array.of(x.dtype, values.shape, values.reshape(-1))]

    return compute


@golden("tenon.concat")
def concat(call):
    xs = call.inputs[0]
    values = numpy.concatenate([x.values for x in xs], axis=call.attrs["axis"])
    return [Array.of(xs[0].dtype, values.shape, values.reshape(-1))]


@golden("tenon.expand")
@moved
def expand(values, attrs):
    target = list(attrs["shape"])
    for i in range(1, values.ndim + 1):
        if target[-i] == -1:
            target[-i] = values.shape[-i]
    return numpy.broadcast_to(values, target)


@golden("tenon.permute")
@moved
def permute(values, attrs):
    return numpy.transpose(values, attrs["axes"])


@golden("tenon.reshape")
@moved
def reshape(values, attrs):
    target = list(attrs["shape"])
    if -1 in target:
        place = target.index(-1)
        target[place] = values.size // math.prod(target[:place] + target[place + 1 :])
    return values.reshape(target)


def taken(values, axis, places):
    """The given places along an axis; NumPy's slices do not take steps of 64 bits."""
    return numpy.take(values, numpy.array(places, dtype=int), axis=axis)


@golden("tenon.slice")
@moved
def slice_(values, attrs):
    cut = slice(attrs["start"], attrs["stop"], attrs["step"])
    return taken(values, attrs["axis"], list(range(values.shape[attrs["axis"]]))[cut])


@golden("tenon.slice_put")
def slice_put(call):
    dy, attrs = call.inputs[0], call.attrs
    zero = exact.converted(dy.dtype, 0)
    result = Array.of(dy.dtype, attrs["shape"], [zero] * math.prod(attrs["shape"]))
    axis = attrs["axis"] % len(attrs["shape"])
    for i in range(dy.shape[axis]):
        place = attrs["start"] + i * attrs["step"]
        before = (slice(None),) * axis
        result.values[(*before, place)] = dy.values[(*before, i)]
    return [result]


@golden("tenon.squeeze")
@moved
def squeeze(values, attrs):
    axes = attrs["axes"]
    return numpy.squeeze(values, axis=None if axes is None else tuple(axes))


@golden("tenon.transpose")
@moved
def transpose(values, attrs):
    return numpy.swapaxes(values, attrs["axis0"], attrs["axis1"])
