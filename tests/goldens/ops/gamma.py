# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/gamma.py: the gamma function's logarithm and its slopes, the inverse of erf.

import functools
import math

import mpmath

import exact
from ops import golden


def float_function(function):
    """`function` of a float, rounded once; the corners are its own affair."""

    def compute(call):
        x = call.inputs[0]
        return [x.map(x.dtype, lambda value: exact.rounded(x.dtype, function(value)))]

    return compute


def is_pole(x):
    return x <= 0 and x == math.floor(x)


@functools.cache
def with_digits(function, x):
    """`function` of mpmath with so many digits that none of 60 is lost to a large x."""
    with mpmath.workdps(120 + int(abs(math.log10(abs(x))))):
        return +function(mpmath.mpf(x))


@golden("tenon.lgamma")
@float_function
def lgamma(x):
    if not math.isfinite(x):
        return abs(x)
    if is_pole(x):
        return math.inf
    return with_digits(log_of_gamma, x)


def log_of_gamma(x):
    """By reflection below 0, where the logarithm itself is complex."""
    if x > 0:
        return mpmath.loggamma(x)
    sine = abs(mpmath.sinpi(x))
    return mpmath.log(mpmath.pi / sine) - mpmath.loggamma(1 - x)


@golden("tenon.digamma")
@float_function
def digamma(x):
    if x == 0:
        return -math.copysign(math.inf, x)
    if not math.isfinite(x):
        return math.nan if x < 0 else x
    return math.nan if is_pole(x) else with_digits(mpmath.digamma, x)


@golden("tenon.trigamma")
@float_function
def trigamma(x):
    if not math.isfinite(x):
        return 0.0 if x > 0 else math.nan
    return math.inf if is_pole(x) else with_digits(slope_of_digamma, x)


def slope_of_digamma(x):
    if x > 0:
        return mpmath.psi(1, x)
    return (mpmath.pi / mpmath.sinpi(x)) ** 2 - mpmath.psi(1, 1 - x)


@golden("tenon.erfinv")
@float_function
def erfinv(x):
    if x == 0 or math.isnan(x):
        return x
    if abs(x) >= 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    return mpmath.erfinv(mpmath.mpf(x))
