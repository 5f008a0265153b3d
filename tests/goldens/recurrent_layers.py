# SPDX-License-Identifier: Apache-2.0
# tests/goldens/recurrent_layers.py: golden cases of lstm, gru, rnn and their cells, step by step
# from the formulas of a unit. Python alone.

import math

from layer_case import numbers, rows, tensor
from sequence_layers import option

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


class Weights:
    """Tensors of one layer and direction, made as torch.nn names them."""

    def __init__(self, made, kind, suffix, inputs, hidden, state, bias):
        def matrix(name, *size):
            found = numbers(size, len(made) + 1)
            made[name + suffix] = (size, found)
            return rows(found, size[-1]) if len(size) == 2 else found

        count = GATES[kind] * hidden
        self.hidden = hidden
        self.w_ih = matrix("weight_ih", count, inputs)
        self.w_hh = matrix("weight_hh", count, state)
        self.b_ih = matrix("bias_ih", count) if bias else [0] * count
        self.b_hh = matrix("bias_hh", count) if bias else [0] * count
        self.w_hr = matrix("weight_hr", state, hidden) if state != hidden else None

    def of_input(self, x, unit):
        return dot(self.w_ih[unit], x) + self.b_ih[unit]

    def of_state(self, h, unit):
        return dot(self.w_hh[unit], h) + self.b_hh[unit]

    def sums(self, x, h):
        """Of each gate, a number for each hidden unit."""
        found = [self.of_input(x, k) + self.of_state(h, k) for k in range(len(self.w_ih))]
        return rows(found, self.hidden)


def lstm(own, x, h, c):
    found, cells = [], []
    for i, f, g, o, before in zip(*own.sums(x, h), c, strict=True):
        cells.append(sigmoid(f) * before + sigmoid(i) * math.tanh(g))
        found.append(sigmoid(o) * math.tanh(cells[-1]))
    if own.w_hr:
        found = [dot(row, found) for row in own.w_hr]
    return found, cells


def gru(own, x, h, c, reset_after=True):
    size = own.hidden
    resets, updates = ([sigmoid(s) for s in gate] for gate in own.sums(x, h)[:2])
    found = []
    for k in range(size):
        if reset_after:
            state = resets[k] * own.of_state(h, 2 * size + k)
        else:
            kept = [r * each for r, each in zip(resets, h, strict=True)]
            state = own.of_state(kept, 2 * size + k)
        new = math.tanh(own.of_input(x, 2 * size + k) + state)
        found.append((1 - updates[k]) * new + updates[k] * h[k])
    return found, c


def rnn(own, x, h, c, activation="tanh"):
    unit = math.tanh if activation == "tanh" else lambda s: max(s, 0.0)
    return [unit(s) for s in own.sums(x, h)[0]], c


STEPS = {"lstm": lstm, "gru": gru, "rnn": rnn}


def walked(step, own, sequence, h, c, reverse):
    """The results of a sequence in its own order, and the last states."""
    y = [None] * len(sequence)
    for t in sorted(range(len(sequence)), reverse=reverse):
        h, c = step(own, sequence[t], h, c)
        y[t] = h
    return y, h, c


class Layer:
    def __init__(self, kind, inputs, hidden, layers=1, bias=True, bidirectional=False,
                 projection=0, batch_first=False, dropout=0.0, **own):
        self.kind, self.inputs, self.hidden, self.layers = kind, inputs, hidden, layers
        self.bias, self.directions, self.state = bias, 1 + bidirectional, projection or hidden
        self.batch_first, self.made = batch_first, {}
        self.step = lambda *given: STEPS[kind](*given, **own)
        self.weights = [
            Weights(self.made, kind, f"_l{layer}" + "_reverse" * way, self.width(layer), hidden,
                    self.state, bias)
            for layer in range(layers)
            for way in range(self.directions)
        ]

    def width(self, layer):
        return self.state * self.directions if layer else self.inputs

    def run(self, sequence, h, c):
        """One sequence; h and c have a row for each layer and direction."""
        h, c = list(h), list(c)
        for layer in range(self.layers):
            found = []
            for way in range(self.directions):
                k = layer * self.directions + way
                y, h[k], c[k] = walked(self.step, self.weights[k], sequence, h[k], c[k], way == 1)
                found.append(y)
            sequence = [sum(parts, []) for parts in zip(*found, strict=True)]
        return sequence, h, c


