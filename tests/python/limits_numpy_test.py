# SPDX-License-Identifier: Apache-2.0
# tests/python/limits_numpy_test.py: finfo and iinfo against NumPy's, clones of NumPy's strides.
import unittest

from support import Case, skip, tenon

try:
    import numpy as np
except ImportError:
    skip("NumPy is not installed")

FLOATS = ((tenon.float16, np.float16), (tenon.float32, np.float32), (tenon.float64, np.float64))
INTS = (
    (tenon.uint8, np.uint8),
    (tenon.int8, np.int8),
    (tenon.int16, np.int16),
    (tenon.int32, np.int32),
    (tenon.int64, np.int64),
)


class Limits(Case):
    def test_floats(self):
        names = "bits precision max min eps tiny smallest_normal smallest_subnormal resolution"
        for dtype, theirs in FLOATS:
            ours, expected = tenon.finfo(dtype), np.finfo(theirs)
            for name in names.split():
                # NumPy's are rounded to the dtype, which matters for the resolution alone.
                found = theirs(getattr(ours, name))
                self.assertEqual(found, getattr(expected, name), f"{dtype.name}: {name}")

    def test_integers(self):
        for dtype, theirs in INTS:
            ours, expected = tenon.iinfo(dtype), np.iinfo(theirs)
            for name in ("bits", "min", "max"):
                self.assertEqual(getattr(ours, name), getattr(expected, name), dtype.name)

    def test_wrong_kinds_are_the_same_error(self):
        for function, dtype in (("finfo", "int32"), ("iinfo", "float32"), ("iinfo", "bool")):
            self.assertRaises(ValueError, getattr(np, function), dtype)
            self.assertRaises(ValueError, getattr(tenon, function), getattr(tenon, dtype))


class Clones(Case):
    def test_windows_that_overlap(self):
        numbers = np.arange(40, dtype=np.float64)
        for shape, strides in (((5, 4), (1, 1)), ((3, 4), (2, 3)), ((2, 3, 4), (4, 2, 1))):
            array = np.lib.stride_tricks.as_strided(
                numbers[3:], shape, tuple(8 * stride for stride in strides)
            )
            kept = tenon.from_dlpack(array).clone(layout="preserve")
            self.assertEqual(kept.strides, strides)
            self.assertTrue(np.array_equal(np.from_dlpack(kept), array))


if __name__ == "__main__":
    unittest.main()
