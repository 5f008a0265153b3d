# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/recurrent.py: LSTM, GRU and plain recurrent layers, their steps and cells, and
# the gradients of steps, a sequence at a time.

import mpmath
import numpy

from ops import golden
from ops.attention import array_of, numbers
from ops.gated import sigmoid

ZERO = mpmath.mpf(0)
FAR = 3000
each_sigmoid = numpy.vectorize(sigmoid, otypes=[object])
each_tanh = numpy.vectorize(
    lambda x: x if mpmath.isnan(x) else mpmath.tanh(min(max(x, -FAR), FAR)),
    otypes=[object],
)
each_relu = numpy.vectorize(lambda x: ZERO if x < 0 else x, otypes=[object])


def zeros(*shape):
    return numpy.full(shape, ZERO, dtype=object)


def times(weight, x):
    """weight x, of a matrix and a vector; 0 where there is nothing to sum."""
    return numpy.array(
        [sum((a * b for a, b in zip(row, x, strict=True)), ZERO) for row in weight],
        dtype=object,
    )


def given(call, names):
    """The operands by name, as arrays of mpf, or None; lengths as a list."""
    found = dict.fromkeys(names)
    for name, each in zip(names, call.inputs, strict=False):
        if each is not None:
            found[name] = each.elements() if name == "lengths" else numbers(each)
    return found


class Sequences:
    """The sequences of a call: where their steps are in [M,N,n], first one first."""

    def __init__(self, shape, lengths, attrs):
        self.batch_first, self.reverse = attrs.get("batch_first"), attrs.get("reverse")
        self.steps, self.batch = shape[:2][:: -1 if self.batch_first else 1]
        self.lengths = [self.steps] * self.batch if lengths is None else lengths

    def places(self, b):
        times_ = range(self.lengths[b])
        for t in reversed(times_) if self.reverse else times_:
            yield (b, t) if self.batch_first else (t, b)

    def zeros(self, width):
        sizes = (self.steps, self.batch)
        return zeros(*(sizes[::-1] if self.batch_first else sizes), width)


def bias_of(x):
    return sum((x[name] for name in ("b_ih", "b_hh") if x[name] is not None), ZERO)


def lstm_step(x, own, state, _):
    h, c = state
    i, f, g, o = numpy.split(own + bias_of(x) + times(x["w_hh"], h), 4)
    i, f, g, o = each_sigmoid(i), each_sigmoid(f), each_tanh(g), each_sigmoid(o)
    c = f * c + i * g
    h = o * each_tanh(c)
    if x["w_hr"] is not None:
        h = times(x["w_hr"], h)
    return (h, c), (numpy.concatenate([i, f, g, o]), c)


def gru_step(x, own, state, attrs):
    (h,) = state
    after = attrs["reset_after"]
    if after:
        b_ih, b_hh = (ZERO if x[n] is None else x[n] for n in ("b_ih", "b_hh"))
        own, p = own + b_ih, times(x["w_hh"], h) + b_hh
    else:
        own = own + bias_of(x)
        p = times(x["w_hh"], h)
    own, p = numpy.split(own, 3), numpy.split(p, 3)
    r, z = each_sigmoid(own[0] + p[0]), each_sigmoid(own[1] + p[1])
    q = p[2] if after else r * h
    n = each_tanh(own[2] + (r * q if after else times(numpy.split(x["w_hh"], 3)[2], q)))
    return ((1 - z) * n + z * h,), (numpy.concatenate([r, z, n, q]),)


def rnn_step(x, own, state, attrs):
    s = own + bias_of(x) + times(x["w_hh"], state[0])
    return ((each_relu if attrs["activation"] == "relu" else each_tanh)(s),), ()


