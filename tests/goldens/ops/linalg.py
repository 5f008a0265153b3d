# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/linalg.py: products of matrices.

import numpy

import exact
from exact_array import Array
from ops import golden


@golden("tenon.matmul")
def matmul(call):
    a, b = call.inputs
    dtype = a.dtype

    def dot(row, column):
        pairs = zip(row, column, strict=True)
        if exact.is_float(dtype):
            return exact.rounded(dtype, exact.exact_sum([exact.exact_product(*p) for p in pairs]))
        return exact.wrapped(dtype, sum(x * y for x, y in pairs))

    left = a.values if a.values.ndim > 1 else a.values[None, :]
    right = b.values if b.values.ndim > 1 else b.values[:, None]
    batch = numpy.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = numpy.broadcast_to(left, batch + left.shape[-2:])
    right = numpy.broadcast_to(right, batch + right.shape[-2:])
    result = numpy.empty((*batch, left.shape[-2], right.shape[-1]), dtype=object)
    for place in numpy.ndindex(result.shape):
        *outer, m, n = place
        result[place] = dot(left[(*outer, m)], right[(*outer, slice(None), n)])
    if b.values.ndim == 1:
        result = result[..., 0]
    if a.values.ndim == 1:
        result = result[..., 0] if b.values.ndim == 1 else result[..., 0, :]
    return [Array.of(dtype, numpy.shape(result), numpy.ravel(result))]
