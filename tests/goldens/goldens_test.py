# SPDX-License-Identifier: Apache-2.0
# tests/goldens/goldens_test.py: the golden files are what make.py makes, for every op and sample.
"""Needs NumPy and mpmath. The files are made anew and compared, line by line."""

import sys
import unittest

try:
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

import draw
import exact
import make


class Goldens(unittest.TestCase):
    def test_files_are_as_made(self):
        self.assertEqual(make.check(make.made([])), [])

    def test_an_altered_file_is_named(self):
        texts = make.made(["tenon.exp"])
        (path, text), = texts.items()
        wrong = make.check({path: text.replace('"tenon.exp"', '"tenon.log"')})
        self.assertIn(f"{path.name}:1 differs from what make.py makes", wrong)

    def test_rounding(self):
        for dtype, value, wanted in [
            ("f16", 65519.99, 65504.0),
            ("f16", 65520.0, float("inf")),
            ("f16", 2.0**-25, 0.0),
            ("f16", 2.0**-25 * 1.001, 2.0**-24),
            ("bf16", 1.00390625, 1.0),
            ("bf16", 1.01171875, 1.015625),
            ("f32", 16777217, 16777216.0),
            ("f32", 16777219, 16777220.0),
            ("f64", 2**53 + 1, 2.0**53),
            ("f64", -(2**53) - 3, -(2.0**53) - 4),
        ]:
            self.assertEqual(exact.rounded(dtype, value), wanted, (dtype, value))

    def test_drawn_numbers(self):
        # SplitMix64 from seed 0 begins with 0xE220A8397B1DCDAF (its authors' C code).
        self.assertEqual(draw.unit(0, 0, 0), (0xE220A8397B1DCDAF >> 11) * 2.0**-53)


if __name__ == "__main__":
    unittest.main()
