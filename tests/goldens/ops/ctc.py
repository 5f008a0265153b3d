# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/ctc.py: the loss of sequences without an alignment, by trying every alignment.

import itertools
import math

import mpmath

import exact
from exact_array import Array
from ops import golden


def collapsed(alignment, blank):
    """The labels that an alignment gives."""
    return [c for c, _ in itertools.groupby(alignment) if c != blank]


def paths(frames, labels, blank):
    """Every alignment of the labels: a class for each frame."""
    classes = sorted({blank, *labels})
    for alignment in itertools.product(classes, repeat=frames):
        if collapsed(alignment, blank) == labels:
            yield alignment


def sequences(log_probs, targets, input_lengths, target_lengths):
    """The frames, as rows of log-probabilities, and the labels of each sequence."""
    first = 0
    for b, count in enumerate(target_lengths.elements()):
        row = targets.values if len(targets.shape) == 1 else targets.values[b]
        begin = first if len(targets.shape) == 1 else 0
        first += count
        frames = log_probs.values[: input_lengths.elements()[b], b]
        yield [[mpmath.mpf(x) for x in row] for row in frames], list(row[begin : begin + count])


def log_sum(values):
    """log(sum of exp), also of numbers whose powers are 0 in any precision."""
    largest = max(values, key=lambda v: -mpmath.inf if mpmath.isnan(v) else v, default=-mpmath.inf)
    if any(mpmath.isnan(v) for v in values):
        return mpmath.nan
    if not mpmath.isfinite(largest):
        return largest
    rest = sum((mpmath.exp(v - largest) for v in values), mpmath.mpf(0))
    return largest + mpmath.log(rest)


def logarithms(frames, labels, blank):
    """Each alignment with the logarithm of its probability."""
    for path in paths(len(frames), labels, blank):
        yield path, sum((frames[t][c] for t, c in enumerate(path)), mpmath.mpf(0))


def loss_of(found, zero_infinity):
    loss = -log_sum([logarithm for _, logarithm in found])
    return mpmath.mpf(0) if zero_infinity and loss == mpmath.inf else loss


def losses(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    for frames, labels in sequences(log_probs, targets, input_lengths, target_lengths):
        yield loss_of(list(logarithms(frames, labels, blank)), zero_infinity)


@golden("tenon.ctc_nll")
def ctc_nll(call):
    dtype = call.inputs[0].dtype
    found = list(losses(*call.inputs, call.attrs["blank"], call.attrs["zero_infinity"]))
    return [Array.of(dtype, (len(found),), [exact.rounded(dtype, value) for value in found])]


def product(a, b):
    """As IEEE 754 has it."""
    if mpmath.isfinite(a) and mpmath.isfinite(b):
        return a * b
    if mpmath.isnan(a) or mpmath.isnan(b):
        return mpmath.nan
    return mpmath.mpf(float(a) * float(b) if b == 0 else math.copysign(1, b) * float(a))


def shares(frames, labels, blank, zero_infinity):
    """{(frame, class): share of the alignments}; all NaN if there is none."""
    found = list(logarithms(frames, labels, blank))
    total = log_sum([logarithm for _, logarithm in found])
    if total == -mpmath.inf and zero_infinity:
        return
    for t, c in itertools.product(range(len(frames)), sorted({blank, *labels})):
        own = log_sum([logarithm for path, logarithm in found if path[t] == c])
        if own == -mpmath.inf and mpmath.isfinite(total):
            yield t, c, mpmath.mpf(0)
        else:
            yield t, c, mpmath.exp(own - total)


@golden("tenon.ctc_nll_grad")
def ctc_nll_grad(call):
    dy, log_probs, *rest = call.inputs
    result = Array.of(log_probs.dtype, log_probs.shape, [0.0] * log_probs.values.size)
    blank, zero_infinity = call.attrs["blank"], call.attrs["zero_infinity"]
    for b, (frames, labels) in enumerate(sequences(log_probs, *rest)):
        slope = mpmath.mpf(dy.elements()[b])
        for t, c, share in shares(frames, labels, blank, zero_infinity):
            value = 0 - product(slope, share)
            result.values[t, b, c] = exact.rounded(log_probs.dtype, value)
    return [result]


@golden("tenon.ctc_loss")
def ctc_loss(call):
    log_probs, targets, input_lengths, target_lengths = call.inputs
    dtype, reduction = log_probs.dtype, call.attrs["reduction"]
    shape = log_probs.shape[1:-1]
    if not shape:
        log_probs = Array(dtype, log_probs.values[:, None])
    counts = [max(count, 1) for count in target_lengths.elements()]
    values = list(
        losses(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            call.attrs["blank"],
            call.attrs["zero_infinity"],
        )
    )
    if reduction == "none":
        return [Array.of(dtype, shape, [exact.rounded(dtype, value) for value in values])]
    if reduction == "mean":
        values = [value / count for value, count in zip(values, counts, strict=True)]
    result = sum(values, mpmath.mpf(0))
    if reduction == "mean":
        result = result / len(values) if values else mpmath.nan
    return [Array.of(dtype, (), [exact.rounded(dtype, result)])]
