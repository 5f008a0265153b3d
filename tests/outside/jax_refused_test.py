# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_refused_test.py: what ops of Tenon in JAX refuse, and in which words.

import functools
import inspect
import unittest
import unittest.mock

import numpy
from jax_samples import jax, same, tenon
from tenon import _core, _jax_ops, _schema

jnp = jax.numpy
T = tenon.jax.ops.tenon


class Refused(unittest.TestCase):
    def refused(self, kind, call, **words):
        with self.assertRaises(kind) as caught:
            call()
        for name, expected in words.items():
            self.assertEqual(getattr(caught.exception, name), expected)
        self.assertIn("jax_refused_test.py", caught.exception.place)

    def test_an_error_has_its_whole_record(self):
        x = jnp.ones((2, 3))
        for call in (lambda: T.matmul(x, x), lambda: jax.jit(T.matmul)(x, x)):
            self.refused(tenon.ShapeError, call, op="tenon.matmul", operand="b", found="[2,3]")

    def test_an_error_of_values_has_its_record_in_jax_s(self):
        x, wrong = jnp.ones((2, 3)), jnp.array([0, 7])
        with self.assertRaises(jax.errors.JaxRuntimeError) as caught:
            T.index_select(x, wrong, axis=0).block_until_ready()
        words = str(caught.exception)
        self.assertIn("TENON_E_DATA: tenon.take: indices[1] is 7", words)
        self.assertRegex(words, r"expected .*, found 7\n  hint: .*\n  plugin: tenon")

    def test_operands(self):
        x = jnp.ones(3)
        self.refused(tenon.OperandTypeError, lambda: T.add(x, [1.0]), operand="b", found="list")
        self.refused(tenon.OperandTypeError, lambda: T.concat(x), operand="xs",
                     expected="a list of arrays")  # fmt: skip
        self.refused(tenon.OperandTypeError, lambda: T.concat([x, 1.0]), operand="xs")
        self.refused(tenon.TooLargeError, lambda: T.add(x, 2**63), operand="b")
        self.refused(tenon.ArgumentError, lambda: T.add(x), operand="b")
        for dtype in ("uint32", "complex64"):
            self.refused(tenon.DtypeError, lambda d=dtype: T.neg(jnp.ones(3, d)), found=dtype)

    def test_attributes(self):
        x = jnp.ones((3, 2))
        refused = functools.partial(self.refused, tenon.OperandTypeError)
        refused(lambda: T.softmax(x, axis="last"), operand="axis", expected="an integer")
        refused(lambda: T.sum(x, axes=[0.5]), operand="axes", expected="a list of integers")
        refused(lambda: T.sum(x, keepdims=1), operand="keepdims", expected="True or False")
        refused(lambda: T.gelu(x, approximate=3), operand="approximate", expected="a text")
        refused(lambda: T.softmax(x, axes=1, axis=1), operand="axis", found="two")
        refused(lambda: T.softmax(x, axos=1), hint="did you mean axis?")
        refused(lambda: T.exp(x, 1, 2), expected="1 without a name", found="3")
        refused(lambda: jax.jit(lambda n: T.softmax(x, axis=n))(1), operand="axis",
                found="one that is traced")  # fmt: skip
        self.refused(tenon.AxisError, lambda: T.softmax(x, axis=2))
        self.refused(tenon.TooLargeError, lambda: T.softmax(x, axis=2**63), operand="axis")
        self.refused(tenon.TooLargeError, lambda: T.sum(x, axes=[2**63]), operand="axes")
        with self.assertRaisesRegex(TypeError, "complex64"):
            T.cast(x, dtype="complex64")
        refused(lambda: T.cast(x, dtype=object()))

    def test_an_op_with_an_effect(self):
        schema = _schema.Schema("tenon.exp", 1)
        schema.said["flags"].append("effect")
        with unittest.mock.patch.object(_schema, "Schema", return_value=schema):
            self.refused(tenon.UnsupportedError, lambda: _jax_ops.Described("tenon.exp"),
                         found="one that must run even if none is used")  # fmt: skip

    def test_other_devices(self):
        name = "probe_refuses"
        jax.ffi.register_ffi_target(name, _core.xla_refusal(), platform="cpu")
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "host memory.*\n.*device_put"):
            jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((), "float32"))().block_until_ready()

    def test_damaged_calls(self):
        def call(**attributes):
            node = jax.ffi.ffi_call("tenon_call", jax.ShapeDtypeStruct((3,), "float32"))
            return node(jnp.ones(3), **attributes).block_until_ready()

        good = {"tenon_op": "tenon.exp@1", "tenon_call": numpy.array([1, 0, 0, 1, -1, 0])}
        self.assertTrue(same(call(**good), T.exp(jnp.ones(3))))
        cases = {
            "missing": {"tenon_op": "tenon.exp@1"},
            "its revision": good | {"tenon_op": "tenon.exp"},
            "no plugin lists it": good | {"tenon_op": "tenon.expo@1"},
            "damaged": good | {"tenon_call": numpy.array([1, 0, 0, 1, -1])},
            "other buffers": good | {"tenon_call": numpy.array([1, 0, 0, 2, -1, -1, 0])},
            "a value": good | {"tenon_op": "tenon.softmax@1", "axis": numpy.array([3, 1, 1])},
            "no attribute": good | {"axis": numpy.array([3, 1])},
            "not int32": good | {"tenon_call": numpy.array([1, 0, 0, 1, -4, 0])},
        }
        for words, attributes in cases.items():
            with self.subTest(words), self.assertRaisesRegex(jax.errors.JaxRuntimeError, words):
                call(**attributes)

    def test_names_that_there_are_not(self):
        with self.assertRaisesRegex(AttributeError, "begins with 'nobody.'"):
            tenon.jax.ops.nobody  # noqa: B018
        with self.assertRaisesRegex(AttributeError, "no op 'gelo'\n.*hint.*gelu"):
            T.gelo  # noqa: B018
        with self.assertRaisesRegex(tenon.NotFoundError, "tenon.jax.load: .*'acme.none'"):
            tenon.jax.load("acme.none")
        with self.assertRaisesRegex(ValueError, "plugin.json"):
            tenon.jax.load("/nowhere/acme.none")

    def test_a_plugin_s_ops(self):
        self.assertIn("gelu", dir(tenon.jax.load("tenon.ops")))
        self.assertIn("adam_step", dir(tenon.jax.load("tenon.optim")))
        self.assertNotIn("gelu", dir(tenon.jax.load("tenon.optim")))
        self.assertEqual(repr(T), "<tenon.* in JAX>")

    def test_signatures(self):
        expected = {
            "sum": "(x, axes=None, keepdims=False)",
            "normal": "(shape, mean=0.0, std=1.0, dtype=tenon.float32, *, key)",
        }
        for name, text in expected.items():
            self.assertEqual(str(inspect.signature(getattr(T, name))), text)


if __name__ == "__main__":
    unittest.main()
