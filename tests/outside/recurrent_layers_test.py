# SPDX-License-Identifier: Apache-2.0
# tests/outside/recurrent_layers_test.py: the layers lstm, gru, rnn and their cells beside PyTorch's
# modules: state dictionaries are loaded by name both ways, and values and all gradients agree.

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

MODULES = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
CELLS = {"lstm": torch.nn.LSTMCell, "gru": torch.nn.GRUCell, "rnn": torch.nn.RNNCell}
DTYPES = {"f32": torch.float32, "f64": torch.float64}
OURS = {"f32": tenon.float32, "f64": tenon.float64}
CLOSE = {"f32": 3e-5, "f64": 1e-12}  # largest difference over the largest value
STEPS, BATCH, INPUTS, HIDDEN = 6, 4, 5, 7


def ours(tensor):
    return tenon.from_dlpack(tensor.detach().contiguous().clone())


def theirs(tensor):
    return torch.from_dlpack(tensor.detach().contiguous())


def as_list(states):
    return list(states) if isinstance(states, (tuple, list)) else [states]


class Beside(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(25)
        tenon.seed(25)

    def close(self, found, expected, dtype, what):
        found = theirs(found)
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype), what)
        scale = max(expected.detach().abs().max().item(), 1e-3)
        self.assertLessEqual((found - expected).abs().max().item(), CLOSE[dtype] * scale, what)

    def state_goes_both_ways(self, layer, module):
        """PyTorch's state is loaded by Tenon, and Tenon's own by PyTorch before."""
        module.load_state_dict({name: theirs(each) for name, each in layer.state_dict().items()})
        for name, each in layer.state_dict().items():
            self.assertTrue(torch.equal(theirs(each), module.state_dict()[name]), name)
        with torch.no_grad():
            for each in module.parameters():
                each.mul_(1.5)
        layer.load_state_dict({name: ours(each) for name, each in module.state_dict().items()})

    def gradients_close(self, layer, module, dtype):
        named = dict(module.named_parameters())
        self.assertEqual([name for name, _ in layer.named_parameters()], list(named))
        for name, each in layer.named_parameters():
            self.close(each.grad, named[name].grad, dtype, name)

    def backward_both(self, found, expected):
        for got, each in zip(found, expected, strict=True):
            weight = torch.randn_like(each)
            (each * weight).sum().backward(retain_graph=True)
            tenon.sum(got * ours(weight)).backward(retain_graph=True)


