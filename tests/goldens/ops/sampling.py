# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/sampling.py: which tokens may be drawn, and which one is.
"""Python's own * and / are those of f64. Probabilities are exact ones, of 60 digits: whether one is
above a bound does not depend on how an exponential is rounded, unless a sample is chosen for
that."""

import math

import mpmath

import exact
from exact_array import Array
from ops import golden
from ops.random import uniforms

OUT = -math.inf


def rows(array):
    *lead, n = array.shape
    return [list(row) for row in array.values.reshape(math.prod(lead), n)]


def stays(logits, attrs):
    """The numbers of the tokens that stay, the most likely first."""
    tokens = sorted(
        (k for k, z in enumerate(logits) if z != OUT), key=lambda k: (-logits[k], k)
    )
    if attrs["temperature"] == 0:
        return tokens[:1]
    if attrs["top_k"] > 0:
        tokens = tokens[: attrs["top_k"]]
    largest = mpmath.mpf(logits[tokens[0]])
    weights = [mpmath.exp(logits[k] - largest) for k in tokens]
    if attrs["top_p"] < 1:
        bound = attrs["top_p"] * mpmath.fsum(weights)
        count = sum(mpmath.fsum(weights[:i]) < bound for i in range(len(tokens)))
        tokens = tokens[: max(count, 1)]
    return [
        k
        for k, weight in zip(tokens, weights, strict=False)
        if weight >= attrs["min_p"]
    ]


def filtered(call):
    (given,) = call.inputs
    temperature = call.attrs["temperature"]
    for row in rows(given):
        if temperature not in (0, 1):
            divided = [z / temperature for z in row]
            row = [exact.rounded(given.dtype, z) for z in divided]
        kept = stays(row, call.attrs)
        yield [z if k in kept else OUT for k, z in enumerate(row)]


@golden("tenon.filter_logits")
def filter_logits(call):
    (given,) = call.inputs
    elements = [z for row in filtered(call) for z in row]
    return [Array.of(given.dtype, given.shape, elements)]


def token(logits, unit):
    """Sums of f64 in order: that is what the op says."""
    largest = mpmath.mpf(max(logits))
    weights = [0.0 if z == OUT else float(mpmath.exp(z - largest)) for z in logits]
    total = sum_of = 0.0
    for weight in weights:
        total += weight
    for k, weight in enumerate(weights):
        sum_of += weight
        if sum_of > unit * total:
            return k
    return max(k for k, weight in enumerate(weights) if weight > 0)


@golden("tenon.sample")
def sample(call):
    (given,) = call.inputs
    lead = given.shape[:-1]
    units = uniforms(call.seed, "f64", math.prod(lead))
    drawn = [token(row, unit) for row, unit in zip(filtered(call), units, strict=True)]
    return [Array.of("i64", lead, drawn)]


@golden("tenon.repetition_penalty")
def repetition_penalty(call):
    logits, tokens = call.inputs
    penalty = call.attrs["penalty"]
    result = [list(row) for row in logits.values]
    for b, row in enumerate(tokens.values):
        for t in {int(t) for t in row if t >= 0}:
            x = result[b][t]
            if math.isfinite(x) and x != 0:
                y = x * penalty if x < 0 else x / penalty
                result[b][t] = exact.rounded(logits.dtype, y)
    return [Array.of(logits.dtype, logits.shape, [x for row in result for x in row])]
