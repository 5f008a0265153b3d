# SPDX-License-Identifier: Apache-2.0
# tests/outside/compare_test.py: the yardsticks of the outside suites tell right from wrong.

import sys
import unittest

import opinfo  # exits with 77 where PyTorch is missing
import tenon_ctypes as tenon
import torch
from opinfo_table import Entry, Row, call, unary

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
import ulp


class Distance(unittest.TestCase):
    def between(self, a, b, dtype="float64"):
        return int(ulp.distance(numpy.array([a], dtype), numpy.array([b], dtype))[0])

    def test_counts_floats(self):
        for dtype in ("float32", "float64"):
            one = numpy.dtype(dtype).type(1)
            after = numpy.nextafter(one, one + one)
            tiny = numpy.finfo(dtype).smallest_subnormal
            with self.subTest(dtype):
                self.assertEqual(self.between(1, 1, dtype), 0)
                self.assertEqual(self.between(1, after, dtype), 1)
                self.assertEqual(self.between(-after, -1, dtype), 1)
                self.assertEqual(self.between(tiny, -tiny, dtype), 2)
                self.assertEqual(self.between(numpy.finfo(dtype).max, numpy.inf, dtype), 1)

    def test_zeros_are_equal_and_so_are_nans(self):
        self.assertEqual(self.between(0.0, -0.0), 0)
        self.assertEqual(self.between(numpy.nan, -numpy.nan), 0)

    def test_a_nan_is_far_from_every_number(self):
        for number in (0.0, 1.0, numpy.inf):
            self.assertEqual(self.between(numpy.nan, number), 2**64 - 1)

    def test_infinities_are_not_neighbours(self):
        self.assertGreater(self.between(numpy.inf, -numpy.inf), 2**63)

    def test_dtypes_and_shapes_are_compared(self):
        with self.assertRaisesRegex(ValueError, r"float32\[1\] against float64\[1\]"):
            ulp.distance(numpy.zeros(1, "float32"), numpy.zeros(1))


class Difference(unittest.TestCase):
    def words(self, found, expected, slack=None, **options):
        return opinfo.difference(torch.tensor(found), torch.tensor(expected), slack, **options)

    def test_exact(self):
        self.assertEqual(self.words([1.0, 0.0], [1.0, -0.0]), "")
        self.assertEqual(self.words([float("nan")], [float("nan")]), "")
        self.assertIn("1 of 2 elements differ, first [1]", self.words([1.0, 2.0], [1.0, 2.0000002]))
        self.assertIn("1 of 1", self.words([True], [False]))

    def test_slack_is_of_each_element(self):
        self.assertEqual(self.words([1.0000002], [1.0], 2), "")
        self.assertIn("1 of 2", self.words([1000.0, 1.0001], [1000.0, 1.0], 2))
        self.assertEqual(self.words([1000.0, 1.0001], [1000.0, 1.0], 2, scale=1000.0), "")

    def test_no_slack_makes_an_infinity_or_a_nan(self):
        inf, nan = float("inf"), float("nan")
        for found, expected in ((3e38, inf), (inf, 3e38), (inf, -inf), (nan, 1.0), (1.0, nan)):
            self.assertIn("1 of 1", self.words([found], [expected], 100, scale=3e38))

    def test_dtype_and_shape(self):
        self.assertIn("expected torch.int64[1]", self.words([1.0], [1]))
        self.assertIn("found torch.float32[1]", self.words([1.0], 1.0))


class Mistakes(unittest.TestCase):
    """What a wrong op, table or declaration leads to."""

    def setUp(self):
        self.runtime = tenon.Runtime()
        self.addCleanup(self.runtime.close)

    def tally(self, name, row, form=opinfo.values, **entry):
        comparison = opinfo.Comparison(opinfo.Bridge(self.runtime), name, Entry([row], **entry))
        return comparison.run(form, dtypes={torch.float64}, requires_grad=form is opinfo.gradients)

    def test_another_op_fails(self):
        for form in (opinfo.values, opinfo.noncontiguous, opinfo.out, opinfo.gradients):
            tally = self.tally("tenon.exp", Row("log", unary), form, slack=2)
            with self.subTest(form.__name__):
                self.assertTrue(tally.failures)
                self.assertIn("elements differ", tally.failures[0])

    def test_right_values_with_another_gradient_fail(self):
        doubled = Row("exp", unary, reference=lambda x: torch.exp(x.detach()) + 0 * x)
        self.assertFalse(self.tally("tenon.exp", doubled, slack=2).failures)
        failures = self.tally("tenon.exp", doubled, opinfo.gradients).failures
        self.assertIn("gradient 0:", failures[0])

    def test_a_parameter_nobody_translates_fails(self):
        row = Row("add", lambda input, other: call(input, other))
        failures = self.tally("tenon.add", row).failures
        self.assertIn("unexpected keyword argument 'alpha'", failures[0])

    def test_a_refusal_is_a_failure(self):
        row = Row("sum", lambda input, dim=None, keepdim=False: call(input, axes=[9]))
        failures = self.tally("tenon.sum", row).failures
        self.assertIn('refused: tenon.sum: attribute "axes" has an axis out of range', failures[0])

    def test_an_unknown_opinfo_fails(self):
        failures = self.tally("tenon.exp", Row("museum", unary)).failures
        self.assertEqual(failures, ["PyTorch has 0 OpInfos named museum"])

    def test_an_op_in_neither_list_fails(self):
        failures = opinfo.every_op(["tenon.exp", "acme.swish"]).failures
        self.assertEqual(len(failures), 1)
        self.assertIn("acme.swish stands in 0 of TABLE and WITHOUT", failures[0])

    def test_declared_dtypes_follow_the_schema(self):
        for schema, dtypes in (
            ("f(x: T[...]) -> T[...]", set(opinfo.CODES)),
            ("f(x: T[...]) -> T[...] where T: float", opinfo.SETS["float"]),
            ("f(x: T[...]) -> T[...] where T: float promote", set(opinfo.CODES)),
            ("f(a: T, b: T) -> T where T: number promote", opinfo.SETS["number"]),
            (
                "f(c: bool, t: T, i: I) -> T where T: f32|f64; I: int",
                {torch.float32, torch.float64},
            ),
        ):
            self.assertEqual(opinfo.declared_dtypes(schema), dtypes, schema)


if __name__ == "__main__":
    unittest.main()
