# SPDX-License-Identifier: Apache-2.0
# tests/outside/recurrent_test.py: lstm, gru, rnn and their cells have the results and the gradients
# of PyTorch's modules, with every option and for every layout of x.

import itertools
import os
import pathlib
import sys
import unittest

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon

rnn_utils = torch.nn.utils.rnn
DTYPES = {"f32": torch.float32, "f64": torch.float64}
# Largest difference over largest value of a tensor; sums have another order.
CLOSE = {"f32": 2e-5, "f64": 1e-12}
NAN = float("nan")
STEPS, BATCH, INPUTS, HIDDEN = 7, 5, 6, 9
KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
CELLS = {"lstm": torch.nn.LSTMCell, "gru": torch.nn.GRUCell, "rnn": torch.nn.RNNCell}
WEIGHTS = {
    "w_ih": "weight_ih",
    "w_hh": "weight_hh",
    "b_ih": "bias_ih",
    "b_hh": "bias_hh",
    "w_hr": "weight_hr",
}


def ours(tensor):
    return tenon.from_dlpack(tensor.detach().clone()).requires_grad_()


def strided(x, how):
    """x as another view of memory, with the same elements."""
    if how == "permuted":
        return x.permute((1, 0, 2)).contiguous().permute((1, 0, 2))
    if how == "columns":
        wide = tenon.concat([x, x], axis=2)
        return tenon.slice(wide, axis=2, start=INPUTS, stop=2 * INPUTS)
    if how == "backwards":
        return tenon.flip(tenon.flip(x, axes=[0, 2]).contiguous(), axes=[0, 2])
    return x


class Close(unittest.TestCase):
    def close(self, found, expected, dtype, what):
        found = torch.from_dlpack(found.detach().contiguous())
        self.assertEqual(
            (found.shape, found.dtype), (expected.shape, expected.dtype), what
        )
        scale = max(expected.detach().abs().max().item(), 1e-3)
        difference = (found - expected).abs().max().item()
        self.assertLessEqual(difference, CLOSE[dtype] * scale, what)

    def gradients_close(self, operands, expected, dtype):
        for name, operand in operands.items():
            self.close(operand.grad, expected[name].grad, dtype, f"gradient of {name}")


