# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/index_more.py: elements by number, and elements in order.

import itertools
import math

import numpy

import exact
from exact_array import Array
from ops import golden


def coordinates(shape):
    """All places of a shape, row by row."""
    return itertools.product(*(range(size) for size in shape))


def replaced(place, axis, index):
    """The place with another number along the axis."""
    return (*place[:axis], index, *place[axis + 1 :])


def copied(x):
    return Array.of(x.dtype, x.shape, x.elements())


def added(dtype, a, b):
    """One addition in the dtype."""
    if dtype == "bool":
        return a or b
    return exact.rounded(dtype, a + b) if exact.is_float(dtype) else exact.wrapped(dtype, a + b)


def gathered(x, indices, axis):
    axis %= len(x.shape)
    places = coordinates(indices.shape)
    picked = (x.values[replaced(place, axis, indices.values[place])] for place in places)
    return Array.of(x.dtype, indices.shape, picked)


@golden("tenon.gather")
def gather(call):
    return [gathered(*call.inputs, call.attrs["axis"])]


@golden("tenon.take_along_axis")
def take_along_axis(call):
    x, indices = call.inputs
    axis = call.attrs["axis"] % len(x.shape)
    pairs = list(zip(x.shape, indices.shape, strict=True))
    common = [
        numpy.broadcast_shapes((a,), (b,))[0] if i != axis else 0 for i, (a, b) in enumerate(pairs)
    ]

    def stretched(array):
        shape = replaced(tuple(common), axis, array.shape[axis])
        values = numpy.broadcast_to(array.values, shape)
        return Array.of(array.dtype, shape, values.reshape(-1))

    return [gathered(stretched(x), stretched(indices), axis)]


@golden("tenon.take", "tenon.index_select")
def take(call):
    x, indices = call.inputs
    axis = call.attrs["axis"] % len(x.shape)
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    behind = axis + len(indices.shape)
    picked = (
        x.values[(*place[:axis], indices.values[place[axis:behind]], *place[behind:])]
        for place in coordinates(shape)
    )
    return [Array.of(x.dtype, shape, picked)]


def targets(x, indices, axis):
    """For each place among the indices, the place of x it names."""
    axis %= len(x.shape)
    places = list(coordinates(indices.shape))
    return places, [replaced(place, axis, indices.values[place]) for place in places]


def last_ones(shape, names):
    """True if no later one names the same."""
    final = {name: number for number, name in enumerate(names)}
    return Array.of("bool", shape, (final[name] == i for i, name in enumerate(names)))


@golden("tenon.scatter")
def scatter(call):
    x, indices, src = call.inputs
    result = copied(x)
    source = numpy.broadcast_to(src.values, indices.shape)
    places, names = targets(x, indices, call.attrs["axis"])
    for place, name in zip(places, names, strict=True):
        result.values[name] = source[place]
    return [result, last_ones(indices.shape, names)]


@golden("tenon.scatter_add")
def scatter_add(call):
    x, indices, src = call.inputs
    result = copied(x)
    source = numpy.broadcast_to(src.values, indices.shape)
    for place, name in zip(*targets(x, indices, call.attrs["axis"]), strict=True):
        result.values[name] = added(x.dtype, result.values[name], source[place])
    return [result]


def named_places(lists):
    """The shape of the lists together, and the place of x that each of them names."""
    shape = numpy.broadcast_shapes(*(each.shape for each in lists))
    columns = [numpy.broadcast_to(each.values, shape).reshape(-1) for each in lists]
    return shape, list(zip(*columns, strict=True))


@golden("tenon.index")
def index(call):
    x, lists = call.inputs
    shape, names = named_places(lists)
    rest = x.shape[len(lists) :]
    picked = [x.values[(*name, *behind)] for name in names for behind in coordinates(rest)]
    return [Array.of(x.dtype, (*shape, *rest), picked)]


@golden("tenon.index_put")
def index_put(call):
    x, lists, values = call.inputs
    adds = call.attrs["accumulate"]
    shape, names = named_places(lists)
    rest = x.shape[len(lists) :]
    source = iter(numpy.broadcast_to(values.values, (*shape, *rest)).reshape(-1))
    result = copied(x)
    for name in names:
        for behind in coordinates(rest):
            place, value = (*name, *behind), next(source)
            result.values[place] = added(x.dtype, result.values[place], value) if adds else value
    kept = Array.of("bool", shape, [True] * len(names)) if adds else last_ones(shape, names)
    return [result, kept]


@golden("tenon.masked_fill")
def masked_fill(call):
    x, mask, value = call.inputs
    shape = numpy.broadcast_shapes(x.shape, mask.shape)
    pairs = zip(
        numpy.broadcast_to(x.values, shape).reshape(-1),
        numpy.broadcast_to(mask.values, shape).reshape(-1),
        strict=True,
    )
    fill = value.elements()[0]
    return [Array.of(x.dtype, shape, (fill if held else own for own, held in pairs))]


