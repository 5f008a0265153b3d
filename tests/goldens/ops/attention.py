# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/attention.py: which keys a query sees, how much it attends to each, the weighted
# values, and their gradients.

import math

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden


def numbers(array):
    """The elements as an array of mpf."""
    result = numpy.empty(array.shape, dtype=object)
    result.reshape(-1)[:] = [mpmath.mpf(value) for value in array.elements()]
    return result


def optional(call, index):
    return call.inputs[index] if index < len(call.inputs) else None


def sees(attrs, lengths, start, keys, b, i):
    """The keys, as a list of truths, that query i of sequence b sees but for a mask."""
    length = keys if lengths is None else lengths.elements()[b]
    position = i + (0 if start is None else start.elements()[b])
    window = attrs["window"]
    result = []
    for j in range(keys):
        near = window == 0 or (position - j < window and j - position < window)
        before = j <= position or not attrs["causal"]
        result.append(j < length and near and before)
    return result


@golden("tenon.attention_mask")
def attention_mask(call):
    lengths, start = optional(call, 0), optional(call, 1)
    queries, keys = call.attrs["queries"], call.attrs["keys"]
    given = lengths if start is None else start
    batch = 1 if given is None else given.shape[0]
    rows = [
        sees(call.attrs, lengths, start, keys, b, i) for b in range(batch) for i in range(queries)
    ]
    values = [truth for row in rows for truth in row]
    return [Array.of("bool", (batch, 1, queries, keys), values)]


def total(values):
    return sum(values, mpmath.mpf(0))


def softmax(scores, seen):
    """Weights of a row, and 0 where a key is not seen or no score is above -inf."""
    used = [s for s, truth in zip(scores, seen, strict=True) if truth]
    if any(mpmath.isnan(s) for s in used):
        return [mpmath.nan if truth else mpmath.mpf(0) for truth in seen]
    top = max(used, default=-mpmath.inf)
    if top == -mpmath.inf:
        return [mpmath.mpf(0)] * len(scores)
    if top == mpmath.inf:
        return [mpmath.nan if truth else mpmath.mpf(0) for truth in seen]
    powers = [
        mpmath.exp(s - top) if truth and s != -mpmath.inf else mpmath.mpf(0)
        for s, truth in zip(scores, seen, strict=True)
    ]
    sum_ = total(powers)
    return [power / sum_ for power in powers]


