#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# backends/cpu/tools/minimax.py: derives the polynomials of kernels/math*-inl.h.
#
#   minimax.py | clang-format > ../kernels/math_coefficients.h
#   minimax.py NAME...        prints these fits alone
#
# Each polynomial minimises the largest weighted error by Remez' exchange algorithm, on a grid of
# Chebyshev points and in 50 digits. Coefficients are then rounded: what is fitted is multiplied by
# so small a number, beside an exact term, that this costs next to nothing.
# Source: E. Remez, "Sur le calcul effectif des polynomes d'approximation de Tchebichef", 1934.
# Needs mpmath.
import sys

from mpmath import (
    atan, atanh, cos, erf, erfc, erfinv, exp, expm1, findroot, log, log1p, loggamma, lu_solve,
    matrix, mp, mpf, pi, psi, sin, sinh, sqrt, tan, tanh)

mp.dps = 50
GRID = 1200


def grid(low, high):
    """Chebyshev points: dense at the ends, where errors of polynomials are largest."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * cos(pi * (2 * i + 1) / (2 * GRID)) for i in range(GRID)]


def value(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def extrema(errors, count):
    """Indices of `count` neighbouring extrema of alternating sign, the largest of them inside."""
    runs = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs


def remez(points, wanted, weights, count):
    """`count` coefficients that minimise the largest |weight * (wanted - polynomial)|."""
    n = len(points)
    chosen = [round((n - 1) * (1 - float(cos(pi * i / count))) / 2) for i in range(count + 1)]
    for _ in range(40):
        system, right = matrix(count + 1, count + 1), matrix(count + 1, 1)
        for row, i in enumerate(chosen):
            power = mpf(1)
            for column in range(count):
                system[row, column] = power
                power *= points[i]
            system[row, count] = (-1) ** row / weights[i]
            right[row] = wanted[i]
        solved = lu_solve(system, right)
        coefficients = [solved[k] for k in range(count)]
        errors = [w * (g - value(coefficients, x)) for x, g, w in zip(points, wanted, weights)]
        found = extrema(errors, count + 1)
        if len(found) <= count or max(map(abs, errors)) < abs(solved[count]) * mpf("1.001"):
            return coefficients
        chosen = found
    return coefficients


def rounded(x, bits):
    """x to `bits` significant bits."""
    if x == 0:
        return x
    scale = mpf(2) ** (bits - 1 - int(mp.floor(log(abs(x), 2))))
    return mp.nint(x * scale) / scale


def fit(function, weight, low, high, count, bits):
    points = grid(mpf(low), mpf(high))
    wanted = [function(x) for x in points]
    weights = [weight(x) for x in points]
    done = [rounded(c, bits) for c in remez(points, wanted, weights, count)]
    left = max(abs(w * (g - value(done, x))) for x, g, w in zip(points, wanted, weights))
    return done, left


def literal(c, bits):
    text = float(c).hex()
    mantissa, exponent = text.split("p")
    mantissa = mantissa.rstrip("0")
    if mantissa.endswith("."):
        mantissa += "0"
    return f"{mantissa}p{exponent}" + ("f" if bits == 24 else "")


ln2 = log(mpf(2))
HALF_LN2 = ln2 / 2 * mpf("1.001")  # the reduced argument may round past the half
LOW_LOG, HIGH_LOG = sqrt(mpf("0.5")) - mpf("1.0001"), sqrt(mpf(2)) - mpf("0.9999")
QUARTER_PI2 = (pi / 4 * mpf("1.0001")) ** 2
MOST_LOG_Z = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.001")
NEAR = mpf(2) ** -40  # in place of 0, where quotients have a limit


def log_erfc_slope(u):
    """(log erfc(1 + u) - log erfc(1)) / u."""
    return (log(erfc(1 + u)) - log(erfc(mpf(1)))) / u


def normal_tail(w, by):
    """exp(t^2 / 2) (t + by) times the normal distribution's tail beyond t; t is where
    w = (t - by) / (t + by)."""
    t = by * (1 + w) / (1 - w)
    return exp(t * t / 2) * erfc(t / sqrt(mpf(2))) / 2 * (t + by)


def inverse_tail(w):
    """erfinv(1 - exp(-s^2)) - s, where w = (s - 2) / (s + 2)."""
    s = distance(w)
    p = exp(-s * s)
    y = s
    for _ in range(100):
        step = (erfc(y) - p) * sqrt(pi) / 2 * exp(y * y)
        y += step / (1 - y * step)  # Halley's
        if abs(step) < mpf(10) ** -40:
            return y - s
    raise ValueError(w)


def distance(w):
    return 2 * (1 + w) / (1 - w)


def stirling_rest(x):
    """log Gamma(x) without the first terms of Stirling's series."""
    return loggamma(x) - ((x - mpf("0.5")) * log(x) - x + log(2 * pi) / 2)


