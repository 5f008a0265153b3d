# SPDX-License-Identifier: Apache-2.0
# tests/outside/ulp.py: how many floats lie between two, exactly.
"""As numpy.testing.assert_array_max_ulp counts: NaNs are equal to each other and to nothing else,
zeros of either sign are equal, and the largest float is one away from infinity."""

import numpy


def ordered(values):
    """Unsigned integers in the order of the floats; both zeros in the middle."""
    kind = {4: numpy.uint32, 8: numpy.uint64}[values.dtype.itemsize]
    bits = numpy.ascontiguousarray(values).view(kind)
    middle = kind(1 << (8 * values.dtype.itemsize - 1))
    magnitude = bits & (middle - kind(1))
    return numpy.where(bits & middle, middle - magnitude, middle + magnitude).astype(numpy.uint64)


def distance(found, expected):
    """As uint64; the largest uint64 where exactly one of the two is a NaN."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        raise ValueError(
            f"{found.dtype}{list(found.shape)} against {expected.dtype}{list(expected.shape)}"
        )
    a, b = ordered(found), ordered(expected)
    steps = numpy.maximum(a, b) - numpy.minimum(a, b)
    nans = numpy.isnan(found).astype(int) + numpy.isnan(expected).astype(int)
    steps = numpy.where(nans == 2, 0, steps)
    return numpy.where(nans == 1, numpy.iinfo(numpy.uint64).max, steps).astype(numpy.uint64)
