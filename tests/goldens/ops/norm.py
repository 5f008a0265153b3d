# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/norm.py: rows of mean 0 and variance 1, or of mean square 1; their gradients.

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