DIGAMMA_ROOT = findroot(lambda x: psi(0, x), mpf("1.4616"))
FROM_8 = mpf("1.0001") / 64

# name: function, weight (1 / what the error is relative to), low, high, coefficients, bits
FITS = {
    # (exp(r) - 1 - r) / r^2, relative to expm1(r)
    "kExpF32": (lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / abs(expm1(r)),
                -HALF_LN2, HALF_LN2, 5, 24),
    "kExpLongF32": (lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / abs(expm1(r)),
                    -HALF_LN2, HALF_LN2, 6, 24),
    "kExpF64": (lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / abs(expm1(r)),
                -HALF_LN2, HALF_LN2, 11, 53),
    # exp(r), to the precision that a float rounded from it needs
    "kExpWide": (exp, lambda r: exp(-r), -HALF_LN2, HALF_LN2, 7, 53),
    # (log(1 + f) - f) / f^2, relative to log(1 + f)
    "kLogF32": (lambda f: (log1p(f) - f) / f**2, lambda f: f**2 / abs(log1p(f)),
                LOW_LOG, HIGH_LOG, 9, 24),
    # log(1 + f) by s = f / (2 + f), z = s^2: (2 atanh(s) - 2 s) / s in powers of z, from z
    "kLogF64": (lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z, lambda z: z,
                NEAR, ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.001"), 7, 53),
    # log2(1 + f) / f
    "kLog2Wide": (lambda f: log1p(f) / f / ln2, lambda f: f / log1p(f) * ln2,
                  LOW_LOG, HIGH_LOG, 13, 53),
    # (tanh(x) - x) / x^3 in powers of x^2, relative to tanh(x)
    "kTanhF32": (lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z,
                 lambda z: z * sqrt(z) / tanh(sqrt(z)), NEAR, mpf("1.0"), 7, 24),
    # (erf(x) - x) / x in powers of x^2, relative to erf(x)
    "kErfF32": (lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z)),
                NEAR, mpf("1.0"), 7, 24),
    # erf(x + 2.3828125), a number whose erf is very nearly an f32
    "kErfLargeF32": (lambda u: erf(u + mpf("2.3828125")), lambda u: mpf(1),
                     mpf("-1.3828125"), mpf("1.6171875"), 16, 24),
    # sin(r) / r and cos(r) in powers of r^2
    "kSinWide": (lambda z: sin(sqrt(z)) / sqrt(z), lambda z: sqrt(z) / sin(sqrt(z)),
                 NEAR, QUARTER_PI2, 5, 53),
    "kCosWide": (lambda z: cos(sqrt(z)), lambda z: 1 / cos(sqrt(z)), NEAR, QUARTER_PI2, 5, 53),
    # (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in powers of r^2
    "kSinF64": (lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)),
                NEAR, QUARTER_PI2, 6, 53),
    "kCosF64": (lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)),
                NEAR, QUARTER_PI2, 6, 53),
    # 2 atanh(s) / s - 2 - 2/3 z over z^2 in powers of z = s^2
    "kPowLogF64": (lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2 - 2 * z / 3) / z**2,
                   lambda z: z**2 / 2, NEAR, MOST_LOG_Z, 7, 53),
    # atan(s) / s in powers of s^2
    "kAtanWide": (lambda z: atan(sqrt(z)) / sqrt(z), lambda z: sqrt(z) / atan(sqrt(z)),
                  NEAR, mpf(1), 12, 53),
    # (atan(s) / s - 1) / s^2 in powers of s^2
    "kAtanF64": (lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / atan(sqrt(z)),
                 NEAR, tan(pi / 8) ** 2 * mpf("1.0001"), 11, 53),
    # (sinh(x) / x - 1) / x^2 in powers of x^2, relative to sinh(x)
    "kSinhF64": (lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z,
                 lambda z: z * sqrt(z) / sinh(sqrt(z)), NEAR, mpf(1), 8, 53),
    # as kErfF32
    "kErfF64": (lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z)),
                NEAR, mpf("1.0"), 13, 53),
    # log erfc(1 + u) without its constant, over u, as its error shows in erf
    "kLogErfcF64": (log_erfc_slope, lambda u: u * erfc(1 + u), NEAR, mpf("4.95"), 19, 53),
    "kNormalTailWide": (lambda w: normal_tail(w, 2), lambda w: 1 / normal_tail(w, 2),
                        mpf(-1), mpf("0.82"), 12, 53),
    # for t up to 40
    "kNormalTailF64": (lambda w: normal_tail(w, 5), lambda w: 1 / normal_tail(w, 5),
                       mpf(-1), mpf(35) / 45, 24, 53),
    # log Gamma(2 + u) / (u (1 + u)); digamma(2 + u) over its distance from the root
    "kLogGammaF64": (lambda u: loggamma(2 + u) / (u * (1 + u)),
                     lambda u: u * (1 + u) / loggamma(2 + u), -1, 1, 30, 53),
    "kDigammaF64": (lambda u: psi(0, 2 + u) / (2 + u - DIGAMMA_ROOT),
                    lambda u: (2 + u - DIGAMMA_ROOT) / psi(0, 2 + u), -1, 1, 30, 53),
    # from 8 on, in powers of z = 1 / x^2: log Gamma(x), digamma(x) and trigamma(x) without the
    # first terms of their series, times x, 1 / z and x / z
    "kLogGammaFarF64": (lambda z: stirling_rest(1 / sqrt(z)) / sqrt(z),
                        lambda z: sqrt(z) / loggamma(1 / sqrt(z)), NEAR, FROM_8, 6, 53),
    "kDigammaFarF64": (lambda z: (-log(z) / 2 - sqrt(z) / 2 - psi(0, 1 / sqrt(z))) / z,
                       lambda z: z / psi(0, 1 / sqrt(z)), NEAR, FROM_8, 7, 53),
    "kTrigammaFarF64": (lambda z: (psi(1, 1 / sqrt(z)) - sqrt(z) - z / 2) / (z * sqrt(z)),
                        lambda z: z * sqrt(z) / psi(1, 1 / sqrt(z)), NEAR, FROM_8, 7, 53),
    # (erfinv(x) / x - sqrt(pi) / 2) / x^2 in powers of x^2; erfinv(1 - exp(-s^2)) - s for s to 6.07
    "kErfInverseF64": (lambda z: (erfinv(sqrt(z)) / sqrt(z) - sqrt(pi) / 2) / z,
                       lambda z: z * sqrt(z) / erfinv(sqrt(z)), NEAR, mpf("0.5626"), 22, 53),
    "kErfInverseTailF64": (inverse_tail, lambda w: 1 / (inverse_tail(w) + distance(w)),
                           mpf("-0.2591"), mpf("0.5043"), 22, 53),
}


HEAD = """// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_coefficients.h: the polynomials of math*-inl.h, lowest power first.
// Written by tools/minimax.py, which says what each stands for.
#pragma once

namespace tenon::cpu {
"""


def main(names):
    if not names:
        print(HEAD)
    for name in names or FITS:
        function, weight, low, high, count, bits = FITS[name]
        coefficients, left = fit(function, weight, low, high, count, bits)
        type_name = "float" if bits == 24 else "double"
        print(f"// Error at most 2^{float(log(left, 2)):.1f}.")
        print(f"inline constexpr {type_name} {name}[] = {{")
        for c in coefficients:
            print(f"    {literal(c, bits)},")
        print("};", flush=True)
    if not names:
        print("\n}  // namespace tenon::cpu")


if __name__ == "__main__":
    main(sys.argv[1:])
