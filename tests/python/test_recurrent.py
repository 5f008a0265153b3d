# SPDX-License-Identifier: Apache-2.0
# tests/python/test_recurrent.py: the steps of lstm, gru and rnn have the bits of the ops that say
# what they mean, forward and back, however a batch is cut; padding has no part in them.
"""The ops' samples are small; these shapes have several blocks of rows, and vectors' edges."""

import random
import unittest

from support import Case, tenon

NAN = float("nan")
GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def draw(*shape):
    return tenon.randn(*shape)


def bits(tensor):
    """Of two zeros that meet in a sum, either sign may be left."""
    return bytes(memoryview((tensor.detach() + 0.0).contiguous()).cast("B"))


def columns(x, start, stop):
    return tenon.slice(x, axis=-1, start=start, stop=stop)


def parts(x, count):
    width = x.shape[-1] // count
    return [columns(x, i * width, (i + 1) * width) for i in range(count)]


def joined(xs):
    return tenon.concat(xs, axis=-1)


def plus(a, b):
    return b if a is None else a if b is None else a + b


class Call:
    """A drawn call of steps, time first: operands by name, and the lengths as a list."""

    def __init__(self, kind, pick):
        self.kind = kind
        self.steps, self.batch = pick.choice([1, 2, 5]), pick.choice([3, 16, 37, 70])
        self.hidden = pick.choice([8, 17, 40])
        self.state = self.hidden
        self.projection = None
        if kind == "lstm" and pick.random() < 0.4:
            self.state = pick.choice(
                [6, 9]
            )  # tenon.matmul sums fewer than 16 elements otherwise
            self.projection = draw(self.state, self.hidden)
        width = GATES[kind] * self.hidden
        self.gates, self.w_hh = (
            draw(self.steps, self.batch, width),
            draw(width, self.state),
        )
        self.h0 = draw(self.batch, self.state) if pick.random() < 0.7 else None
        self.c0 = draw(self.batch, self.hidden) if pick.random() < 0.7 else None
        self.b_ih = draw(width) if pick.random() < 0.7 else None
        self.b_hh = draw(width) if pick.random() < 0.7 else None
        self.lengths = None
        if pick.random() < 0.5:
            self.lengths = [pick.randrange(self.steps + 1) for _ in range(self.batch)]
        self.reverse, self.batch_first = pick.random() < 0.5, pick.random() < 0.5
        self.reset_after = pick.random() < 0.5
        self.activation = pick.choice(["tanh", "relu"])

    def options(self):
        found = {"reverse": self.reverse, "batch_first": self.batch_first}
        if self.lengths is not None:
            found["lengths"] = tenon.tensor(self.lengths, dtype="i64")
        if self.kind == "gru":
            found["reset_after"] = self.reset_after
        if self.kind == "rnn":
            found["activation"] = self.activation
        return found

    def operands(self):
        names = ["h0", "b_ih", "b_hh"] + ["c0"] * (self.kind == "lstm")
        found = {name: getattr(self, name) for name in names}
        if self.projection is not None:
            found["w_hr"] = self.projection
        return {name: each for name, each in found.items() if each is not None}

    def turned(self, x):
        """Between time first and the order of the call."""
        return x.permute((1, 0, 2)) if self.batch_first else x

    def walk(self):
        return range(self.steps - 1, -1, -1) if self.reverse else range(self.steps)

    def live(self, time):
        if self.lengths is None:
            return None
        return tenon.tensor([[time < length] for length in self.lengths])

    def choose(self, time, a, b):
        live = self.live(time)
        return a if live is None else tenon.where(live, a, b)

    def begin(self, given, width):
        return tenon.zeros((self.batch, width), dtype="f32") if given is None else given

    def in_order(self, rows):
        """Rows of the walk as a sequence in the order of the call."""
        return self.turned(tenon.stack(rows[::-1] if self.reverse else rows, axis=0))


def cell(call, gates, h, c):
    """A step: the state, the cell and what is kept."""
    w = call.w_hh.permute((1, 0))
    if call.kind == "gru":
        return gru_cell(call, gates, h, w)
    s = plus(gates, plus(call.b_ih, call.b_hh)) + h @ w
    if call.kind == "rnn":
        y = s.relu() if call.activation == "relu" else s.tanh()
        return y, None, None
    i, f, g, o = parts(s, 4)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * c + i * g
    h = o * c.tanh()
    if call.projection is not None:
        h = h @ call.projection.permute((1, 0))
    return h, c, joined([i, f, g, o])


