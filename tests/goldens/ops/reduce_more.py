# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/reduce_more.py: more of one value from many, and scans along an axis.

import math
import operator
from fractions import Fraction

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden
from ops.reduce import reduced


def over_axes(call, function, dtype=None):
    x = call.inputs[0]
    axes, keepdims = call.attrs["axes"], call.attrs["keepdims"]
    return [reduced(x, axes, keepdims, dtype or x.dtype, function)]


def least(values):
    """Where the first smallest is; a NaN is smaller than any number."""
    best = 0
    for i, value in enumerate(values):
        if values[best] == values[best] and (value != value or value < values[best]):
            best = i
    return best


@golden("tenon.min")
def min_(call):
    return over_axes(call, lambda values: values[least(values)])


@golden("tenon.argmin")
def argmin(call):
    axis = call.attrs["axis"]
    axes = None if axis is None else [axis]
    return [reduced(call.inputs[0], axes, call.attrs["keepdims"], "i64", least)]


@golden("tenon.any")
def any_(call):
    return over_axes(call, lambda values: any(value != 0 for value in values), "bool")


@golden("tenon.count_nonzero")
def count_nonzero(call):
    return over_axes(call, lambda values: sum(bool(value != 0) for value in values), "i64")


@golden("tenon.all")
def all_(call):
    return over_axes(call, lambda values: all(value != 0 for value in values), "bool")


def exact_product(values):
    """The product of floats: a Fraction, or 0, an infinity or NaN as a float with its sign."""
    if all(math.isfinite(value) and value for value in values):
        return math.prod((Fraction(value) for value in values), start=Fraction(1))
    product = 1.0
    for value in values:
        product *= math.copysign(1.0, value) if math.isfinite(value) and value else value
    return product


def product(dtype):
    if exact.is_float(dtype):
        return lambda values: exact.rounded(dtype, exact_product(values))
    return lambda values: exact.wrapped(dtype, math.prod(values))


@golden("tenon.prod")
def prod(call):
    return over_axes(call, product(call.inputs[0].dtype))


def variance(values, correction):
    """A Fraction, or NaN."""
    freedom = len(values) - Fraction(correction)
    if freedom <= 0 or not all(math.isfinite(value) for value in values):
        return math.nan
    values = [Fraction(value) for value in values]
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / freedom


def root(value):
    """Of a Fraction, with 60 digits."""
    return mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator)


@golden("tenon.var")
def var(call):
    x, correction = call.inputs[0], call.attrs["correction"]
    return over_axes(call, lambda values: exact.rounded(x.dtype, variance(values, correction)))


@golden("tenon.std")
def std(call):
    x, correction = call.inputs[0], call.attrs["correction"]

    def deviation(values):
        square = variance(values, correction)
        return square if isinstance(square, float) else exact.rounded(x.dtype, root(square))

    return over_axes(call, deviation)


def norm_of(values, order):
    sizes = [abs(value) for value in values]
    if order == 0:
        return float(sum(size != 0 for size in sizes))
    if math.isinf(order):
        return sizes[least(sizes)] if order < 0 else sizes[largest_of(sizes)]
    if any(math.isnan(size) for size in sizes):
        return math.nan
    if math.inf in sizes and order > 0:
        return math.inf
    if order < 0 and 0 in sizes:
        return 0.0
    powers = [mpmath.mpf(size) ** mpmath.mpf(order) for size in sizes if not math.isinf(size)]
    total = sum(powers, mpmath.mpf(0))
    return total ** (1 / mpmath.mpf(order)) if total else mpmath.mpf(0)


def largest_of(values):
    return least([-value for value in values])


@golden("tenon.norm")
def norm(call):
    dtype, order = call.inputs[0].dtype, float(call.attrs["ord"])
    return over_axes(call, lambda values: exact.rounded(dtype, norm_of(values, order)))


def log_of_powers(values):
    if any(math.isnan(value) for value in values):
        return math.nan
    top = max(values, default=-math.inf)
    if math.isinf(top):
        return top
    top = mpmath.mpf(top)
    return top + mpmath.log(sum(mpmath.exp(mpmath.mpf(value) - top) for value in values))


@golden("tenon.logsumexp")
def logsumexp(call):
    dtype = call.inputs[0].dtype
    return over_axes(call, lambda values: exact.rounded(dtype, log_of_powers(values)))


# ---- Scans --------------------------------------------------------------------------------------


def along_axis(call, function):
    """function(line, line of the second input, ...) for each line along the axis."""
    dtype, shape = call.inputs[0].dtype, call.inputs[0].shape
    axis = call.attrs["axis"]
    moved = [numpy.moveaxis(x.values, axis, -1) for x in call.inputs]
    result = numpy.empty(moved[0].shape, dtype=object)
    way = slice(None, None, -1 if call.attrs["reverse"] else 1)
    if result.size:
        for place in numpy.ndindex(result.shape[:-1]):
            lines = [list(operand[place])[way] for operand in moved]
            result[place] = function(*lines)[way]
    return [Array.of(dtype, shape, numpy.moveaxis(result, -1, axis).reshape(-1))]


def of_prefixes(call, function):
    extra = 0 if call.attrs["exclusive"] else 1
    return along_axis(call, lambda line: [function(line[: i + extra]) for i in range(len(line))])


@golden("tenon.cumsum")
def cumsum(call):
    dtype = call.inputs[0].dtype

    def total(values):
        if exact.is_float(dtype):
            return exact.rounded(dtype, exact.exact_sum(values))
        return exact.wrapped(dtype, sum(values))

    return of_prefixes(call, total)


@golden("tenon.cumprod")
def cumprod(call):
    return of_prefixes(call, product(call.inputs[0].dtype))


@golden("tenon.linear_recurrence")
def linear_recurrence(call):
    dtype = call.inputs[0].dtype

    def line(a, b):
        y, results = 0, []
        for i, (factor, term) in enumerate(zip(a, b, strict=True)):
            y = term if i == 0 else next_of(factor, y, term)
            results.append(exact.rounded(dtype, y))
        return results

    return along_axis(call, line)


def next_of(factor, y, term):
    """factor * y + term, exact; an infinity or NaN as a float."""
    if all(isinstance(v, Fraction) or math.isfinite(v) for v in (factor, y, term)):
        return Fraction(factor) * Fraction(y) + Fraction(term)
    return float(factor) * float(y) + float(term)


def running(wins):
    """The element that wins among those so far, the last NaN before all, and its place."""

    def compute(call):
        x = call.inputs[0]
        axis = call.attrs["axis"]
        moved = numpy.moveaxis(x.values, axis, -1)
        values = numpy.empty(moved.shape, dtype=object)
        places = numpy.empty(moved.shape, dtype=object)
        for at in numpy.ndindex(moved.shape):
            line, best = moved[at[:-1]], 0
            for i in range(at[-1] + 1):
                if line[i] != line[i] or wins(line[i], line[best]):
                    best = i
            values[at], places[at] = line[best], best
        return [
            Array.of(dtype, x.shape, numpy.moveaxis(result, -1, axis).reshape(-1))
            for dtype, result in ((x.dtype, values), ("i64", places))
        ]

    return compute


golden("tenon.cummax")(running(operator.ge))
golden("tenon.cummin")(running(operator.le))
