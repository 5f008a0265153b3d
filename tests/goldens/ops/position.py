# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/position.py: rotations, waves and biases that say where in a text a row stands.

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden


def turned(inner, pair, angle):
    """Each product and each sum is rounded."""

    def rounded(value):
        return exact.rounded(inner, value)

    (x0, x1), (c, s) = pair, angle
    y0 = rounded(rounded(x0 * c) - rounded(x1 * s))
    return y0, rounded(rounded(x1 * c) + rounded(x0 * s))


def rows_of_positions(x, positions, offset):
    """The position of each row of x, in the shape of its rows."""
    rows = x.shape[:-1]
    if positions is None:
        return numpy.broadcast_to(numpy.arange(rows[-1]) + offset, rows)
    given = positions.values
    if given.ndim == 2:
        given = given.reshape(rows[0], *[1] * (len(rows) - 2), rows[-1])
    return numpy.broadcast_to(given, rows)


@golden("tenon.rope")
def rope(call):
    x, cos, sin = call.inputs[:3]
    positions = call.inputs[3] if len(call.inputs) > 3 else None
    pairs = cos.shape[1]
    inner = "f64" if x.dtype == "f64" else "f32"
    sign = -1 if call.attrs["inverse"] else 1
    y = x.values.copy()
    for row, position in numpy.ndenumerate(rows_of_positions(x, positions, call.attrs["offset"])):
        for i in range(pairs):
            places = (2 * i, 2 * i + 1) if call.attrs["layout"] == "pairs" else (i, i + pairs)
            angle = cos.values[position, i], sign * sin.values[position, i]
            pair = [x.values[(*row, place)] for place in places]
            for place, value in zip(places, turned(inner, pair, angle), strict=True):
                y[(*row, place)] = exact.rounded(x.dtype, value)
    return [Array(x.dtype, y)]


def table(dtype, function, *shape):
    elements = (exact.rounded(dtype, function(*place)) for place in numpy.ndindex(*shape))
    return Array.of(dtype, shape, elements)


def angle(call, position, pair, dims):
    scale = mpmath.mpf(call.attrs.get("scale", 1))
    rate = mpmath.mpf(call.attrs["base"]) ** (mpmath.mpf(-2 * pair) / dims)
    return position * scale * rate


@golden("tenon.rope_tables")
def rope_tables(call):
    dims = call.attrs["dims"]
    shape = call.attrs["positions"], dims // 2
    dtype = call.dtypes["D"]
    return [
        table(dtype, lambda p, i: function(angle(call, p, i, dims)), *shape)
        for function in (mpmath.cos, mpmath.sin)
    ]


@golden("tenon.rope_table")
def rope_table(call):
    function = mpmath.sin if call.attrs["part"] == "sin" else mpmath.cos
    shape = call.attrs["shape"]
    values = table(
        call.dtypes["D"], lambda p, i: function(angle(call, p, i, 2 * shape[1])), *shape
    )
    return [values]


@golden("tenon.sinusoidal_positions")
def sinusoidal_positions(call):
    waves = mpmath.sin, mpmath.cos
    shape = call.attrs["shape"]

    def wave(position, column):
        return waves[column % 2](angle(call, position, column // 2, shape[1]))

    return [table(call.dtypes["D"], wave, *shape)]


def slopes(heads):
    """As in the paper's code."""
    power = 1 << (heads.bit_length() - 1)
    start = mpmath.mpf(2) ** (mpmath.mpf(-8) / power)
    first = [start ** (head + 1) for head in range(power)]
    return first if power == heads else first + slopes(2 * power)[::2][: heads - power]


@golden("tenon.alibi_bias")
def alibi_bias(call):
    attrs = call.attrs
    slope = slopes(attrs["heads"])

    def bias(head, query, key):
        distance = abs(query + attrs["offset"] - key)
        return -slope[head] * distance if distance else 0.0

    shape = attrs["heads"], attrs["queries"], attrs["keys"]
    return [table(call.dtypes["D"], bias, *shape)]