def flat(found):
    while found and isinstance(found[0], list):
        found = sum(found, [])
    return found


def stated(sample):
    """The layer's options and dtype from a sample's text."""
    options = dict(part.split("=") for part in sample.partition(" | ")[2].split(", "))
    options = {name: option(text) for name, text in options.items()}
    return options.pop("dtype", "f32"), options


def layer(kind, sample, shape, states=False, lengths=None):
    dtype, options = stated(sample)
    made = Layer(kind, **options)
    batch_axis = 0 if made.batch_first else 1
    batch = shape[batch_axis] if len(shape) == 3 else 1
    steps = shape[1 - batch_axis] if len(shape) == 3 else shape[0]
    count = made.layers * made.directions
    has_cell = kind == "lstm"
    sizes = [made.state, made.hidden][: 1 + has_cell]
    x = rows(numbers(shape), made.inputs)
    at = (lambda t, b: b * steps + t) if made.batch_first else (lambda t, b: t * batch + b)
    given = [rows(numbers([count, batch, size]), size) for size in [made.state, made.hidden]]
    empty = [[0.0] * (made.state * made.directions)]
    y, last = [None] * (steps * batch), [[None] * (count * batch) for _ in range(2)]
    for b in range(batch):
        own = steps if lengths is None else lengths[b]
        begin = [[all_of[k * batch + b] if states else [0.0] * len(all_of[0]) for k in range(count)]
                 for all_of in given]
        found, *ends = made.run([x[at(t, b)] for t in range(own)], *begin)
        for t, row in enumerate(found + empty * (steps - own)):
            y[at(t, b)] = row
        for i in range(2):
            for k in range(count):
                last[i][k * batch + b] = ends[i][k]
    sides = [count, batch] if len(shape) == 3 else [count]
    operands = [tensor(dtype, shape, numbers(shape))]
    for size in sizes:
        if states:
            operands.append(tensor(dtype, [*sides, size], numbers([count, batch, size])))
    if lengths:
        operands.append({"dtype": "i64", "shape": [len(lengths)], "values": lengths})
    results = [tensor(dtype, [*shape[:-1], made.state * made.directions], flat(y))]
    results += [tensor(dtype, [*sides, size], flat(last[i])) for i, size in enumerate(sizes)]
    return made_case(sample, dtype, operands, made.made, results)


def made_case(sample, dtype, operands, made, results):
    tensors = {name: tensor(dtype, size, found) for name, (size, found) in made.items()}
    return {"sample": sample, "operands": operands, "tensors": tensors, "results": results}


def cell(kind, sample, shape, states=False):
    dtype, options = stated(sample)
    inputs, hidden, made = options.pop("inputs"), options.pop("hidden"), {}
    own = Weights(made, kind, "", inputs, hidden, hidden, options.pop("bias", True))
    count = 1 + (kind == "lstm")
    size = [shape[0], hidden]
    begin = rows(numbers(size), hidden) if states else [[0.0] * hidden] * shape[0]
    found = [STEPS[kind](own, x, h, h, **options)
             for x, h in zip(rows(numbers(shape), inputs), begin, strict=True)]
    operands = [tensor(dtype, shape, numbers(shape))]
    operands += [tensor(dtype, size, numbers(size))] * (count if states else 0)
    results = [tensor(dtype, size, flat([each[i] for each in found])) for i in range(count)]
    return made_case(sample, dtype, operands, made, results)


