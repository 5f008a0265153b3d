# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/pool.py: windows of an image: the largest of each, averages, and their adjoints.

import itertools
import math
from fractions import Fraction

import numpy

import exact
from exact_array import Array
from ops import golden


def each(numbers, rank):
    return numbers * rank if len(numbers) == 1 else numbers


class Axis:
    """The windows along one dimension, found by trying: window after window until none fits."""

    def __init__(self, size, taps, stride, dilation, padding, ceil_mode, auto_pad):
        self.size, self.taps, self.stride, self.dilation = size, taps, stride, dilation
        span = (taps - 1) * dilation + 1
        self.before, self.after = padding
        if auto_pad == "same":
            missing = max((math.ceil(size / stride) - 1) * stride + span - size, 0)
            self.before, self.after = missing // 2, missing - missing // 2
        starts = itertools.count(-self.before, stride)
        end = size + self.after
        starts = list(itertools.takewhile(lambda start: start + span <= end, starts))
        following = starts[-1] + stride
        # One that leaves the padding, if not all places are in a window and it begins before the
        # padding after the image.
        if ceil_mode and starts[-1] + span < end and following < size:
            starts.append(following)
        self.starts = starts

    def places(self, window):
        """The places of a window, those outside of the image too."""
        return [self.starts[window] + tap * self.dilation for tap in range(self.taps)]

    def inside(self, window):
        return [place for place in self.places(window) if 0 <= place < self.size]

    def padded(self, window):
        return [place for place in self.places(window) if place < self.size + self.after]


def axes_of(size, attrs):
    rank = len(size)
    kernel = attrs["kernel"]
    padding = attrs["padding"]
    if len(padding) == 2 * rank:
        pairs = list(zip(padding[::2], padding[1::2], strict=True))
    else:
        pairs = [(pad, pad) for pad in each(padding, rank)]
    return [
        Axis(*numbers, attrs["ceil_mode"], attrs["auto_pad"])
        for numbers in zip(
            size,
            each(kernel, rank),
            each(attrs["stride"] or kernel, rank),
            each(attrs.get("dilation", [1]), rank),
            pairs,
            strict=True,
        )
    ]


def lowest(dtype):
    if exact.is_float(dtype):
        return -math.inf
    return 0 if dtype == "u8" else -(1 << (exact.BITS[dtype] - 1))


def images(shape):
    return numpy.ndindex(*shape[:2])


@golden("tenon.max_pool")
def max_pool(call):
    x = call.inputs[0]
    size = x.shape[2:]
    axes = axes_of(size, call.attrs)
    counts = [len(axis.starts) for axis in axes]
    values, positions = [], []
    for image in images(x.shape):
        for window in numpy.ndindex(*counts):
            inside = (axis.inside(i) for axis, i in zip(axes, window, strict=True))
            best, position = lowest(x.dtype), -1
            for place in itertools.product(*inside):
                value = x.values[(*image, *place)]
                if position == -1 or (best == best and (value != value or value > best)):
                    best, position = value, int(numpy.ravel_multi_index(place, size))
            values.append(best)
            positions.append(position)
    shape = [*x.shape[:2], *counts]
    return [Array.of(x.dtype, shape, values), Array.of("i64", shape, positions)]


def summed(dtype, shape, terms):
    """The sums of lists of terms, one for each place."""
    sums = (exact.rounded(dtype, exact.exact_sum(own)) for own in terms)
    return Array.of(dtype, shape, sums)


@golden("tenon.max_pool_grad")
def max_pool_grad(call):
    dy, positions = call.inputs
    size = call.attrs["size"]
    shape = [*dy.shape[:2], *size]
    terms = {place: [] for place in numpy.ndindex(*shape)}
    for window in numpy.ndindex(*dy.shape):
        position = positions.values[window]
        if position >= 0:
            place = tuple(int(i) for i in numpy.unravel_index(position, size))
            terms[(*window[:2], *place)].append(dy.values[window])
    return [summed(dy.dtype, shape, terms.values())]


def averages(size, attrs):
    """For each window in row-major order: its number, its places and what it divides by."""
    axes = axes_of(size, attrs)
    counted = Axis.padded if attrs["count_include_pad"] else Axis.inside
    for window in numpy.ndindex(*(len(axis.starts) for axis in axes)):
        both = list(zip(axes, window, strict=True))
        places = list(itertools.product(*(axis.inside(i) for axis, i in both)))
        yield window, places, math.prod(len(counted(axis, i)) for axis, i in both)


def adaptive(size, counts):
    def along(n, m, i):
        return range(i * n // m, -(-(i + 1) * n // m))

    for window in numpy.ndindex(*counts):
        ranges = (along(*numbers) for numbers in zip(size, counts, window, strict=True))
        places = list(itertools.product(*ranges))
        yield window, places, len(places)


def average(x, windows, shape):
    def mean(image, places, count):
        if not places:
            return 0.0
        total = exact.exact_sum([x.values[(*image, *place)] for place in places])
        return exact.rounded(x.dtype, total / count)

    windows = list(windows)
    means = [
        mean(image, places, count) for image in images(x.shape) for _, places, count in windows
    ]
    return [Array.of(x.dtype, shape, means)]


def spread(dy, windows, shape):
    terms = {place: [] for place in numpy.ndindex(*shape)}
    windows = list(windows)
    for image in images(dy.shape):
        for window, places, count in windows:
            value = dy.values[(*image, *window)]
            for place in places:
                share = Fraction(value) / count if math.isfinite(value) else value
                terms[(*image, *place)].append(share)
    return [summed(dy.dtype, shape, terms.values())]


@golden("tenon.avg_pool")
def avg_pool(call):
    x, attrs = call.inputs[0], call.attrs
    counts = [len(axis.starts) for axis in axes_of(x.shape[2:], attrs)]
    return average(x, averages(x.shape[2:], attrs), [*x.shape[:2], *counts])


@golden("tenon.avg_pool_grad")
def avg_pool_grad(call):
    dy, attrs = call.inputs[0], call.attrs
    return spread(dy, averages(attrs["size"], attrs), [*dy.shape[:2], *attrs["size"]])


@golden("tenon.adaptive_avg_pool")
def adaptive_avg_pool(call):
    x = call.inputs[0]
    counts = each(call.attrs["size"], len(x.shape) - 2)
    return average(x, adaptive(x.shape[2:], counts), [*x.shape[:2], *counts])


@golden("tenon.adaptive_avg_pool_grad")
def adaptive_avg_pool_grad(call):
    dy, size = call.inputs[0], call.attrs["size"]
    return spread(dy, adaptive(size, dy.shape[2:]), [*dy.shape[:2], *size])
