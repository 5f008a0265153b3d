# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/norm.py: rows of mean 0 and variance 1, or of mean square 1, channels and groups
# of channels of mean 0 and variance 1; the gradients of rows and channels.

import math

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden


def as_rows(array, dims):
    """The elements as a matrix [R,N] of mpf; a row is what the last `dims` dimensions hold."""
    lead = array.shape[: len(array.shape) - dims]
    shape = math.prod(lead), math.prod(array.shape[len(lead) :])
    matrix = numpy.empty(shape, dtype=object)
    matrix.reshape(-1)[:] = [mpmath.mpf(value) for value in array.elements()]
    return matrix


def operand(call, index, columns, default):
    """A weight or bias as a line of mpf, `default` everywhere where it is absent."""
    given = call.inputs[index] if index < len(call.inputs) else None
    if given is None:
        return [mpmath.mpf(default)] * columns
    return [mpmath.mpf(value) for value in given.elements()]


def total(values):
    return sum(values, mpmath.mpf(0))


def normalised(row, eps, centred):
    """(x - m) s of each element, and s. IEEE 754's infinities and NaN are mpmath's too."""
    mean = total(row) / len(row) if centred else mpmath.mpf(0)
    differences = [x - mean for x in row]
    squares = total(d * d for d in differences) / len(row)
    root = mpmath.sqrt(squares + mpmath.mpf(eps))
    scale = exact.precise_divided(mpmath.mpf(1), root)
    return [d * scale for d in differences], scale


def array_of(dtype, shape, values):
    return Array.of(dtype, shape, (exact.rounded(dtype, value) for value in values))


def norm(centred):
    def compute(call):
        x, dims = call.inputs[0], call.attrs["dims"]
        rows = as_rows(x, dims)
        weight = operand(call, 1, rows.shape[1], 1)
        bias = operand(call, 2, rows.shape[1], 0)
        values = []
        for row in rows if rows.size else []:
            line, _ = normalised(list(row), call.attrs["eps"], centred)
            values += [h * w + b for h, w, b in zip(line, weight, bias, strict=True)]
        return [array_of(x.dtype, x.shape, values)]

    return compute


def norm_grad(centred):
    def compute(call):
        x, dims = call.inputs[1], call.attrs["dims"]
        rows, slopes = as_rows(x, dims), as_rows(call.inputs[0], dims)
        columns = rows.shape[1]
        weight = operand(call, 2, columns, 1)
        values = []
        dweight, dbias = [mpmath.mpf(0)] * columns, [mpmath.mpf(0)] * columns
        for row, dy in zip(rows, slopes, strict=True) if rows.size else []:
            line, scale = normalised(list(row), call.attrs["eps"], centred)
            g = [d * w for d, w in zip(dy, weight, strict=True)]
            mean = total(g) / columns if centred else mpmath.mpf(0)
            g = [each - mean for each in g]
            along = total(each * h for each, h in zip(g, line, strict=True)) / columns
            values += [scale * (each - h * along) for each, h in zip(g, line, strict=True)]
            dweight = [sum_ + d * h for sum_, d, h in zip(dweight, dy, line, strict=True)]
            dbias = [sum_ + d for sum_, d in zip(dbias, dy, strict=True)]
        shape = x.shape[len(x.shape) - dims :]
        results = [array_of(x.dtype, x.shape, values), array_of(x.dtype, shape, dweight)]
        return [*results, array_of(x.dtype, shape, dbias)] if centred else results

    return compute


golden("tenon.layer_norm")(norm(centred=True))
golden("tenon.layer_norm_grad")(norm_grad(centred=True))
golden("tenon.rms_norm")(norm(centred=False))
golden("tenon.rms_norm_grad")(norm_grad(centred=False))


def channels_of(array):
    """The places of each channel's elements, and the elements of each as mpf."""
    places = numpy.arange(math.prod(array.shape)).reshape(array.shape)
    places = [list(places[:, c].reshape(-1)) for c in range(array.shape[1])]
    elements = array.elements()
    return places, [[mpmath.mpf(elements[i]) for i in channel] for channel in places]


