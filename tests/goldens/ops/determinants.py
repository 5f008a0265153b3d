# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/determinants.py: determinants in fractions, by their definition.

import itertools
from fractions import Fraction

import mpmath
import numpy

from ops import golden
from ops.factorisations import collected


def determinant(rows):
    """The sum over all permutations (Leibniz); 1 of a matrix without elements."""
    total = Fraction(0)
    for order in itertools.permutations(range(len(rows))):
        swaps = sum(a > b for a, b in itertools.combinations(order, 2))
        term = Fraction((-1) ** swaps)
        for row, column in zip(rows, order, strict=True):
            term *= row[column]
        total += term
    return total


def each_matrix(x, of):
    """of(rows of fractions) by place; None of a matrix with an element that is not finite."""
    results = {}
    for place in numpy.ndindex(x.shape[:-2]):
        rows = x.values[place]
        finite = all(mpmath.isfinite(mpmath.mpf(value)) for row in rows for value in row)
        exact = [[Fraction(value) for value in row] for row in rows] if finite else None
        results[place] = of(exact)
    return results


def mpf(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


@golden("tenon.det")
def det(call):
    x = call.inputs[0]
    results = each_matrix(x, lambda rows: mpmath.nan if rows is None else mpf(determinant(rows)))
    return [collected(x.dtype, x.shape[:-2], (), results)]


@golden("tenon.slogdet")
def slogdet(call):
    x = call.inputs[0]

    def sign(rows):
        if rows is None:
            return mpmath.nan
        found = determinant(rows)
        return mpmath.mpf((found > 0) - (found < 0))

    def logarithm(rows):
        if rows is None:
            return mpmath.nan
        found = determinant(rows)
        return mpmath.log(mpf(abs(found))) if found else -mpmath.inf

    return [collected(x.dtype, x.shape[:-2], (), each_matrix(x, f)) for f in (sign, logarithm)]


@golden("tenon.cofactors")
def cofactors(call):
    x = call.inputs[0]
    n = x.shape[-1]

    def without(rows, i, j):
        return [row[:j] + row[j + 1 :] for k, row in enumerate(rows) if k != i]

    def of(rows):
        if rows is None:
            return [[mpmath.nan] * n for _ in range(n)]
        return [
            [(-1) ** (i + j) * mpf(determinant(without(rows, i, j))) for j in range(n)]
            for i in range(n)
        ]

    return [collected(x.dtype, x.shape[:-2], (n, n), each_matrix(x, of))]
