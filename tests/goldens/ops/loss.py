# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/loss.py: losses: terms of each element or row, and what is made of them.

import math
from fractions import Fraction

import mpmath
import numpy

import exact
from exact_array import Array, broadcast
from ops import golden


def special(value):
    """An infinity or a NaN, as a float; None of a number."""
    return None if mpmath.isfinite(value) else float(value)


def total(values):
    """The sum of Fractions or mpf, in their own kind; infinities and NaNs as IEEE 754 has them."""
    odd = [special(value) for value in values if special(value) is not None]
    return sum(odd) if odd else sum(values, Fraction(0))


def quotient(a, b):
    """a / b, also by 0 and of what is not finite."""
    if special(a) is not None or b == 0:
        return exact.divided(float(a), float(b))
    return a / b


def reduced(dtype, terms, reduction):
    """The result of an Array of terms that are Fractions, mpf or floats that are not finite."""
    if reduction == "none":
        return [terms.map(dtype, lambda value: exact.rounded(dtype, value))]
    result = total(terms.elements())
    if reduction == "mean":
        result = quotient(result, len(terms.elements()))
    if reduction == "batchmean" and terms.shape:
        result = quotient(result, terms.shape[0])
    return [Array.of(dtype, (), [exact.rounded(dtype, result)])]


def in_arithmetic(dtype, value):
    """An attribute as the ops of the composition read it."""
    return Fraction(exact.rounded("f64" if dtype == "f64" else "f32", value))


# ---- Differences --------------------------------------------------------------------------------


def of_differences(call, term):
    """`term` of |x - target|, a Fraction; infinity stays infinity."""
    x, target = call.inputs
    dtype = x.dtype

    def element(a, b):
        if not (math.isfinite(a) and math.isfinite(b)):
            return abs(a - b)
        return term(abs(Fraction(a) - Fraction(b)))

    return reduced(dtype, broadcast(dtype, element, x, target), call.attrs["reduction"])


@golden("tenon.mse_loss")
def mse_loss(call):
    return of_differences(call, lambda d: d * d)


@golden("tenon.l1_loss")
def l1_loss(call):
    return of_differences(call, lambda d: d)


@golden("tenon.huber_loss")
def huber_loss(call):
    delta = in_arithmetic(call.inputs[0].dtype, call.attrs["delta"])
    return of_differences(call, lambda d: d * d / 2 if d <= delta else delta * (d - delta / 2))


@golden("tenon.smooth_l1_loss")
def smooth_l1_loss(call):
    beta = in_arithmetic(call.inputs[0].dtype, call.attrs["beta"])
    return of_differences(call, lambda d: d * d / (2 * beta) if d < beta else d - beta / 2)


# ---- Probabilities ------------------------------------------------------------------------------


def product(a, b):
    """Of two mpf as IEEE 754 has it."""
    if special(a) is None and special(b) is None:
        return a * b
    return mpmath.mpf(float(mpmath.sign(a) if special(a) is None else a) * float(b))


def log_sigmoid(x):
    if mpmath.isnan(x) or x == -mpmath.inf:
        return x
    # Far right of 0 the exponential is the whole result, far left it is nothing beside x.
    if abs(x) > 2000:
        return mpmath.mpf(0) if x > 0 else x
    return -mpmath.log1p(mpmath.exp(-x)) if x > 0 else x - mpmath.log1p(mpmath.exp(x))