class Layers(Beside):
    def pair(self, kind, dtype, **options):
        layer = getattr(tenon.nn, kind)(inputs=INPUTS, hidden=HIDDEN, dtype=OURS[dtype], **options)
        named = {
            "num_layers": options.get("layers", 1),
            "bias": options.get("bias", True),
            "batch_first": options.get("batch_first", False),
            "bidirectional": options.get("bidirectional", False),
        }
        if "projection" in options:
            named["proj_size"] = options["projection"]
        if "activation" in options:
            named["nonlinearity"] = options["activation"]
        module = MODULES[kind](INPUTS, HIDDEN, dtype=DTYPES[dtype], **named)
        self.state_goes_both_ways(layer, module)
        return layer, module

    def states(self, kind, options, dtype, batch):
        count = options.get("layers", 1) * (1 + options.get("bidirectional", False))
        widths = [options.get("projection", 0) or HIDDEN] + [HIDDEN] * (kind == "lstm")
        shape = [count, BATCH] if batch else [count]
        made = [torch.randn(*shape, width, dtype=DTYPES[dtype]) for width in widths]
        return [each.requires_grad_() for each in made]

    def run_module(self, module, x, states, lengths):
        given = (tuple(states) if len(states) == 2 else states[0]) if states else None
        if lengths is None:
            y, last = module(x, given)
            return [y, *as_list(last)]
        first = module.batch_first
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            x, torch.tensor(lengths), batch_first=first, enforce_sorted=False
        )
        y, last = module(packed, given)
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=first, total_length=STEPS)
        return [y, *as_list(last)]

    def compare(self, kind, dtype, *, start=True, lengths=None, batch=True, **options):
        layer, module = self.pair(kind, dtype, **options)
        sides = [BATCH, STEPS] if options.get("batch_first") else [STEPS, BATCH]
        x = torch.randn(*(sides if batch else [STEPS]), INPUTS, dtype=DTYPES[dtype])
        x.requires_grad_()
        states = self.states(kind, options, dtype, batch) if start else []
        expected = self.run_module(module, x, states, lengths)
        own_x, own_states = ours(x).requires_grad_(), [ours(s).requires_grad_() for s in states]
        given = [own_x, *own_states]
        if lengths is not None:
            given += [None] * (2 + (kind == "lstm") - len(given))
            given.append(tenon.tensor(lengths, dtype="i64"))
        found = list(layer(*given))
        for got, each in zip(found, expected, strict=True):
            self.close(got, each, dtype, kind)
        self.backward_both(found, expected)
        self.gradients_close(layer, module, dtype)
        for got, each in zip([own_x, *own_states], [x, *states], strict=True):
            self.close(got.grad, each.grad, dtype, "gradient of an input")

    def test_options(self):
        for kind, dtype, first, both, count in itertools.product(
            MODULES, DTYPES, (False, True), (False, True), (1, 2)
        ):
            for start, bias in ((True, True), (False, False)):
                with self.subTest(kind=kind, dtype=dtype, both=both, layers=count, start=start):
                    self.compare(
                        kind, dtype, start=start, bias=bias, batch_first=first, layers=count,
                        bidirectional=both,
                    )

    def test_lengths(self):
        for kind, dtype, first, start in itertools.product(
            MODULES, DTYPES, (False, True), (False, True)
        ):
            with self.subTest(kind=kind, dtype=dtype, batch_first=first, start=start):
                self.compare(
                    kind, dtype, start=start, lengths=[3, 6, 1, 4], batch_first=first, layers=2,
                    bidirectional=True,
                )

    def test_projection(self):
        for dtype, lengths in itertools.product(DTYPES, (None, [6, 2, 5, 1])):
            with self.subTest(dtype=dtype, lengths=lengths):
                self.compare(
                    "lstm", dtype, lengths=lengths, projection=3, layers=2, bidirectional=True
                )

    def test_relu(self):
        self.compare("rnn", "f64", activation="relu", layers=2, bidirectional=True)

    def test_one_sequence(self):
        for kind, first in itertools.product(MODULES, (False, True)):
            with self.subTest(kind=kind, batch_first=first):
                self.compare(
                    kind, "f64", batch=False, batch_first=first, layers=2, bidirectional=True
                )

    def test_carried_state(self):
        """Two halves with the state carried have the bits of the whole."""
        for kind in MODULES:
            layer, _ = self.pair(kind, "f32", layers=2)
            x = ours(torch.randn(STEPS, BATCH, INPUTS))
            whole = layer(x)
            first = layer(x[: STEPS // 2])
            second = layer(x[STEPS // 2 :], *[each.detach() for each in first[1:]])
            halves = torch.cat([theirs(first[0]), theirs(second[0])])
            self.assertTrue(torch.equal(halves, theirs(whole[0])), kind)
            for got, each in zip(second[1:], whole[1:], strict=True):
                self.assertTrue(torch.equal(theirs(got), theirs(each)), kind)

    def test_dropout_between_layers(self):
        """In training alone, and of the layers before the last: y itself has no zeros."""
        layer, _ = self.pair("lstm", "f32", layers=2, dropout=0.5)
        x = ours(torch.randn(STEPS, BATCH, INPUTS))
        trained, again = theirs(layer(x)[0]), theirs(layer(x)[0])
        self.assertFalse(torch.equal(trained, again))
        self.assertEqual((trained == 0).sum().item(), 0)
        layer.eval()
        self.assertTrue(torch.equal(theirs(layer(x)[0]), theirs(layer(x)[0])))


class Cells(Beside):
    def test_cells(self):
        for kind, dtype, start, bias in itertools.product(
            CELLS, DTYPES, (False, True), (False, True)
        ):
            with self.subTest(kind=kind, dtype=dtype, start=start, bias=bias):
                self.compare(kind, dtype, start, bias)

    def compare(self, kind, dtype, start, bias):
        layer = getattr(tenon.nn, f"{kind}_cell")(
            inputs=INPUTS, hidden=HIDDEN, bias=bias, dtype=OURS[dtype]
        )
        module = CELLS[kind](INPUTS, HIDDEN, bias=bias, dtype=DTYPES[dtype])
        self.state_goes_both_ways(layer, module)
        x = torch.randn(BATCH, INPUTS, dtype=DTYPES[dtype]).requires_grad_()
        count = (1 + (kind == "lstm")) if start else 0
        states = [torch.randn(BATCH, HIDDEN, dtype=x.dtype).requires_grad_() for _ in range(count)]
        given = (tuple(states) if count == 2 else states[0]) if start else None
        expected = as_list(module(x, given))
        own = [ours(each).requires_grad_() for each in (x, *states)]
        found = as_list(layer(*own))
        for got, each in zip(found, expected, strict=True):
            self.close(got, each, dtype, kind)
        self.backward_both(found, expected)
        self.gradients_close(layer, module, dtype)
        for got, each in zip(own, [x, *states], strict=True):
            self.close(got.grad, each.grad, dtype, "gradient of an input")


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
