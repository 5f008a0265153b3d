# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/linalg_more.py: sums of products, triangles, diagonals.

import itertools
import math
from fractions import Fraction

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden
from ops.linalg import matmul


def total(dtype, products):
    """The sum of lists of factors, rounded once."""
    if not exact.is_float(dtype):
        return exact.wrapped(dtype, sum(math.prod(factors) for factors in products))
    terms = []
    for factors in products:
        term = factors[0]
        for factor in factors[1:]:
            finite = all(not isinstance(v, float) or math.isfinite(v) for v in (term, factor))
            term = Fraction(term) * Fraction(factor) if finite else term * factor
        terms.append(term)
    return exact.rounded(dtype, exact.exact_sum(terms))


@golden("tenon.dot", "tenon.bmm")
def product(call):
    return matmul(call)


@golden("tenon.outer")
def outer(call):
    a, b = call.inputs
    pairs = itertools.product(a.elements(), b.elements())
    if exact.is_float(a.dtype):
        values = [exact.rounded(a.dtype, signed_product(x, y)) for x, y in pairs]
    else:
        values = [exact.wrapped(a.dtype, x * y) for x, y in pairs]
    return [Array.of(a.dtype, (a.shape[0], b.shape[0]), values)]


def signed_product(a, b):
    """The product of two floats; 0 as a float with its sign."""
    return exact.exact_product(a, b) if a and b else a * b


def part(keeps):
    def function(call):
        x, diagonal = call.inputs[0], call.attrs["diagonal"]
        zero = False if x.dtype == "bool" else 0.0 if exact.is_float(x.dtype) else 0
        values = [
            x.values[place] if keeps(place[-1] - place[-2], diagonal) else zero
            for place in numpy.ndindex(x.shape)
        ]
        return [Array.of(x.dtype, x.shape, values)]

    return function


golden("tenon.tril")(part(lambda above, diagonal: above <= diagonal))
golden("tenon.triu")(part(lambda above, diagonal: above >= diagonal))


@golden("tenon.trace")
def trace(call):
    x = call.inputs[0]
    side = min(x.shape[-2:])
    values = [
        total(x.dtype, [[x.values[(*outer, i, i)]] for i in range(side)])
        for outer in numpy.ndindex(x.shape[:-2])
    ]
    return [Array.of(x.dtype, x.shape[:-2], values)]


# ---- einsum -------------------------------------------------------------------------------------


def labels_of(term, dots):
    """Letters, and numbers for the dimensions of '...', counted from the last."""
    before, found, behind = term.partition("...")
    return [*before, *(range(dots - 1, -1, -1) if found else ()), *behind]


@golden("tenon.einsum")
def einsum(call):
    """By its definition: for each place of the result, the sum over all other labels."""
    xs = call.inputs[0]
    left, arrow, output = call.attrs["equation"].replace(" ", "").partition("->")
    terms = left.split(",")
    dots = [
        len(x.shape) - len(term.replace("...", "")) for x, term in zip(xs, terms, strict=True)
    ]
    labelled = [labels_of(*pair) for pair in zip(terms, dots, strict=True)]
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        output = "..." + "".join(sorted(c for c in letters if letters.count(c) == 1))
    sizes = {}
    for x, labels in zip(xs, labelled, strict=True):
        for label, size in zip(labels, x.shape, strict=True):
            sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    kept = labels_of(output, max(dots, default=0))
    kept = [label for label in kept if label in sizes]
    summed = [label for label in sizes if label not in kept]
    dtype = xs[0].dtype

    def element(x, labels, at):
        return x.values[tuple(at[k] if n > 1 else 0 for k, n in zip(labels, x.shape, strict=True))]

    values = []
    for place in numpy.ndindex(*(sizes[label] for label in kept)):
        products = []
        for inner in numpy.ndindex(*(sizes[label] for label in summed)):
            at = dict(zip(kept, place, strict=True)) | dict(zip(summed, inner, strict=True))
            products.append([element(*pair, at) for pair in zip(xs, labelled, strict=True)])
        values.append(total(dtype, products))
    return [Array.of(dtype, tuple(sizes[label] for label in kept), values)]


# ---- linear -------------------------------------------------------------------------------------


def activated(name, value):
    """Of an exact number, an infinity or NaN."""
    if isinstance(value, float) and math.isnan(value):
        return value
    x = mpmath.mpf(value.numerator) / value.denominator if hasattr(value, "denominator") else value
    x = mpmath.mpf(x)
    if name == "relu":
        return value if value > 0 else 0.0
    if name == "sigmoid":
        return 1 / (1 + mpmath.exp(-x))
    if name == "tanh":
        return mpmath.tanh(x)
    if name == "gelu":
        return x * mpmath.ncdf(x)
    if name == "gelu_tanh":
        inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
        return x * (1 + mpmath.tanh(inner)) / 2
    return value


@golden("tenon.linear")
def linear(call):
    x, weight, bias = call.inputs[0], call.inputs[1], (*call.inputs, None)[2]
    shape = (*x.shape[:-1], weight.shape[0])
    values = []
    for place in numpy.ndindex(shape):
        pairs = zip(x.values[place[:-1]], weight.values[place[-1]], strict=True)
        added = [bias.values[place[-1]]] if bias is not None else []
        if not exact.is_float(x.dtype):
            value = exact.wrapped(x.dtype, sum((a * b for a, b in pairs), sum(added)))
            values.append(max(value, 0) if call.attrs["activation"] == "relu" else value)
            continue
        terms = [exact.exact_product(*pair) for pair in pairs] + added
        value = activated(call.attrs["activation"], exact.exact_sum(terms))
        values.append(exact.rounded(x.dtype, value))
    return [Array.of(x.dtype, shape, values)]