@golden("tenon.binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(call):
    x, target, *rest = (*call.inputs, None, None)[:4]
    dtype = x.dtype
    one = Array.of(dtype, (), [1.0])
    weight, pos_weight = (one if array is None else array for array in rest)

    def element(x, t, w, p):
        x, t, w, p = (mpmath.mpf(value) for value in (x, t, w, p))
        slope = product(p - 1, t) + 1 if p != 1 else mpmath.mpf(1)
        return product(product(1 - t, x) - product(slope, log_sigmoid(x)), w)

    terms = broadcast(dtype, element, x, target, weight, pos_weight)
    return reduced(dtype, terms, call.attrs["reduction"])


def logarithm(x):
    if mpmath.isnan(x) or x < 0:
        return mpmath.nan
    return x if special(x) is not None else mpmath.log(x)


def exponential(x):
    if special(x) is None:
        return mpmath.exp(x) if x > -3000 else mpmath.mpf(0)
    return mpmath.mpf(0) if x == -mpmath.inf else x


@golden("tenon.kl_div")
def kl_div(call):
    x, target = call.inputs
    dtype = x.dtype

    def element(x, t):
        x, t = mpmath.mpf(x), mpmath.mpf(t)
        if call.attrs["log_target"]:
            return product(exponential(t), t - x)
        return product(t, logarithm(t if t != 0 else mpmath.mpf(1)) - x)

    terms = broadcast(dtype, element, x, target)
    return reduced(dtype, terms, call.attrs["reduction"])


@golden("tenon.nll_loss")
def nll_loss(call):
    x, target, weight = (*call.inputs, None)[:3]
    dtype = x.dtype
    lines = numpy.moveaxis(x.values, 0 if len(x.shape) == 1 else 1, -1)
    terms, counts = [], []
    for place in numpy.ndindex(target.shape):
        number = target.values[place]
        ignored = number == call.attrs["ignore_index"]
        count = 0.0 if ignored else 1.0 if weight is None else weight.values[number]
        value = 0.0 if ignored else -lines[place][number]
        finite = math.isfinite(value) and math.isfinite(count)
        terms.append(Fraction(value) * Fraction(count) if finite else value * count)
        counts.append(count)
    reduction = call.attrs["reduction"]
    if reduction != "mean":
        return reduced(dtype, Array.of(dtype, target.shape, terms), reduction)
    mean = quotient(total(terms), exact.exact_sum(counts))
    return [Array.of(dtype, (), [exact.rounded(dtype, mean)])]


# ---- Angles -------------------------------------------------------------------------------------


def length(values, more=0):
    if not all(math.isfinite(value) for value in values):
        return mpmath.nan if any(math.isnan(value) for value in values) else mpmath.inf
    return mpmath.sqrt(sum((mpmath.mpf(value) ** 2 for value in values), mpmath.mpf(more)))


def over(a, b):
    """a / b of two mpf, b a length."""
    if b == mpmath.inf and special(a) is None:
        return mpmath.mpf(0)
    return mpmath.nan if special(b) is not None else exact.precise_divided(a, b)


def cosine(a, b, least):
    lengths = [length(line) for line in (a, b)]
    lengths = [most if most > least or mpmath.isnan(most) else least for most in lengths]
    pairs = zip(a, b, strict=True)
    parts = [
        product(over(mpmath.mpf(x), lengths[0]), over(mpmath.mpf(y), lengths[1])) for x, y in pairs
    ]
    return sum(parts, mpmath.mpf(0))


@golden("tenon.cosine_similarity")
def cosine_similarity(call):
    a, b = call.inputs
    dtype = a.dtype
    least = mpmath.mpf(exact.rounded("f64" if dtype == "f64" else "f32", call.attrs["eps"]))
    both = [
        numpy.moveaxis(x, call.attrs["axis"], -1)
        for x in numpy.broadcast_arrays(a.values, b.values)
    ]
    shape = both[0].shape[:-1]
    found = [
        exact.rounded(dtype, cosine(list(both[0][place]), list(both[1][place]), least))
        for place in numpy.ndindex(shape)
    ]
    return [Array.of(dtype, shape, found)]


@golden("tenon.cosine_embedding_loss")
def cosine_embedding_loss(call):
    a, b, target = call.inputs
    dtype = a.dtype
    margin = mpmath.mpf(call.attrs["margin"])

    def term(place):
        number = target.values[place]
        if number not in (1, -1):
            return mpmath.mpf(0)
        pairs = list(zip(a.values[place], b.values[place], strict=True))
        products = [product(mpmath.mpf(x), mpmath.mpf(y)) for x, y in pairs]
        scale = product(length(list(a.values[place]), 1e-12), length(list(b.values[place]), 1e-12))
        similarity = over(sum(products, mpmath.mpf(0)), scale)
        if mpmath.isnan(similarity):
            return similarity
        return 1 - similarity if number == 1 else max(similarity - margin, mpmath.mpf(0))

    terms = Array.of(dtype, target.shape, (term(place) for place in numpy.ndindex(target.shape)))
    return reduced(dtype, terms, call.attrs["reduction"])
