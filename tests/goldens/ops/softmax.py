# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/softmax.py: exponentials that sum to 1, and the loss made of them.

import math

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden


def log_probabilities(line):
    """log(exp(x) / sum exp) of each element, as mpf; NaN for all where one is NaN or +inf."""
    largest = max(range(len(line)), key=lambda i: line[i])
    if any(math.isnan(x) for x in line) or math.isinf(line[largest]):
        return [mpmath.nan] * len(line)
    shifted = [mpmath.mpf(x) - mpmath.mpf(line[largest]) for x in line]
    rest = sum((mpmath.exp(s) for i, s in enumerate(shifted) if i != largest), mpmath.mpf(0))
    log_sum = mpmath.log1p(rest)
    return [s - log_sum for s in shifted]


def along_axis(call, function):
    """function(line) for each line of x along the axis, rounded once."""
    x = call.inputs[0]
    moved = numpy.moveaxis(x.values, call.attrs["axis"], -1)
    result = numpy.empty(moved.shape, dtype=object)
    if moved.size:
        for place in numpy.ndindex(moved.shape[:-1]):
            result[place] = [exact.rounded(x.dtype, value) for value in function(moved[place])]
    result = numpy.moveaxis(result, -1, call.attrs["axis"])
    return [Array.of(x.dtype, x.shape, result.reshape(-1))]


@golden("tenon.log_softmax")
def log_softmax(call):
    return along_axis(call, log_probabilities)


@golden("tenon.softmax")
def softmax(call):
    return along_axis(call, lambda line: [mpmath.exp(p) for p in log_probabilities(line)])


@golden("tenon.softmax_cross_entropy")
def softmax_cross_entropy(call):
    logits, target, weight = (*call.inputs, None)[:3]
    dtype = logits.dtype
    inner = "f64" if dtype == "f64" else "f32"
    smoothing = mpmath.mpf(exact.rounded(inner, call.attrs["label_smoothing"]))
    classes = logits.shape[1]
    weights = [mpmath.mpf(w) for w in ([1.0] * classes if weight is None else weight.elements())]
    rows = [log_probabilities(list(row)) for row in logits.values]
    terms, counts = [], []
    for row, number in zip(rows, target.elements(), strict=True):
        if number == call.attrs["ignore_index"]:
            terms.append(mpmath.mpf(0))
            continue
        term = (1 - smoothing) * -row[number] * weights[number]
        if smoothing:
            every = sum(p * w for p, w in zip(row, weights, strict=True))
            term -= smoothing * every / classes
        terms.append(term)
        counts.append(weights[number])
    tops = [top_of(list(row), probs) for row, probs in zip(logits.values, rows, strict=True)]
    columns = ([exact.rounded(dtype, top[k]) for top in tops] for k in range(2))
    kept = [Array.of(dtype, (len(rows),), column) for column in columns]
    if call.attrs["reduction"] == "none":
        found = Array.of(dtype, (len(rows),), [exact.rounded(dtype, term) for term in terms])
        return [found, *kept]
    loss = sum(terms, mpmath.mpf(0))
    if call.attrs["reduction"] == "mean" and counts:
        loss = exact.precise_divided(loss, sum(counts))
    return [Array.of(dtype, (), [exact.rounded(dtype, loss)]), *kept]


def top_of(line, log_probs):
    """The largest element and its probability; NaN where the line has no probabilities."""
    if any(math.isnan(p) for p in log_probs):
        return mpmath.nan, mpmath.nan
    return mpmath.mpf(max(line)), mpmath.exp(max(log_probs))


@golden("tenon.softmax_cross_entropy_grad")
def softmax_cross_entropy_grad(call):
    dy, logits, top, top_prob, target = call.inputs
    dtype = logits.dtype
    classes = target.elements()
    ignored = call.attrs["ignore_index"]
    count = sum(c != ignored for c in classes)
    result = numpy.empty(logits.shape, dtype=object)
    for n, c in numpy.ndindex(logits.shape):
        if classes[n] == ignored:
            result[n, c] = 0.0
            continue
        power = mpmath.exp(mpmath.mpf(logits.values[n, c]) - mpmath.mpf(top.values[n]))
        slope = power * mpmath.mpf(top_prob.values[n]) - (c == classes[n])
        scale = mpmath.mpf(dy.elements()[0]) / count
        result[n, c] = exact.rounded(dtype, scale * slope)
    return [Array.of(dtype, logits.shape, result.reshape(-1))]