@golden("tenon.one_hot")
def one_hot(call):
    indices, dtype = call.inputs[0], call.dtypes["D"]
    classes = call.attrs["classes"]
    rows = (c == index for index in indices.elements() for c in range(classes))
    return [
        Array.of(dtype, (*indices.shape, classes), (exact.converted(dtype, hot) for hot in rows))
    ]


# ---- in order -----------------------------------------------------------------------------------


def rank_of(value):
    """What orders the elements of a dtype: a NaN is larger than any number."""
    return (1, 0) if math.isnan(value) else (0, value)


def ordered(x, axis, count, descending):
    """The first `count` of each line in order, and where they were; of equals the first first."""
    axis %= len(x.shape)
    shape = replaced(x.shape, axis, count)
    values = Array.of(x.dtype, shape, [0] * math.prod(shape))
    indices = Array.of("i64", shape, [0] * math.prod(shape))
    for place in coordinates(replaced(x.shape, axis, 1)):
        line = [x.values[replaced(place, axis, i)] for i in range(x.shape[axis])]
        # Python's sort is stable; reversed twice, it is so in descending order.
        order = sorted(range(len(line)), key=lambda i, line=line: rank_of(line[i]))
        if descending:
            backward = sorted(range(len(line))[::-1], key=lambda i, line=line: rank_of(line[i]))
            order = backward[::-1]
        for i, index in enumerate(order[:count]):
            values.values[replaced(place, axis, i)] = line[index]
            indices.values[replaced(place, axis, i)] = index
    return [values, indices]


@golden("tenon.sort")
def sort(call):
    x, axis = call.inputs[0], call.attrs["axis"]
    return ordered(x, axis, x.shape[axis], call.attrs["descending"])


@golden("tenon.argsort")
def argsort(call):
    return sort(call)[1:]


@golden("tenon.topk")
def topk(call):
    attrs = call.attrs
    return ordered(call.inputs[0], attrs["axis"], attrs["k"], attrs["largest"])


@golden("tenon.searchsorted")
def searchsorted(call):
    lines, values = call.inputs
    right = call.attrs["right"]
    found = []
    for place in coordinates(values.shape):
        lead = place[:-1] if len(lines.shape) > 1 else ()
        value = rank_of(values.values[place])
        line = [rank_of(lines.values[(*lead, i)]) for i in range(lines.shape[-1])]
        found.append(sum(each < value or (right and each == value) for each in line))
    return [Array.of("i64", values.shape, found)]


# ---- as many as there are -----------------------------------------------------------------------


def nonzero_places(x):
    return [place for place in coordinates(x.shape) if x.values[place] != 0]


@golden("tenon.nonzero_static")
def nonzero_static(call):
    x, size, rank = call.inputs[0], call.attrs["size"], len(call.inputs[0].shape)
    found = nonzero_places(x)
    rows = [*found, *[(call.attrs["fill"],) * rank] * size][:size]
    places = Array.of("i64", (size, rank), itertools.chain(*rows))
    return [places, Array.of("i64", (), [len(found)])]


@golden("tenon.nonzero")
def nonzero(call):
    found = nonzero_places(call.inputs[0])
    shape = (len(found), len(call.inputs[0].shape))
    return [Array.of("i64", shape, itertools.chain(*found))]


@golden("tenon.masked_select")
def masked_select(call):
    x, mask = call.inputs
    shape = numpy.broadcast_shapes(x.shape, mask.shape)
    values = numpy.broadcast_to(x.values, shape)
    held = numpy.broadcast_to(mask.values, shape)
    picked = [values[place] for place in coordinates(shape) if held[place]]
    return [Array.of(x.dtype, (len(picked),), picked)]


@golden("tenon.runs")
def runs(call):
    x = call.inputs[0].elements()
    starts = [i == 0 or value != x[i - 1] for i, value in enumerate(x)]
    numbers = [sum(starts[: i + 1]) - 1 for i in range(len(x))]
    return [Array.of("bool", (len(x),), starts), Array.of("i64", (len(x),), numbers)]


@golden("tenon.unique")
def unique(call):
    x = call.inputs[0]
    groups = []  # places of equal elements
    for place, value in sorted(enumerate(x.elements()), key=lambda each: rank_of(each[1])):
        if groups and x.elements()[groups[-1][0]] == value:
            groups[-1].append(place)
        else:
            groups.append([place])
    inverse = {place: number for number, group in enumerate(groups) for place in group}
    size = (len(groups),)
    return [
        Array.of(x.dtype, size, (x.elements()[group[0]] for group in groups)),
        Array.of("i64", size, (group[0] for group in groups)),
        Array.of("i64", x.shape, (inverse[place] for place in range(len(inverse)))),
        Array.of("i64", size, map(len, groups)),
    ]