class Attention:
    """A call whose q is operand `first`: weights, what is seen, and the slopes of the soft cap."""

    def __init__(self, call, first, options):
        self.attrs = call.attrs
        self.q, self.k = (numbers(call.inputs[first + i]) for i in range(2))
        self.batch, self.heads, self.queries, depth = self.q.shape
        self.groups, self.keys = self.k.shape[1:3]
        scale = call.attrs["scale"]
        given = 1 / math.sqrt(max(depth, 1)) if scale is None else scale
        self.scale = mpmath.mpf(exact.rounded(wide(call.inputs[first].dtype), given))
        self.shape = (self.batch, self.heads, self.queries, self.keys)
        mask, self.bias = optional(call, options), optional(call, options + 1)
        self.lengths, self.start = optional(call, options + 2), optional(call, options + 3)
        self.mask = None
        if mask is not None:
            truths = numpy.array(mask.elements(), dtype=bool).reshape(mask.shape)
            self.mask = numpy.broadcast_to(truths, self.shape)
        if self.bias is not None:
            self.bias = numpy.broadcast_to(numbers(self.bias), self.shape)
        self.weights = numpy.empty(self.shape, dtype=object)
        self.slopes = numpy.empty(self.shape, dtype=object)
        self.seen = numpy.zeros(self.shape, dtype=bool)
        for place in numpy.ndindex(self.shape[:3]):
            self.attend(place)

    def group(self, head):
        return head // (self.heads // self.groups)

    def attend(self, place):
        b, h, i = place
        keys = self.k[b, self.group(h)]
        scores, slopes = [], []
        cap = mpmath.mpf(self.attrs["soft_cap"])
        for key in keys:
            score = self.scale * total(x * y for x, y in zip(self.q[place], key, strict=True))
            bent = mpmath.tanh(score / cap) if cap else mpmath.mpf(0)
            slopes.append(1 - bent * bent)
            scores.append(cap * bent if cap else score)
        if self.bias is not None:
            scores = [s + extra for s, extra in zip(scores, self.bias[place], strict=True)]
        seen = sees(self.attrs, self.lengths, self.start, self.keys, b, i)
        if self.mask is not None:
            seen = [own and bool(m) for own, m in zip(seen, self.mask[place], strict=True)]
        self.weights[place] = softmax(scores, seen)
        self.slopes[place] = slopes
        self.seen[place] = seen

    def weighted(self, weights, values, columns):
        """The sum of weights times the rows of `values` that a query sees."""
        result = numpy.empty((*self.shape[:3], columns), dtype=object)
        for place in numpy.ndindex(self.shape[:3]):
            rows = values[place[0], self.group(place[1])]
            used = [j for j in range(self.keys) if self.seen[place][j]]
            for e in range(columns):
                result[(*place, e)] = total(weights[place][j] * rows[j][e] for j in used)
        return result

    def over_queries(self, weights, rows, columns):
        """The sum over queries that see a key of weights times `rows`."""
        shape = (self.batch, self.groups, self.keys, columns)
        result = numpy.full(shape, mpmath.mpf(0), dtype=object)
        for place in numpy.ndindex(self.shape[:3]):
            for j in range(self.keys):
                if not self.seen[place][j]:
                    continue
                for e in range(columns):
                    slot = (place[0], self.group(place[1]), j, e)
                    result[slot] += weights[place][j] * rows[place][e]
        return result


def wide(dtype):
    return "f64" if dtype == "f64" else "f32"


def array_of(dtype, values):
    rounded = (exact.rounded(dtype, value) for value in values.reshape(-1))
    return Array.of(dtype, values.shape, rounded)


@golden("tenon.attention_weights")
def attention_weights(call):
    attention = Attention(call, 0, 2)
    weights = attention.weights
    # A NaN is in every weight of its row.
    for place in numpy.ndindex(weights.shape[:3]):
        if any(mpmath.isnan(w) for w in weights[place]):
            weights[place] = [mpmath.nan] * len(weights[place])
    return [array_of(call.inputs[0].dtype, weights)]


@golden("tenon.attention")
def attention(call):
    values = call.inputs[2]
    of = Attention(call, 0, 3)
    return [array_of(values.dtype, of.weighted(of.weights, numbers(values), values.shape[3]))]


@golden("tenon.attention_grad")
def attention_grad(call):
    dy, v = numbers(call.inputs[0]), numbers(call.inputs[3])
    of = Attention(call, 1, 4)
    slopes = numpy.full(of.shape, mpmath.mpf(0), dtype=object)
    for place in numpy.ndindex(of.shape[:3]):
        values, weights = v[place[0], of.group(place[1])], of.weights[place]
        used = [j for j in range(of.keys) if of.seen[place][j]]
        own = {j: total(x * y for x, y in zip(dy[place], values[j], strict=True)) for j in used}
        mean = total(own[j] * weights[j] for j in used)
        for j in used:
            slopes[place][j] = of.scale * of.slopes[place][j] * (own[j] - mean) * weights[j]
    dtype, depth = call.inputs[1].dtype, of.q.shape[3]
    return [
        array_of(dtype, of.weighted(slopes, of.k, depth)),
        array_of(dtype, of.over_queries(slopes, of.q, depth)),
        array_of(dtype, of.over_queries(of.weights, dy, v.shape[3])),
    ]


@golden("tenon.cache_append")
def cache_append(call):
    cache, rows, start = call.inputs
    for b, begin in enumerate(start.elements()):
        count = rows.shape[-2]
        cache.values[b, ..., begin : begin + count, :] = rows.values[b]
    return []
