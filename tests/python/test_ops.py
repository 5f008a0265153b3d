# SPDX-License-Identifier: Apache-2.0
# tests/python/test_ops.py: ops of the registry as Python functions, made from their schemas.
import inspect
import pickle
import unittest

from support import Case, tenon


class Calls(Case):
    def setUp(self):
        self.x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])

    def tearDown(self):
        del self.x

    def test_revisions_of_var_and_std_differ_by_their_default(self):
        x = tenon.tensor([1.0, 3.0])
        for name, of_sample in (("var", 2.0), ("std", 2.0**0.5)):
            newest, first = tenon._core.Op(f"tenon.{name}"), tenon._core.Op(f"tenon.{name}", 1)
            self.assertEqual((newest.revision, first.revision), (2, 1))
            self.assertEqual(newest(x).item(), 1.0)
            self.assertEqual(getattr(tenon, name)(x).item(), 1.0)
            self.assertAlmostEqual(first(x).item(), of_sample, 6)
            self.assertEqual(first(x, correction=0.0).item(), 1.0)
            for one in (newest, first):
                w = tenon.tensor([1.0, 3.0], requires_grad=True)
                found = tenon.grad(one(w, correction=1.0), w).tolist()
                self.assertAlmostEqual(found[1], 2.0 if name == "var" else 0.5**0.5, 6)

    def test_positions_and_names_are_the_same(self):
        expected = [[2.0, 4.0], [6.0, 8.0]]
        self.same(tenon.add(self.x, self.x), expected)
        self.same(tenon.add(self.x, b=self.x), expected)
        self.same(tenon.add(b=self.x, a=self.x), expected)
        self.same(tenon.op.tenon.add(self.x, self.x), expected)

    def test_numbers_are_weak_scalars(self):
        self.assertIs(tenon.add(self.x, 2).dtype, tenon.float32)
        self.assertIs(tenon.add(tenon.tensor([1]), 2.5).dtype, tenon.float32)
        self.assertIs(tenon.add(tenon.tensor([1]), True).dtype, tenon.int64)
        self.same(tenon.sub(1, tenon.tensor([1, 2])), [0, -1])
        self.same(tenon.add(1, 2), 3)

    def test_attributes_have_the_kinds_of_the_schema(self):
        self.same(tenon.sum(self.x, axes=0), [4.0, 6.0])
        self.same(tenon.sum(self.x, axes=[1], keepdims=True), [[3.0], [7.0]])
        self.same(tenon.cast(self.x, dtype="int32"), [[1, 2], [3, 4]])
        self.assertIs(tenon.cast(self.x, dtype=bool).dtype, tenon.bool)
        self.same(tenon.arange(stop=3, dtype=tenon.float64), [0.0, 1.0, 2.0])
        self.same(tenon.elu(self.x, alpha=1), [[1.0, 2.0], [3.0, 4.0]])
        self.same(tenon.einsum([self.x], equation="ij->ji"), [[1.0, 3.0], [2.0, 4.0]])
        loss = tenon.mse_loss(self.x, self.x, reduction="none")
        self.same(loss, [[0.0, 0.0], [0.0, 0.0]])

    def test_lists_of_tensors_and_several_results(self):
        self.same(tenon.stack([self.x, self.x], axis=0)[1], [[1.0, 2.0], [3.0, 4.0]])
        values, places = tenon.topk(tenon.tensor([3.0, 9.0, 5.0]), k=2)
        self.same(values, [9.0, 5.0])
        self.same(places, [1, 2])

    def test_what_only_backward_wants_is_not_returned(self):
        self.assertIsInstance(tenon.dropout(self.x, p=0.0), tenon.Tensor)

    def test_optional_operands_may_be_left_out(self):
        weight = tenon.tensor([[1.0, 1.0]])
        self.same(tenon.linear(self.x, weight), [[3.0], [7.0]])
        self.same(tenon.linear(self.x, weight, bias=None), [[3.0], [7.0]])
        self.same(tenon.linear(self.x, weight, tenon.tensor([1.0])), [[4.0], [8.0]])
        self.same(tenon.clamp(self.x, max=tenon.tensor(2.0)), [[1.0, 2.0], [2.0, 2.0]])

    def test_out_is_written_and_returned(self):
        out = tenon.full([2, 2], 0.0)
        self.assertIs(tenon.add(self.x, self.x, out=out), out)
        self.same(out, [[2.0, 4.0], [6.0, 8.0]])
        self.assertIs(tenon.add(self.x, 1, out=self.x), self.x)
        self.same(self.x, [[2.0, 3.0], [4.0, 5.0]])

    def test_ops_are_methods(self):
        self.same(self.x.relu(), [[1.0, 2.0], [3.0, 4.0]])
        self.same(self.x.square(), [[1.0, 4.0], [9.0, 16.0]])
        self.same(self.x.cumsum(axis=1), [[1.0, 3.0], [3.0, 7.0]])
        self.assertFalse(hasattr(self.x, "no_such_op"))
        self.assertFalse(hasattr(self.x, "arange"))  # has no operand
        self.assertFalse(hasattr(self.x, "stack"))  # takes a list