def scale_of(variance, eps):
    square = variance + mpmath.mpf(eps)
    if square < 0:
        return mpmath.nan
    return exact.precise_divided(mpmath.mpf(1), mpmath.sqrt(square))


def moments(call, index, numbers):
    """Mean and variance of each channel: operands `index` and `index` + 1, or those of numbers."""
    if index < len(call.inputs) and call.inputs[index] is not None:
        return [operand(call, index + i, len(numbers), 0) for i in range(2)]
    means = [total(channel) / len(channel) for channel in numbers]
    squares = [
        total((x - mean) ** 2 for x in channel) / len(channel)
        for channel, mean in zip(numbers, means, strict=True)
    ]
    return means, squares


def placed(dtype, shape, places, channels):
    """The array whose elements at each channel's places are that channel's."""
    values = [None] * math.prod(shape)
    for channel, numbers in zip(places, channels, strict=True):
        for place, number in zip(channel, numbers, strict=True):
            values[place] = number
    return array_of(dtype, shape, values)


@golden("tenon.batch_norm")
def batch_norm(call):
    x = call.inputs[0]
    places, numbers = channels_of(x)
    weight = operand(call, 1, len(numbers), 1)
    bias = operand(call, 2, len(numbers), 0)
    means, variances = moments(call, 3, numbers)
    normal = [
        [(each - mean) * scale_of(variance, call.attrs["eps"]) * w + b for each in channel]
        for channel, mean, variance, w, b in zip(
            numbers, means, variances, weight, bias, strict=True
        )
    ]
    statistics = [array_of("f32", [len(numbers)], each) for each in (means, variances)]
    return [placed(x.dtype, x.shape, places, normal), *statistics]


@golden("tenon.batch_norm_grad")
def batch_norm_grad(call):
    x = call.inputs[1]
    places, numbers = channels_of(x)
    _, slopes = channels_of(call.inputs[0])
    weight = operand(call, 2, len(numbers), 1)
    means, variances = moments(call, 3, numbers)
    is_given = len(call.inputs) > 3 and call.inputs[3] is not None
    dx, dweight, dbias = [], [], []
    for c, (channel, dy) in enumerate(zip(numbers, slopes, strict=True)):
        scale = scale_of(variances[c], call.attrs["eps"])
        line = [(each - means[c]) * scale for each in channel]
        dbias.append(total(dy))
        if not is_given:
            dy = [d - dbias[c] / len(dy) for d in dy]
        dweight.append(total(d * h for d, h in zip(dy, line, strict=True)))
        if not is_given:
            dy = [d - h * dweight[c] / len(dy) for d, h in zip(dy, line, strict=True)]
        dx.append([scale * weight[c] * d for d in dy])
    sums = [array_of(x.dtype, [len(numbers)], each) for each in (dweight, dbias)]
    return [placed(x.dtype, x.shape, places, dx), *sums]


def group_norm(call, groups):
    x = call.inputs[0]
    channels = x.shape[1]
    weight = operand(call, 1, channels, 1)
    bias = operand(call, 2, channels, 0)
    rows = x.shape[0] * groups
    matrix = numpy.empty((rows, math.prod(x.shape) // max(rows, 1)), dtype=object)
    matrix.reshape(-1)[:] = [mpmath.mpf(value) for value in x.elements()]
    values = []
    for row in matrix if matrix.size else []:
        values += normalised(list(row), call.attrs["eps"], True)[0]
    per_channel = math.prod(x.shape[2:])
    owners = [i // per_channel % channels for i in range(len(values))]
    values = [h * weight[c] + bias[c] for h, c in zip(values, owners, strict=True)]
    return [array_of(x.dtype, x.shape, values)]


@golden("tenon.group_norm")
def of_groups(call):
    return group_norm(call, call.attrs["groups"])


@golden("tenon.instance_norm")
def of_channels(call):
    return group_norm(call, call.inputs[0].shape[1])