class Layers(Close):
    """One layer in both directions of PyTorch, each direction a call of Tenon."""

    def theirs(self, kind, dtype, batch_first, projection, bias, activation):
        options = {"proj_size": projection} if projection else {}
        if kind == "rnn":
            options["nonlinearity"] = activation
        module = KINDS[kind](
            INPUTS,
            HIDDEN,
            bias=bias,
            batch_first=batch_first,
            bidirectional=True,
            **options,
        ).to(DTYPES[dtype])
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(2.0)
        return module

    def run_theirs(self, module, x, lengths, states):
        if lengths is None:
            y, last = module(x, states)
        else:
            packed = rnn_utils.pack_padded_sequence(
                x, lengths, batch_first=module.batch_first, enforce_sorted=False
            )
            y, last = module(packed, states)
            y, _ = rnn_utils.pad_packed_sequence(
                y, batch_first=module.batch_first, total_length=STEPS
            )
        return y, list(last) if isinstance(last, tuple) else [last]

    def compare(
        self,
        kind,
        dtype,
        *,
        lengths=None,
        batch_first=False,
        projection=0,
        bias=True,
        start=True,
        activation="tanh",
        layout="packed",
    ):
        module = self.theirs(kind, dtype, batch_first, projection, bias, activation)
        shape = (BATCH, STEPS, INPUTS) if batch_first else (STEPS, BATCH, INPUTS)
        x = torch.randn(shape, dtype=DTYPES[dtype], requires_grad=True)
        widths = [projection or HIDDEN] + [HIDDEN] * (kind == "lstm")
        states = [
            torch.randn(2, BATCH, width, dtype=x.dtype, requires_grad=True)
            for width in widths
        ]
        given = None
        if start:
            given = tuple(states) if kind == "lstm" else states[0]
        y, last = self.run_theirs(module, x, lengths, given)
        weights = [torch.randn_like(each) for each in (y, *last)]
        sum((a * b).sum() for a, b in zip((y, *last), weights, strict=True)).backward()

        own_x = ours(x)
        fed = own_x
        if lengths is not None:
            # Padding may hold anything.
            time = torch.arange(STEPS)
            dead = time[:, None] >= torch.tensor(lengths)[None]
            dead = dead.T if batch_first else dead
            fed = tenon.where(
                tenon.from_dlpack(dead[..., None].contiguous()), NAN, own_x
            )
        fed = strided(fed, layout)
        for direction, suffix in enumerate(("_l0", "_l0_reverse")):
            expected = {
                name: getattr(module, long + suffix)
                for name, long in WEIGHTS.items()
                if hasattr(module, long + suffix)
            }
            operands = {name: ours(each) for name, each in expected.items()}
            own_states = [ours(each[direction]) for each in states] if start else []
            named = dict(zip(("h0", "c0"), own_states, strict=False))
            options = {"reverse": bool(direction), "batch_first": batch_first}
            if kind == "rnn":
                options["activation"] = activation
            if lengths is not None:
                options["lengths"] = tenon.tensor(lengths, dtype="i64")
            found = getattr(tenon, kind)(fed, **operands, **named, **options)
            columns = slice(direction * widths[0], (direction + 1) * widths[0])
            self.close(found[0], y[..., columns], dtype, "y")
            for got, each in zip(found[1:], last, strict=True):
                self.close(got, each[direction], dtype, "last state")
            of = [weights[0][..., columns], *(each[direction] for each in weights[1:])]
            loss = sum(
                (a * tenon.from_dlpack(b.contiguous())).sum()
                for a, b in zip(found, of, strict=True)
            )
            loss.backward(retain_graph=True)
            self.gradients_close(operands, expected, dtype)
            for got, each in zip(own_states, states, strict=False):
                self.close(
                    got.grad, each.grad[direction], dtype, "gradient of a first state"
                )
        self.close(own_x.grad, x.grad, dtype, "gradient of x")

    def test_options(self):
        for kind, dtype, batch_first, bias, start in itertools.product(
            KINDS, DTYPES, (False, True), (False, True), (False, True)
        ):
            for lengths in (None, [3, 7, 1, 5, 2]):
                with self.subTest(kind=kind, dtype=dtype, lengths=lengths, bias=bias):
                    self.compare(
                        kind,
                        dtype,
                        lengths=lengths,
                        batch_first=batch_first,
                        bias=bias,
                        start=start,
                    )

    def test_projection(self):
        for dtype, batch_first, start in itertools.product(
            DTYPES, (False, True), (False, True)
        ):
            for lengths in (None, [7, 6, 1, 7, 3]):
                with self.subTest(
                    dtype=dtype, batch_first=batch_first, lengths=lengths
                ):
                    self.compare(
                        "lstm",
                        dtype,
                        lengths=lengths,
                        batch_first=batch_first,
                        projection=4,
                        start=start,
                    )

    def test_relu(self):
        for dtype, lengths in itertools.product(DTYPES, (None, [2, 7, 4, 1, 6])):
            with self.subTest(dtype=dtype, lengths=lengths):
                self.compare("rnn", dtype, lengths=lengths, activation="relu")

    def test_layouts(self):
        for kind, layout in itertools.product(
            KINDS, ("permuted", "columns", "backwards")
        ):
            for dtype, batch_first in itertools.product(DTYPES, (False, True)):
                with self.subTest(kind=kind, layout=layout, dtype=dtype):
                    self.compare(kind, dtype, layout=layout, batch_first=batch_first)

    def test_x_of_one_sequence_for_all(self):
        """An expanded x: all sequences read the same memory, and their gradients are summed."""
        for kind, made in KINDS.items():
            module = made(INPUTS, HIDDEN).double()
            one = torch.randn(STEPS, 1, INPUTS, dtype=torch.float64, requires_grad=True)
            y, _ = module(one.expand(STEPS, BATCH, INPUTS))
            weight = torch.randn_like(y)
            (y * weight).sum().backward()
            own = ours(one)
            operands = {
                name: ours(getattr(module, f"{long}_l0"))
                for name, long in WEIGHTS.items()
                if name != "w_hr"
            }
            wide = tenon.expand(own, shape=[STEPS, BATCH, INPUTS])
            found = getattr(tenon, kind)(wide, **operands)[0]
            self.close(found, y, "f64", kind)
            (found * tenon.from_dlpack(weight)).sum().backward()
            self.close(own.grad, one.grad, "f64", f"gradient of x of {kind}")


class Cells(Close):
    def test_cells(self):
        for kind, dtype, start in itertools.product(CELLS, DTYPES, (False, True)):
            with self.subTest(kind=kind, dtype=dtype):
                self.compare(kind, dtype, start)

    def compare(self, kind, dtype, start):
        module = CELLS[kind](INPUTS, HIDDEN).to(DTYPES[dtype])
        x = torch.randn(BATCH, INPUTS, dtype=DTYPES[dtype], requires_grad=True)
        count = 2 if kind == "lstm" else 1
        states = [
            torch.randn(BATCH, HIDDEN, dtype=x.dtype, requires_grad=True)
            for _ in range(count)
        ]
        given = (tuple(states) if kind == "lstm" else states[0]) if start else None
        results = module(x, given)
        results = results if kind == "lstm" else (results,)
        expected = {
            name: getattr(module, long)
            for name, long in WEIGHTS.items()
            if name != "w_hr"
        }
        expected["x"] = x
        if start:
            expected |= dict(zip(("h0", "c0"), states, strict=False))
        operands = {name: ours(each) for name, each in expected.items()}
        found = getattr(tenon, f"{kind}_cell")(**operands)
        found = found if kind == "lstm" else (found,)
        for got, each in zip(found, results, strict=True):
            self.close(got, each, dtype, kind)
        sum(each.sin().sum() for each in results).backward()
        sum(each.sin().sum() for each in found).backward()
        self.gradients_close(operands, expected, dtype)


if __name__ == "__main__":
    torch.manual_seed(25)
    unittest.main()