def gru_cell(call, gates, h, w):
    n = call.hidden
    if call.reset_after:
        own, p = plus(gates, call.b_ih), plus(h @ w, call.b_hh)
    else:
        own, p = plus(gates, plus(call.b_ih, call.b_hh)), h @ columns(w, 0, 2 * n)
    r, z = parts((columns(own, 0, 2 * n) + columns(p, 0, 2 * n)).sigmoid(), 2)
    q = columns(p, 2 * n, 3 * n) if call.reset_after else r * h
    of_n = r * q if call.reset_after else q @ columns(w, 2 * n, 3 * n)
    new = (columns(own, 2 * n, 3 * n) + of_n).tanh()
    return new + z * (h - new), None, joined([r, z, new, q])


def forward(call):
    """What the steps' op returns, its aux outputs too, and the states before each step."""
    h, c = call.begin(call.h0, call.state), call.begin(call.c0, call.hidden)
    y, kept, cells, before, cells_before = [], [], [], [], []
    for time in call.walk():
        gates = tenon.slice(call.gates, axis=0, start=time, stop=time + 1).reshape(
            (call.batch, -1)
        )
        before.append(h)
        cells_before.append(c)
        new, new_c, own = cell(call, gates, h, c)
        y.append(call.choose(time, new, 0.0))
        h = call.choose(time, new, h)
        if own is not None:
            kept.append(call.choose(time, own, 0.0))
        if new_c is not None:
            cells.append(call.choose(time, new_c, 0.0))
            c = call.choose(time, new_c, c)
    found = {"y": call.in_order(y), "h_n": h, "steps": {"before": before, "y": y}}
    if kept:
        found["kept"] = call.in_order(kept)
        found["steps"]["kept"] = kept
    if cells:
        found |= {"c_n": c, "cells": call.in_order(cells)}
        found["steps"] |= {"cells": cells, "cells_before": cells_before}
    return found


def sigmoid_slope(g, y):
    return g * (y * (1.0 - y))


def tanh_slope(g, y):
    return g * (1.0 - y * y)


def lstm_back(call, steps, k, dh, dc):
    i, f, g, o = parts(steps["kept"][k], 4)
    du = dh if call.projection is None else dh @ call.projection
    bent = steps["cells"][k].tanh()
    dc = dc + tanh_slope(du * o, bent)
    ds = [sigmoid_slope(dc * g, i), sigmoid_slope(dc * steps["cells_before"][k], f)]
    ds += [tanh_slope(dc * i, g), sigmoid_slope(du * bent, o)]
    ds = joined(ds)
    return ds, ds @ call.w_hh, dc * f


def gru_back(call, steps, k, dh, dc):
    r, z, n, q = parts(steps["kept"][k], 4)
    h, w = steps["before"][k], call.w_hh
    ds_z = sigmoid_slope(dh * (h - n), z)
    ds_n = tanh_slope(dh * (1.0 - z), n)
    if call.reset_after:
        dq, ds_r = ds_n * r, sigmoid_slope(ds_n * q, r)
        return joined([ds_r, ds_z, ds_n]), dh * z + joined([ds_r, ds_z, dq]) @ w, dc
    dq = ds_n @ tenon.slice(w, axis=0, start=2 * call.hidden)
    ds_r = sigmoid_slope(dq * h, r)
    product = joined([ds_r, ds_z]) @ tenon.slice(
        w, axis=0, start=0, stop=2 * call.hidden
    )
    return joined([ds_r, ds_z, ds_n]), (dh * z + dq * r) + product, dc


def rnn_back(call, steps, k, dh, dc):
    y = steps["y"][k]
    ds = (
        tenon.where(y > 0.0, dh, 0.0)
        if call.activation == "relu"
        else tanh_slope(dh, y)
    )
    return ds, ds @ call.w_hh, dc


BACK = {"lstm": lstm_back, "gru": gru_back, "rnn": rnn_back}


def backward(call, steps, dy, dh, dc):
    """The gradients of gates, h0 and c0."""
    dgates, walk = [], list(call.walk())
    for k in range(call.steps - 1, -1, -1):
        time = walk[k]
        here = (
            tenon.slice(dy, axis=0, start=time, stop=time + 1).reshape((call.batch, -1))
            + dh
        )
        ds, new_dh, new_dc = BACK[call.kind](call, steps, k, here, dc)
        dgates.insert(0, call.choose(time, ds, 0.0))
        dh, dc = call.choose(time, new_dh, dh), call.choose(time, new_dc, dc)
    return call.in_order(dgates), dh, dc


def run(call, **fed):
    """The op's results, and its operands as leaves."""
    operands = {
        "gates": call.turned(call.gates),
        "w_hh": call.w_hh,
        **call.operands(),
        **fed,
    }
    own = {name: each.detach().requires_grad_() for name, each in operands.items()}
    return getattr(tenon, f"{call.kind}_steps")(**own, **call.options()), own