def layers_of(kind, more):
    """The cases of samples that all three have, and `more`."""
    pair = kind == "lstm"

    def begun(dtype, *size):
        sizes = f"{dtype}[{','.join(map(str, size))}]"
        return f"{sizes}, {sizes}" if pair else sizes

    yield layer(kind, "f64[3,2,3] | inputs=3, hidden=2, dtype=f64", [3, 2, 3])
    yield layer(kind, f"f64[2,2,3], {begun('f64', 1, 2, 2)} | inputs=3, hidden=2, bias=false, "
                "dtype=f64", [2, 2, 3], True)
    yield layer(kind, f"f64[2,3,2], {begun('f64', 4, 2, 2)} | inputs=2, hidden=2, layers=2, "
                "batch_first=true, bidirectional=true, dtype=f64", [2, 3, 2], True)
    yield layer(kind, f"f64[3,3,2], {begun('f64', 2, 3, 1)}, i64[3]{{2,3,0}} | inputs=2, hidden=1, "
                "bidirectional=true, dtype=f64", [3, 3, 2], True, [2, 3, 0])
    yield layer(kind, "f64[3,2] | inputs=2, hidden=2, batch_first=true, dtype=f64", [3, 2])
    yield layer(kind, f"f64[3,2], {begun('f64', 2, 2)} | inputs=2, hidden=2, layers=2, dtype=f64",
                [3, 2], True)
    yield from more
    yield layer(kind, "f64[0,2,3] | inputs=3, hidden=2, dtype=f64", [0, 2, 3])
    yield layer(kind, "f32[3,2,2] | inputs=2, hidden=3, layers=2, dropout=0.5", [3, 2, 2])
    yield layer(kind, "f16[2,1,2] | inputs=2, hidden=2, dtype=f16", [2, 1, 2])


def cells_of(kind, more):
    state = "f64[2,2], f64[2,2]" if kind == "lstm" else "f64[2,2]"
    yield cell(kind, "f64[2,3] | inputs=3, hidden=2, dtype=f64", [2, 3])
    yield cell(kind, f"f64[2,3], {state} | inputs=3, hidden=2, dtype=f64", [2, 3], True)
    yield cell(kind, f"f64[2,3], {state} | inputs=3, hidden=2, bias=false, dtype=f64", [2, 3], True)
    yield cell(kind, "f64[0,3] | inputs=3, hidden=2, dtype=f64", [0, 3])
    yield cell(kind, "f32[2,2] | inputs=2, hidden=3", [2, 2])
    yield from more


def recurrent_layers():
    yield "lstm", list(layers_of("lstm", [
        layer("lstm", "f64[2,2,2], f64[2,2,1], f64[2,2,3] | inputs=2, hidden=3, layers=2, "
              "projection=1, dtype=f64", [2, 2, 2], True),
        layer("lstm", "f64[3,2,1], f64[2,2,1], f64[2,2,2], i64[2]{1,3} | inputs=1, hidden=2, "
              "bidirectional=true, projection=1, batch_first=false, dtype=f64", [3, 2, 1], True,
              [1, 3]),
    ]))
    yield "gru", list(layers_of("gru", [
        layer("gru", "f64[2,2,2], f64[1,2,3] | inputs=2, hidden=3, reset_after=false, dtype=f64",
              [2, 2, 2], True),
    ]))
    yield "rnn", list(layers_of("rnn", [
        layer("rnn", 'f64[2,2,2], f64[1,2,3] | inputs=2, hidden=3, activation="relu", dtype=f64',
              [2, 2, 2], True),
    ]))
    yield "lstm_cell", list(cells_of("lstm", []))
    yield "gru_cell", list(cells_of("gru", [
        cell("gru", "f64[2,3], f64[2,2] | inputs=3, hidden=2, reset_after=false, dtype=f64",
             [2, 3], True),
    ]))
    yield "rnn_cell", list(cells_of("rnn", [
        cell("rnn", 'f64[2,3], f64[2,2] | inputs=3, hidden=2, activation="relu", dtype=f64',
             [2, 3], True),
    ]))