class Descriptions(Case):
    def test_signature_comes_from_the_schema(self):
        signature = inspect.signature(tenon.linear)
        self.assertEqual(str(signature), "(x, weight, bias=None, activation='none', *, out=None)")
        signature = inspect.signature(tenon.op.tenon.random_integers)
        words = "(shape, low=0, *, high, dtype=tenon.int64, out=None)"
        self.assertEqual(str(signature), words)
        signature = inspect.signature(tenon.argsort)  # truths have names
        self.assertEqual(str(signature), "(x, axis=-1, *, descending=False, stable=True, out=None)")
        signature = inspect.signature(tenon.uniform)
        self.assertIs(signature.parameters["dtype"].default, tenon.float32)
        self.assertIs(signature.parameters["shape"].default, inspect.Parameter.empty)
        self.assertEqual(tenon.add.__text_signature__, "(a, b, *, out=None)")

    def test_every_op_has_a_signature_and_words(self):
        for each in dir(tenon.op.tenon):
            op = getattr(tenon.op.tenon, each)
            inspect.signature(op)
            self.assertIn(each + "(", op.__doc__)
            self.assertEqual(op.__name__, each)
            self.assertGreater(len(op.__doc__), len(op.schema) + 20)

    def test_names_are_listed(self):
        self.assertIn("matmul", dir(tenon.op.tenon))
        self.assertIn("matmul", dir(tenon))
        self.assertIn("tenon", dir(tenon.op))

    def test_an_op_says_what_it_is(self):
        self.assertEqual(repr(tenon.add), "<op tenon.add(a, b, *, out=None)>")
        self.assertEqual(
            (tenon.add.name, tenon.add.plugin, tenon.add.revision), ("tenon.add", "tenon.ops", 1)
        )
        self.assertEqual(pickle.loads(pickle.dumps(tenon.add)).name, "tenon.add")

    def test_unknown_names_are_attribute_errors(self):
        self.refused(AttributeError, lambda: tenon.no_such_op, "tenon.no_such_op")
        self.refused(AttributeError, lambda: tenon.op.nobody, "nobody")


