# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/random_more.py: what else is made of Philox words.

import dataclasses
import math

import mpmath

import exact
from exact_array import Array
from ops import Call, golden
from ops.factorisations import qr
from ops.random import block, normal, uniforms


def pairs(key, count):
    """`count` integers of 64 bits, of two words each."""
    words = [word for b in range((2 * count + 3) // 4) for word in block(key, b)]
    return [words[2 * i] << 32 | words[2 * i + 1] for i in range(count)]


@golden("tenon.exponential")
def exponential(call):
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    rate = mpmath.mpf(call.attrs["rate"])
    step = mpmath.mpf(2) ** (-53 if dtype == "f64" else -24)
    units = uniforms(call.seed, dtype, math.prod(shape))
    elements = [exact.rounded(dtype, -mpmath.log(u + step) / rate) for u in units]
    return [Array.of(dtype, shape, elements)]


@golden("tenon.random_integers")
def random_integers(call):
    low, high, shape = (call.attrs[name] for name in ("low", "high", "shape"))
    drawn = pairs(call.seed, math.prod(shape))
    return [Array.of(call.dtypes["D"], shape, [low + (w * (high - low) >> 64) for w in drawn])]


@golden("tenon.bernoulli")
def bernoulli(call):
    (p,) = call.inputs
    units = uniforms(call.seed, "f64" if p.dtype == "f64" else "f32", p.values.size)
    ones = [float(u < x) for u, x in zip(units, p.elements(), strict=True)]
    return [Array.of(p.dtype, p.shape, ones)]


@golden("tenon.dropout")
def dropout(call):
    """The scale is rounded to f32, or f64: that is what the op says."""
    (x,) = call.inputs
    p = call.attrs["p"]
    wide = "f64" if x.dtype == "f64" else "f32"
    scale = exact.rounded(wide, exact.divided(1.0, 1.0 - p))
    kept = [u >= p for u in uniforms(call.seed, "f32", x.values.size)]
    elements = [
        exact.rounded(x.dtype, exact.rounded(wide, value * scale)) if keep else 0.0
        for value, keep in zip(x.elements(), kept, strict=True)
    ]
    return [Array.of(x.dtype, x.shape, elements), Array.of("bool", x.shape, kept)]


@golden("tenon.permutation")
def permutation(call):
    n = call.attrs["n"]
    keys = pairs(call.seed, n)
    order = sorted(range(n), key=lambda i: (keys[i], i))
    return [Array.of(call.dtypes["D"], (n,), order)]


def category(weights, unit):
    """Sums of f64 in order: that is what the op says."""
    sums, total = [], 0.0
    for weight in weights:
        total += weight
        sums.append(total)
    for k, value in enumerate(sums):
        if value > unit * total:
            return k
    return max(k for k, weight in enumerate(weights) if weight > 0)


@golden("tenon.multinomial")
def multinomial(call):
    (given,) = call.inputs
    draws = call.attrs["num_samples"]
    *lead, n = given.shape
    units = iter(uniforms(call.seed, "f64", math.prod(lead) * draws))
    drawn = []
    for row in given.values.reshape(math.prod(lead), n):
        weights = list(row)
        for _ in range(draws):
            drawn.append(category(weights, next(units)))
            if not call.attrs["replacement"]:
                weights[drawn[-1]] = 0.0
    return [Array.of("i64", (*lead, draws), drawn)]


def lower_quantile(p):
    """The z with p = F(z), for 0 < p <= 1/2, by Newton's method on log F from the left."""
    log_p = mpmath.log(p)
    z = -mpmath.sqrt(-2 * log_p)
    for _ in range(200):
        below = mpmath.ncdf(z)
        step = (log_p - mpmath.log(below)) * below / mpmath.npdf(z)
        z += step
        if abs(step) < mpmath.mpf(10) ** -45 * (1 + abs(z)):
            return z
    raise ValueError(f"no quantile of {p}")


def between(a, b, u):
    """The z with F(z) = F(a) + u (F(b) - F(a)), as precise for a far right as for b far left."""
    if a > 0:
        return -between(-b, -a, 1 - u)
    inside = mpmath.ncdf(b) - mpmath.ncdf(a)
    p, q = mpmath.ncdf(a) + u * inside, mpmath.ncdf(-b) + (1 - u) * inside
    return lower_quantile(p) if p <= q else -lower_quantile(q)


def next_to(dtype, bound, direction):
    """The number of the dtype next to a bound, on the side of `direction`."""
    nearest = exact.rounded(dtype, bound)
    if (nearest - bound) * direction >= 0:
        return nearest
    # Half of the least distance of two numbers there leads past the middle of this gap.
    digits, least, _ = exact.FORMATS[dtype]
    exponent = max(math.frexp(nearest)[1] - 1, least) - digits + 1
    beyond = mpmath.mpf(nearest) + direction * mpmath.ldexp(mpmath.mpf("0.75"), exponent)
    return exact.rounded(dtype, beyond)


@golden("tenon.truncated_normal")
def truncated_normal(call):
    dtype, shape = call.dtypes["D"], call.attrs["shape"]
    mean, deviation = mpmath.mpf(call.attrs["mean"]), mpmath.mpf(call.attrs["std"])
    low, high = call.attrs["low"], call.attrs["high"]
    a, b = ((mpmath.mpf(bound) - mean) / deviation for bound in (low, high))
    # What lies farther out is nothing beside 60 digits of the rest, and too far for mpmath.
    a, b = max(a, mpmath.mpf(-1000)), min(b, mpmath.mpf(1000))
    least, most = next_to(dtype, low, 1), next_to(dtype, high, -1)
    parts = 52 if dtype == "f64" else 24
    elements = []
    for unit in uniforms(call.seed, dtype, math.prod(shape)):
        u = (math.floor(unit * 2**parts) + mpmath.mpf("0.5")) / 2**parts
        y = exact.rounded(dtype, mean + deviation * between(a, b, u))
        elements.append(min(max(y, least), most))
    return [Array.of(dtype, shape, elements)]


@golden("tenon.orthogonal")
def orthogonal(call):
    dtype, (rows, *rest) = call.dtypes["D"], call.attrs["shape"]
    columns = math.prod(rest)
    sizes = (max(rows, columns), min(rows, columns))
    drawn = normal(dataclasses.replace(call, attrs={"shape": sizes, "mean": 0, "std": 1}))
    q = qr(Call(drawn, {}, call.dtypes, call.seed))[0].values
    q = (q.T if rows < columns else q).reshape(-1)
    gain = exact.rounded(dtype, call.attrs["gain"])
    elements = [exact.rounded(dtype, value * gain) for value in q]
    return [Array.of(dtype, call.attrs["shape"], elements)]