# A step, how many numbers it keeps for each hidden unit, and the states' names.
KINDS = {
    "lstm": (lstm_step, (4, 1), ("h0", "c0")),
    "gru": (gru_step, (4,), ("h0",)),
    "rnn": (rnn_step, (), ("h0",)),
}
GATES = {"lstm": 4, "gru": 3, "rnn": 1}
OPERANDS = {
    "lstm": ("w_hh", "h0", "c0", "b_ih", "b_hh", "w_hr", "lengths"),
    "gru": ("w_hh", "h0", "b_ih", "b_hh", "lengths"),
    "rnn": ("w_hh", "h0", "b_ih", "b_hh", "lengths"),
}


@numpy.errstate(invalid="ignore")
def walked(kind, x, gates, attrs):
    """y, the last states and what is kept; `gates(place)` has what a step's input gives."""
    step, kept_widths, states = KINDS[kind]
    walk = Sequences(x["shape"], x.get("lengths"), attrs)
    hidden = len(x["w_hh"]) // GATES[kind]
    widths = [x["w_hh"].shape[1], hidden][: len(states)]
    y = walk.zeros(widths[0])
    last = [zeros(walk.batch, width) for width in widths]
    kept = [walk.zeros(count * hidden) for count in kept_widths]
    for b in range(walk.batch):
        state = [
            zeros(width) if x[name] is None else x[name][b]
            for name, width in zip(states, widths, strict=True)
        ]
        for place in walk.places(b):
            state, own = step(x, gates(place), state, attrs)
            y[place] = state[0]
            for to, each in zip(kept, own, strict=True):
                to[place] = each
        for to, each in zip(last, state, strict=True):
            to[b] = each
    return [y, *last, *kept]


def steps_op(kind):
    @golden(f"tenon.{kind}_steps")
    def steps(call):
        x = given(call, ("gates", *OPERANDS[kind]))
        x["shape"] = x["gates"].shape
        results = walked(kind, x, lambda place: x["gates"][place], call.attrs)
        return [array_of(call.inputs[0].dtype, each) for each in results]


def layer_op(kind):
    @golden(f"tenon.{kind}")
    def layer(call):
        x = given(call, ("x", "w_ih", *OPERANDS[kind]))
        x["shape"] = x["x"].shape
        results = walked(
            kind, x, lambda place: times(x["w_ih"], x["x"][place]), call.attrs
        )
        return [
            array_of(call.inputs[0].dtype, each)
            for each in results[: 1 + len(KINDS[kind][2])]
        ]


def cell_op(kind):
    @golden(f"tenon.{kind}_cell")
    def cell(call):
        x = given(call, ("x", "w_ih", *OPERANDS[kind][:-1]))
        x["shape"] = (1, len(x["x"]))
        results = walked(
            kind, x, lambda place: times(x["w_ih"], x["x"][place[1]]), call.attrs
        )
        return [
            array_of(call.inputs[0].dtype, each)
            for each in results[1 : 1 + len(KINDS[kind][2])]
        ]


for each_kind in KINDS:
    steps_op(each_kind)
    layer_op(each_kind)
    cell_op(each_kind)


# ---- Back through time --------------------------------------------------------------------------


def or_zero(array, place, width):
    return zeros(width) if array is None else array[place]


def turned(weight):
    return weight.T if weight.size else zeros(*weight.shape[::-1])


def results_of(call, *results):
    return [array_of(call.inputs[0].dtype, each) for each in results]


