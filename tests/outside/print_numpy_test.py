# SPDX-License-Identifier: Apache-2.0
# tests/outside/print_numpy_test.py: the text of a tensor against NumPy's, over random arrays.
"""Needs NumPy 2.3 or newer: since then the exponent form depends on the dtype."""

import os
import sys
import unittest

import tenon_ctypes as tenon

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < (2, 3):
    print(f"skipped: NumPy {numpy.__version__} prints narrow floats in another way")
    sys.exit(77)

SEED = int(os.environ.get("TENON_TEST_SEED", "0"))
ARRAYS = 600


def random_shape(random):
    rank = int(random.integers(0, 5))
    if random.random() < 0.15:  # more than 1000 elements: shortened
        return {1: (1001,), 2: (40, 30), 3: (3, 4, 100), 4: (7, 7, 7, 8)}.get(rank, ())
    return tuple(int(size) for size in random.integers(0 if random.random() < 0.1 else 1, 7, rank))


def random_values(random, shape):
    values = random.normal(size=shape)
    kind = random.integers(0, 6)
    if kind == 1:
        values = values * 10.0 ** random.integers(-12, 12, shape)
    elif kind == 2:
        values = numpy.round(values * 100)
    elif kind == 3:
        values = numpy.round(values, 3)
    elif kind == 4:
        values = values * 10.0 ** random.integers(-12, 12)
    elif kind == 5:
        odd = random.choice([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0], shape)
        values = numpy.where(random.random(shape) < 0.3, odd, values)
    return values


def random_array(random):
    shape = random_shape(random)
    name = random.choice(list(tenon.DTYPES))
    dtype = numpy.dtype(name)
    if dtype.kind == "f":
        with numpy.errstate(over="ignore"):
            return numpy.asarray(random_values(random, shape), dtype)
    if dtype.kind == "b":
        return numpy.asarray(random.random(shape) < 0.5)
    limits = numpy.iinfo(dtype)
    reach = int(random.integers(1, limits.bits))
    low, high = max(limits.min, -(2**reach)), min(limits.max, 2**reach)
    return numpy.asarray(random.integers(low, high, shape, dtype="int64"), dtype)


def numpys_text(array):
    text = numpy.array2string(array, separator=", ", prefix="tensor(", suffix=")")
    if array.dtype.kind != "b":
        return text
    words = text.replace("True", "true").replace("False", "false")
    # NumPy leaves room for "False" also if there is none.
    return words if "false" in words or array.ndim == 0 else words.replace(" true", "true")


class Printing(unittest.TestCase):
    def test_random_arrays_look_as_numpys(self):
        random = numpy.random.default_rng(SEED)
        runtime = tenon.Runtime()
        for number in range(ARRAYS):
            array = random_array(random)
            tensor = runtime.create(array)
            text = tensor.text()
            tensor.release()
            self.assertTrue(text.startswith("tensor("), text)
            values = text[len("tensor(") : text.rindex("shape=")].rstrip(", \n")
            self.assertEqual(values, numpys_text(array), f"seed {SEED}, array {number}: {array!r}")
        runtime.close()


if __name__ == "__main__":
    print(f"TENON_TEST_SEED={SEED}")
    unittest.main()