class Refusals(Case):
    """Each wrong call is an exception that says what was expected, and changes nothing."""

    def setUp(self):
        self.x = tenon.tensor([1.0, 2.0])

    def tearDown(self):
        del self.x

    def test_objects_that_are_no_operands(self):
        error = self.refused(TypeError, lambda: tenon.add(self.x, {1.0}), "tenon.add", "b", "set")
        named = (error.op, error.operand, error.found)
        self.assertEqual(named, ("tenon.add", "b", "set"))
        self.assertIn("tenon.tensor", error.hint)
        self.refused(TypeError, lambda: tenon.add(self.x, "2"), "str")
        self.refused(TypeError, lambda: tenon.add(self.x, object()), "object")
        self.refused(TypeError, lambda: tenon.stack(self.x), "a list of tensors")
        self.refused(TypeError, lambda: tenon.stack([self.x, 1.0]), "a list of tensors")
        self.refused(OverflowError, lambda: tenon.add(self.x, 2**70))

    def test_missing_and_surplus_arguments(self):
        self.refused(tenon.ArgumentError, lambda: tenon.add(self.x), "tenon.add")
        self.refused(tenon.ArgumentError, lambda: tenon.add(b=self.x), "tenon.add")
        self.refused(TypeError, lambda: tenon.add(self.x, self.x, self.x), "2 without a name", "3")
        self.refused(TypeError, lambda: tenon.add(self.x, self.x, a=self.x), "one value")
        self.refused(TypeError, lambda: tenon.add(self.x, self.x, c=1), "c", "(a, b, *, out=None)")
        self.refused(tenon.OptionError, lambda: tenon.permute(self.x), "axes")

    def test_attributes_of_a_wrong_kind(self):
        self.refused(TypeError, lambda: tenon.softmax(self.x, axis=1.0), "axis", "an integer")
        self.refused(TypeError, lambda: tenon.softmax(self.x, axis=True), "an integer")
        self.refused(TypeError, lambda: tenon.sum(self.x, keepdims=1), "True or False")
        self.refused(TypeError, lambda: tenon.sum(self.x, axes="0"), "a list of integers")
        self.refused(TypeError, lambda: tenon.sum(self.x, axes=[0.0]), "a list of integers")
        self.refused(TypeError, lambda: tenon.mse_loss(self.x, self.x, reduction=1), "a text")
        self.refused(TypeError, lambda: tenon.cast(self.x, dtype="float33"), "float33")
        self.refused(TypeError, lambda: tenon.elu(self.x, alpha="1"), "a number")

    def test_what_the_core_refuses(self):
        other = tenon.tensor([1.0, 2.0, 3.0])
        words = "[3] does not broadcast with"
        error = self.refused(ValueError, lambda: tenon.add(self.x, other), words)
        self.assertIsInstance(error, tenon.ShapeError)
        self.assertEqual((error.status, error.status_name), (5, "TENON_E_SHAPE"))
        self.assertEqual((error.op, error.operand), ("tenon.add", "b"))
        self.assertTrue(error.hint)
        both = f"  expected {error.expected}, found {error.found}"
        self.assertEqual(str(error).splitlines()[1], both)
        self.refused(tenon.DtypeError, lambda: tenon.bitwise_and(self.x, self.x))
        self.refused(TypeError, lambda: tenon.bitwise_and(self.x, self.x))
        self.refused(tenon.Error, lambda: tenon.softmax(self.x, axis=5), "axis")

    def test_a_misspelt_name_is_suggested(self):
        words = 'did you mean "tenon.softmax"?'
        for name in ("tenon.softmaks", "softmax", "tenon.Softmax", "acme.softmax"):
            error = self.refused(tenon.NotFoundError, lambda name=name: tenon._core.Op(name), words)
            self.assertIn(words, error.hint)
        self.refused(AttributeError, lambda: tenon.softmaks, words)
        self.refused(AttributeError, lambda: tenon.op.softmax, words)
        self.refused(AttributeError, lambda: tenon.op.acme, "begins with 'acme.'")
        self.refused(AttributeError, lambda: self.x.softmaks, words)

    def test_out_that_does_not_fit(self):
        self.refused(tenon.ShapeError, lambda: tenon.add(self.x, 1, out=tenon.full([3], 0.0)))
        self.refused(tenon.DtypeError, lambda: tenon.add(self.x, 1, out=tenon.full([2], 0)))
        self.refused(TypeError, lambda: tenon.add(self.x, 1, out=[1]), "out")
        self.same(self.x, [1.0, 2.0])

    def test_the_message_ends_with_the_callers_line(self):
        error = self.refused(tenon.Error, lambda: tenon.add(self.x, {1.0}), "test_ops.py")
        last = str(error).splitlines()[-1]
        self.assertRegex(last, r"test_ops\.py:\d+: .*tenon\.add\(self\.x, \{1\.0\}\)")
        self.assertIn("test_ops.py", error.place)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.hint), (str(error), error.hint))


if __name__ == "__main__":
    unittest.main()
