# SPDX-License-Identifier: Apache-2.0
# tests/outside/numpy_use_test.py: ops of Tenon as functions of NumPy's arrays: `tenon.numpy`.

import json
import sys
import unittest

try:
    import numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
import registry_samples as registry  # which says where the package is
import tenon.numpy
from registry_samples import OPS, in_tenon, is_random, mutates, results_of
from sample_text import Dtype, TensorText, parse
from tenon import _schema

T = tenon.numpy


def array(text):
    """Of a sample's text, without what is drawn: values are those of a row."""
    dtype = _schema._DTYPES[text.dtype]
    if text.given is not None:
        with numpy.errstate(over="ignore"):
            return numpy.array(text.given).astype(dtype).reshape(text.shape)
    count = numpy.prod(text.shape, dtype=int)
    return numpy.linspace(text.low, text.high, count).astype(dtype).reshape(text.shape)


def operand(given):
    if isinstance(given, list):
        return [operand(each) for each in given]
    return array(given) if isinstance(given, TensorText) else given


def first_samples():
    """{op: (operands, attributes)} of ops on dtypes that NumPy has."""
    found = {}
    for each in json.loads(tenon._core.query("samples")):
        if each["expect"] == 0 and "bf16" not in each["text"]:
            inputs, attributes = parse(each["text"])
            attributes = {name: _schema._DTYPES[x.name] if isinstance(x, Dtype) else x
                          for name, x in attributes.items()}  # fmt: skip
            found.setdefault(each["op"], (list(map(operand, inputs)), attributes))
    return found


class Every(unittest.TestCase):
    def test_op_gives_what_it_gives_of_tensors(self):
        seen = 0
        for op, (operands, attributes) in first_samples().items():
            if mutates(op) or is_random(op):
                continue
            with self.subTest(op=op):
                found = results_of(registry.named(T.ops, op), *operands, **attributes)
                expected = results_of(in_tenon(op), *map(T._taken, operands), **attributes)
                self.assertEqual(len(found), len(expected))
                for a, b in zip(found, expected, strict=True):
                    self.assertIsInstance(a, numpy.ndarray)
                    self.assertEqual(a.tobytes(), b.contiguous().numpy().tobytes())
                seen += 1
        self.assertGreater(seen, len(OPS) - 50)


class Use(unittest.TestCase):
    def test_operands_are_not_copied(self):
        x = numpy.zeros((64, 64), "float32")
        for view in (x, x.T, x[::-1, ::2], x[:1]):
            self.assertEqual(T._taken(view).data_ptr, view.__array_interface__["data"][0])
            self.assertTrue(numpy.shares_memory(T.transpose(view), x))
        numpy.testing.assert_array_equal(T.add(x.T, x[:1]), x.T + x[:1])

    def test_out(self):
        x = numpy.arange(4, dtype="float64")
        self.assertIs(T.mul(x, x, out=x), x)
        self.assertEqual(x.tolist(), [0, 1, 4, 9])
        T.exp(x[:2], out=x[2:])
        self.assertEqual(x[2:].tolist(), [1.0, float(numpy.exp(1.0))])
        with self.assertRaises(tenon.ShapeError):
            T.exp(x, out=numpy.zeros(3))

    def test_what_an_op_writes_is_in_the_array(self):
        p = numpy.zeros((3, 2), "float32")
        rows, values = numpy.array([1, 1]), numpy.ones((2, 2), "float32")
        self.assertIsNone(T.rows_add(p, rows, values))
        self.assertEqual(p.sum(axis=1).tolist(), [0, 4, 0])
        p.flags.writeable = False
        with self.assertRaises(tenon.Error):
            T.rows_add(p, rows, values)

    def test_results(self):
        values, indices = found = T.topk(numpy.array([1.0, 3.0, 2.0]), 2)
        self.assertEqual((values.tolist(), indices.tolist()), ([3, 2], [1, 2]))
        self.assertIs(found.values, values)
        self.assertEqual(T.sum(numpy.ones(3, "float32")).shape, ())
        self.assertEqual(T.concat([numpy.ones(2), numpy.zeros(1)]).tolist(), [1, 1, 0])

    def test_what_is_refused(self):
        x = numpy.ones(3, "float32")
        with self.assertRaisesRegex(tenon.DtypeError, "tenon.cast: result: .*bfloat16\n.*hint"):
            T.cast(x, dtype="bfloat16")
        with self.assertRaisesRegex(AttributeError, "no op 'gelo'\n.*hint.*gelu"):
            T.gelo  # noqa: B018
        with self.assertRaises(tenon.ShapeError) as caught:
            T.matmul(x, x[:2])
        self.assertEqual(caught.exception.op, "tenon.matmul")
        with self.assertRaises(TypeError):
            T.exp(numpy.ones(3, "complex64"))

    def test_names(self):
        self.assertIn("gelu", dir(T))
        self.assertIs(T.gelu, T.ops.tenon.gelu)
        self.assertIs(T.load("tenon.ops").gelu, T.gelu)
        self.assertEqual(T.gelu.__doc__, tenon.op.tenon.gelu.__doc__)


if __name__ == "__main__":
    unittest.main()
