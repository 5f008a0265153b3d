# SPDX-License-Identifier: Apache-2.0
# tests/outside/onnx_recurrent_test.py: ONNX's published node tests of LSTM, GRU and RNN pass with
# tenon.lstm, tenon.gru and tenon.rnn, each within its own tolerance.

import os
import pathlib
import sys
import unittest

import onnx_nodes

try:
    import numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon

OPS = {"LSTM": 6, "GRU": 6, "RNN": 6}
EXCLUDED = {
    "test_lstm_with_peepholes": "gates that see the cell: no PyTorch, no cuDNN has them",
}
# ONNX's order of gates as places in Tenon's: i o f c and i f g o, z r h and r z n.
ORDER = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
KNOWN = {"hidden_size", "direction", "layout", "linear_before_reset"}


def ours(array):
    return tenon.tensor(numpy.ascontiguousarray(array))


def in_order(rows, kind):
    """Rows of ONNX's gates, in Tenon's order."""
    gates = numpy.split(rows, len(ORDER[kind]))
    return numpy.concatenate([gates[i] for i in ORDER[kind]])


class Layer:
    """A node of ONNX as calls of Tenon, one for each direction."""

    def __init__(self, kind, inputs, attributes):
        unknown = set(attributes) - KNOWN
        assert not unknown, unknown
        self.kind, self.inputs = kind, inputs
        self.batch_first = bool(attributes.get("layout", 0))
        direction = attributes.get("direction", b"forward").decode()
        self.reverse = {"forward": [False], "reverse": [True]}.get(
            direction, [False, True]
        )
        self.options = {"batch_first": self.batch_first}
        if kind == "GRU":
            self.options["reset_after"] = bool(attributes.get("linear_before_reset", 0))
        if "sequence_lens" in inputs:
            self.options["lengths"] = ours(inputs["sequence_lens"].astype(numpy.int64))

    def state(self, name, direction):
        given = self.inputs.get(name)
        if given is None:
            return None
        return ours(given[:, direction] if self.batch_first else given[direction])

    def run(self, direction):
        weights = {
            name: in_order(self.inputs[each][direction], self.kind)
            for name, each in (("w_ih", "W"), ("w_hh", "R"))
        }
        if "B" in self.inputs:
            halves = numpy.split(self.inputs["B"][direction], 2)
            weights |= {
                name: in_order(each, self.kind)
                for name, each in zip(("b_ih", "b_hh"), halves, strict=True)
            }
        operands = {name: ours(each) for name, each in weights.items()}
        operands["h0"] = self.state("initial_h", direction)
        if self.kind == "LSTM":
            operands["c0"] = self.state("initial_c", direction)
        call = getattr(tenon, self.kind.lower())
        return call(
            ours(self.inputs["X"]),
            **operands,
            reverse=self.reverse[direction],
            **self.options,
        )

    def results(self):
        each = [self.run(direction) for direction in range(len(self.reverse))]
        y, *last = (
            [numpy.asarray(x.contiguous()) for x in xs]
            for xs in zip(*each, strict=True)
        )
        # Directions stand before the batch, of y after the steps.
        yield numpy.stack(y, 2 if self.batch_first else 1)
        for state in last:
            yield numpy.stack(state, 1 if self.batch_first else 0)


class NodeTests(onnx_nodes.NodeTests):
    OPS, EXCLUDED = OPS, EXCLUDED

    def results_of(self, node, operands):
        given = [short for short, name in zip(INPUTS, node.input, strict=False) if name]
        inputs = dict(zip(given, operands, strict=True))
        return Layer(node.op_type, inputs, onnx_nodes.attributes_of(node)).results()

    def test_all(self):
        self.check_all()


if __name__ == "__main__":
    unittest.main()
