# SPDX-License-Identifier: Apache-2.0
# tests/goldens/exact_array.py: an array of one dtype whose elements are exact Python numbers.

import numpy

import exact


class Array:
    """`values` is a NumPy array of Python objects, so that shapes are NumPy's and numbers ours."""

    def __init__(self, dtype, values):
        self.dtype = dtype
        self.values = values

    @classmethod
    def of(cls, dtype, shape, elements):
        values = numpy.empty(tuple(shape), dtype=object)
        values.reshape(-1)[:] = list(elements)
        return cls(dtype, values)

    @property
    def shape(self):
        return self.values.shape

    def elements(self):
        """The elements in row-major order."""
        return list(self.values.reshape(-1))

    def map(self, dtype, function):
        return Array.of(dtype, self.shape, map(function, self.elements()))

    def to(self, dtype):
        if dtype == self.dtype:
            return self
        return self.map(dtype, lambda value: exact.converted(dtype, value))

    def encoded(self):
        return b"".join(exact.encoded(self.dtype, value) for value in self.elements())


def broadcast(dtype, function, *arrays):
    """function(a, b, ...) element by element over one common shape."""
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    columns = [numpy.broadcast_to(array.values, shape).reshape(-1) for array in arrays]
    return Array.of(dtype, shape, (function(*row) for row in zip(*columns, strict=True)))