@golden("tenon.lstm_steps_grad")
def lstm_steps_grad(call):
    names = "kept cells w_hh dy dh_n dc_n c0 w_hr lengths dkept dcells"
    x = given(call, names.split())
    walk = Sequences(x["kept"].shape, x["lengths"], call.attrs)
    width, state = len(x["w_hh"]), x["w_hh"].shape[1]
    hidden = width // 4
    dgates, dstates = walk.zeros(width), walk.zeros(state)
    dh0, dc0 = zeros(walk.batch, state), zeros(walk.batch, hidden)
    for b in range(walk.batch):
        dh, dc = or_zero(x["dh_n"], b, state), or_zero(x["dc_n"], b, hidden)
        places = list(walk.places(b))
        for k, place in reversed(list(enumerate(places))):
            dh = dh + or_zero(x["dy"], place, state)
            dstates[place] = dh
            du = dh if x["w_hr"] is None else times(turned(x["w_hr"]), dh)
            i, f, g, o = numpy.split(x["kept"][place], 4)
            bent = each_tanh(x["cells"][place])
            dc = dc + du * o * (1 - bent**2) + or_zero(x["dcells"], place, hidden)
            before = x["cells"][places[k - 1]] if k else or_zero(x["c0"], b, hidden)
            more = numpy.split(or_zero(x["dkept"], place, width), 4)
            di, df, dg, do = dc * g, dc * before, dc * i, du * bent
            dgates[place] = numpy.concatenate(
                [
                    (di + more[0]) * i * (1 - i),
                    (df + more[1]) * f * (1 - f),
                    (dg + more[2]) * (1 - g**2),
                    (do + more[3]) * o * (1 - o),
                ]
            )
            dc = dc * f
            dh = times(turned(x["w_hh"]), dgates[place])
        dh0[b], dc0[b] = dh, dc
    return results_of(call, dgates, dh0, dc0, dstates)


@golden("tenon.gru_steps_grad")
def gru_steps_grad(call):
    x = given(call, ("kept", "states", "w_hh", "dy", "dh_n", "lengths", "dkept"))
    walk = Sequences(x["kept"].shape, x["lengths"], call.attrs)
    width, hidden = x["w_hh"].shape
    dgates, dproducts = walk.zeros(width), walk.zeros(width)
    dh0 = zeros(walk.batch, hidden)
    for b in range(walk.batch):
        dh = or_zero(x["dh_n"], b, hidden)
        for place in reversed(list(walk.places(b))):
            dh = dh + or_zero(x["dy"], place, hidden)
            h = x["states"][place]
            r, z, n, q = numpy.split(x["kept"][place], 4)
            more = numpy.split(or_zero(x["dkept"], place, 4 * hidden), 4)
            ds_z = (dh * (h - n) + more[1]) * z * (1 - z)
            ds_n = (dh * (1 - z) + more[2]) * (1 - n**2)
            if call.attrs["reset_after"]:
                dq, dr, past = ds_n * r + more[3], ds_n * q, dh * z
            else:
                dq = times(turned(numpy.split(x["w_hh"], 3)[2]), ds_n) + more[3]
                dr, past = dq * h, dh * z + dq * r
            ds_r = (dr + more[0]) * r * (1 - r)
            dgates[place] = numpy.concatenate([ds_r, ds_z, ds_n])
            dproducts[place] = dgates[place]
            through = [ds_r, ds_z, zeros(hidden)]
            if call.attrs["reset_after"]:
                through[2] = dq
                dproducts[place] = numpy.concatenate(through)
            dh = past + times(turned(x["w_hh"]), numpy.concatenate(through))
        dh0[b] = dh
    return results_of(call, dgates, dh0, dproducts)


@golden("tenon.rnn_steps_grad")
def rnn_steps_grad(call):
    x = given(call, ("y", "w_hh", "dy", "dh_n", "lengths"))
    walk = Sequences(x["y"].shape, x["lengths"], call.attrs)
    hidden = len(x["w_hh"])
    dgates, dh0 = walk.zeros(hidden), zeros(walk.batch, hidden)
    for b in range(walk.batch):
        dh = or_zero(x["dh_n"], b, hidden)
        for place in reversed(list(walk.places(b))):
            dh = dh + or_zero(x["dy"], place, hidden)
            y = x["y"][place]
            slope = 1 - y**2
            if call.attrs["activation"] == "relu":
                slope = numpy.array([mpmath.mpf(v > 0) for v in y], dtype=object)
            dgates[place] = dh * slope
            dh = times(turned(x["w_hh"]), dgates[place])
        dh0[b] = dh
    return results_of(call, dgates, dh0)