class Recurrent(Case):
    def same(self, a, b, what):
        self.assertEqual(a.shape, b.shape, what)
        self.assertTrue(bits(a) == bits(b), what)

    def test_steps_have_the_bits_of_their_ops(self):
        pick = random.Random(25)
        for number in range(150):
            call = Call(pick.choice(list(GATES)), pick)
            found, own = run(call)
            expected = forward(call)
            names = ["y", "h_n"] + ["c_n"] * (call.kind == "lstm")
            for name, each in zip(names, found, strict=True):
                self.same(each, expected[name], f"call {number}: {name} of {call.kind}")
            dy, dh = (
                draw(call.steps, call.batch, call.state),
                draw(call.batch, call.state),
            )
            dc = draw(call.batch, call.hidden)
            loss = (found[0] * call.turned(dy)).sum() + (found[1] * dh).sum()
            if call.kind == "lstm":
                loss = loss + (found[2] * dc).sum()
            loss.backward()
            grads = backward(call, expected["steps"], dy, dh, dc)
            for name, each in zip(("gates", "h0", "c0"), grads, strict=True):
                if name in own:
                    what = f"call {number}: gradient of {name} of {call.kind}"
                    self.same(own[name].grad, each, what)

    def test_rows_of_a_batch_have_the_bits_of_their_own_call(self):
        pick = random.Random(26)
        for _ in range(12):
            call = Call(pick.choice(list(GATES)), pick)
            whole = run(call)[0]
            first = pick.randrange(call.batch)
            last = min(first + pick.choice([3, 20]), call.batch)
            if (last - first) * call.hidden < 16:
                continue

            def rows(x, axis=0, first=first, last=last):
                return tenon.slice(x, axis=axis, start=first, stop=last)

            states = {
                n: rows(x) for n, x in call.operands().items() if n in ("h0", "c0")
            }
            axis = 0 if call.batch_first else 1
            call.lengths = call.lengths and call.lengths[first:last]
            part = run(call, gates=rows(call.turned(call.gates), axis), **states)[0]
            for i, (a, b) in enumerate(zip(part, whole, strict=True)):
                self.same(a, rows(b, axis if i == 0 else 0), call.kind)

    def test_no_states_and_states_of_zero_have_the_same_gradients(self):
        pick = random.Random(27)
        for number in range(60):
            call = Call(pick.choice(list(GATES)), pick)
            call.h0 = call.c0 = None
            results = [run(call)]
            call.h0 = tenon.zeros((call.batch, call.state), dtype="f32")
            call.c0 = tenon.zeros((call.batch, call.hidden), dtype="f32")
            results.append(run(call))
            dy = call.turned(draw(call.steps, call.batch, call.state))
            for found, _ in results:
                found[0].backward(dy)
            (_, none), (_, zero) = results
            for name in none:
                what = f"call {number}: gradient of {name} of {call.kind}"
                self.same(none[name].grad, zero[name].grad, what)

    def test_padding_is_never_read(self):
        for kind, reverse in ((k, r) for k in GATES for r in (False, True)):
            width, lengths = GATES[kind] * 9, [4, 0, 2]
            x, w_ih, w_hh = draw(4, 3, 5), draw(width, 5), draw(width, 9)
            dead = tenon.tensor([[[t >= n] for n in lengths] for t in range(4)])
            results = []
            for filler in (0.0, NAN, float("inf")):
                own = [each.detach().requires_grad_() for each in (x, w_ih, w_hh)]
                fed = tenon.where(dead, filler, own[0])
                options = {
                    "lengths": tenon.tensor(lengths, dtype="i64"),
                    "reverse": reverse,
                }
                y, *last = getattr(tenon, kind)(fed, *own[1:], **options)
                # A gradient may be anything after a sequence's end, too.
                dy = tenon.where(dead, filler, draw(4, 3, 9) * 0.0 + 1.0)
                y.backward(dy)
                results.append([y, *last, *(each.grad for each in own)])
            for other in results[1:]:
                for a, b in zip(results[0], other, strict=True):
                    self.same(a, b, f"{kind}, reverse {reverse}")
            self.assertEqual(bits(results[0][0][:, 1]), bits(results[0][0][:, 1] * 0.0))

    def test_lengths_outside_the_steps_are_refused(self):
        for kind, gates in GATES.items():
            for op, width in ((f"{kind}_steps", gates * 3), (kind, 5)):
                weights = [draw(gates * 3, 5)] if op == kind else []
                operands = [draw(4, 2, width), *weights, draw(gates * 3, 3)]
                for lengths, words in (
                    ([2, 5], "lengths[1] is 5"),
                    ([-1, 2], "lengths[0] is -1"),
                ):
                    with self.assertRaises(tenon.DataError) as raised:
                        getattr(tenon, op)(
                            *operands, lengths=tenon.tensor(lengths, dtype="i64")
                        )
                    self.assertIn(words, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
