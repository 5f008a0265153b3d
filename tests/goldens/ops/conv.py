# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/conv.py: convolution and its gradients: each element is one exact sum of the
# products of what meets in a window.

import itertools

import numpy

import exact
from exact_array import Array
from ops import golden


def axes_of(image, kernel, attrs):
    """For each dimension the triples (window, tap, place) that meet in the image, and how many
    windows there are."""

    def listed(values):
        return values * rank if len(values) == 1 else values

    rank = len(image)
    stride, dilation = listed(attrs["stride"]), listed(attrs["dilation"])
    padding = attrs["padding"]
    if len(padding) != 2 * rank:
        padding = [pad for pad in listed(padding) for _ in range(2)]
    axes = []
    for d, (size, taps) in enumerate(zip(image, kernel, strict=True)):
        before, after = padding[2 * d : 2 * d + 2]
        span = (taps - 1) * dilation[d] + 1
        if attrs["auto_pad"] == "same":
            missing = max((-(-size // stride[d]) - 1) * stride[d] + span - size, 0)
            before, after = missing // 2, missing - missing // 2
        count = (size + before + after - span) // stride[d] + 1
        met = [
            (window, tap, window * stride[d] - before + tap * dilation[d])
            for window in range(count)
            for tap in range(taps)
            if 0 <= window * stride[d] - before + tap * dilation[d] < size
        ]
        axes.append((count, met))
    return axes


def meetings(axes):
    """Windows, taps and places of all dimensions together."""
    for rows in itertools.product(*(met for _, met in axes)):
        yield tuple(zip(*rows, strict=True))


def summed(dtype, shape, terms, bias=None):
    """`terms`: (place in the result, factor, factor)."""
    real = exact.is_float(dtype)
    sums = {place: [0] for place in numpy.ndindex(*shape)}
    for place, a, b in terms:
        sums[place].append(exact.exact_product(a, b) if real else a * b)
    if bias is not None:
        for place, numbers in sums.items():
            numbers.append(bias.values[place[1]])

    def total(numbers):
        if real:
            return exact.rounded(dtype, exact.exact_sum(numbers))
        return exact.wrapped(dtype, sum(numbers))

    return [Array.of(dtype, shape, map(total, sums.values()))]


def channels(out, weight_in, groups):
    """(output channel, input channel, channel of the weight) that are in one group."""
    for o in range(out):
        for c in range(weight_in):
            yield o, o // (out // groups) * weight_in + c, c


@golden("tenon.conv")
def conv(call):
    x, weight, *more = call.inputs
    axes = axes_of(x.shape[2:], weight.shape[2:], call.attrs)
    shape = (x.shape[0], weight.shape[0], *(count for count, _ in axes))
    terms = (
        ((n, o, *window), x.values[(n, c, *place)], weight.values[(o, own, *tap)])
        for window, tap, place in meetings(axes)
        for n in range(shape[0])
        for o, c, own in channels(shape[1], weight.shape[1], call.attrs["groups"])
    )
    return summed(x.dtype, shape, terms, more[0] if more else None)


@golden("tenon.conv_input_grad")
def conv_input_grad(call):
    dy, weight = call.inputs
    size, groups = call.attrs["size"], call.attrs["groups"]
    axes = axes_of(size, weight.shape[2:], call.attrs)
    shape = (dy.shape[0], weight.shape[1] * groups, *size)
    terms = (
        ((n, c, *place), dy.values[(n, o, *window)], weight.values[(o, own, *tap)])
        for window, tap, place in meetings(axes)
        for n in range(shape[0])
        for o, c, own in channels(weight.shape[0], weight.shape[1], groups)
    )
    return summed(dy.dtype, shape, terms)


@golden("tenon.conv_weight_grad")
def conv_weight_grad(call):
    dy, x = call.inputs
    kernel, groups = call.attrs["kernel"], call.attrs["groups"]
    axes = axes_of(x.shape[2:], kernel, call.attrs)
    shape = (dy.shape[1], x.shape[1] // groups, *kernel)
    terms = (
        ((o, own, *tap), dy.values[(n, o, *window)], x.values[(n, c, *place)])
        for window, tap, place in meetings(axes)
        for n in range(x.shape[0])
        for o, c, own in channels(shape[0], shape[1], groups)
    )
    return summed(dy.dtype, shape, terms)
