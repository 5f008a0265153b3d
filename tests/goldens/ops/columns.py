# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/columns.py: the windows of an image as columns, and columns added up.

import itertools

import numpy

import exact
from exact_array import Array
from ops import golden
from ops.pool import axes_of, images


def windows_of(size, attrs):
    """For each window in row-major order its places, those outside of the image too."""
    axes = axes_of(size, {**attrs, "ceil_mode": False})
    for window in numpy.ndindex(*(len(axis.starts) for axis in axes)):
        both = zip(axes, window, strict=True)
        yield list(itertools.product(*(axis.places(i) for axis, i in both)))


def inside(place, size):
    return all(0 <= p < s for p, s in zip(place, size, strict=True))


@golden("tenon.im2col")
def im2col(call):
    x = call.inputs[0]
    size = x.shape[2:]
    windows = list(windows_of(size, call.attrs))
    taps = len(windows[0])
    zero = 0.0 if exact.is_float(x.dtype) else 0
    values = [
        x.values[(image, channel, *window[tap])] if inside(window[tap], size) else zero
        for image in range(x.shape[0])
        for channel in range(x.shape[1])
        for tap in range(taps)
        for window in windows
    ]
    return [Array.of(x.dtype, [x.shape[0], x.shape[1] * taps, len(windows)], values)]


@golden("tenon.col2im")
def col2im(call):
    x, size = call.inputs[0], call.attrs["size"]
    windows = list(windows_of(size, call.attrs))
    taps = len(windows[0])
    shape = [x.shape[0], x.shape[1] // taps, *size]
    terms = {place: [] for place in numpy.ndindex(*shape)}
    for image, channel in images(shape):
        for number, window in enumerate(windows):
            for tap, place in enumerate(window):
                if inside(place, size):
                    value = x.values[image, channel * taps + tap, number]
                    terms[(image, channel, *place)].append(value)
    return [Array.of(x.dtype, shape, [total(x.dtype, own) for own in terms.values()])]


def total(dtype, terms):
    if exact.is_float(dtype):
        return exact.rounded(dtype, exact.exact_sum(terms))
    return exact.wrapped(dtype, sum(terms))
