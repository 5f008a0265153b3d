# SPDX-License-Identifier: Apache-2.0
# tests/python/test_autograd.py: gradients from Python.
import os
import tempfile
import unittest

from support import Case, bits, tenon


class Backward(Case):
    def setUp(self):
        self.x = tenon.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def tearDown(self):
        del self.x

    def test_gradients_collect_at_leaves(self):
        self.assertIsNone(self.x.grad)
        (self.x * self.x).sum().backward()
        self.same(self.x.grad, [2.0, 4.0, 6.0])
        self.x.sum().backward()
        self.same(self.x.grad, [3.0, 5.0, 7.0])
        self.x.grad = None
        self.assertIsNone(self.x.grad)
        self.x.grad = tenon.tensor([1.0, 1.0, 1.0])
        self.same(self.x.grad, [1.0, 1.0, 1.0])

    def test_seeds_and_kept_graphs(self):
        y = self.x * 2
        y.backward(tenon.tensor([1.0, 0.0, 2.0]), retain_graph=True)
        tenon.backward([y], [tenon.tensor([1.0, 1.0, 1.0])])
        self.same(self.x.grad, [4.0, 2.0, 6.0])
        self.refused(tenon.GraphFreedError, lambda: (y * y).sum().backward())

    def test_several_roots(self):
        tenon.backward([self.x.sum(), (self.x * self.x).sum()], [None, tenon.tensor(2.0)])
        self.same(self.x.grad, [5.0, 9.0, 13.0])

    def test_grad_leaves_leaves_alone(self):
        y = (self.x**3).sum()
        first = tenon.grad(y, self.x, create_graph=True)
        self.same(first, [3.0, 12.0, 27.0])
        self.same(tenon.grad(first.sum(), self.x), [6.0, 12.0, 18.0])
        self.assertIsNone(self.x.grad)
        unused = tenon.tensor([1.0], requires_grad=True)
        found = tenon.grad(self.x.sum(), [self.x, unused])
        self.same(found[0], [1.0, 1.0, 1.0])
        self.assertIsNone(found[1])

    def test_value_and_grad(self):
        def loss(weight, data, scale=1.0):
            """The loss."""
            return ((weight * data).sum()) * scale

        both = tenon.value_and_grad(loss)
        self.assertEqual(both.__doc__, "The loss.")
        data = tenon.tensor([4.0, 5.0, 6.0])
        value, gradient = both(self.x, data, scale=2.0)
        self.assertEqual(value.item(), 64.0)
        self.same(gradient, [8.0, 10.0, 12.0])
        value, gradients = tenon.value_and_grad(loss, argnums=(0, 1))(self.x, data)
        self.same(gradients[0], [4.0, 5.0, 6.0])
        self.same(gradients[1], [1.0, 2.0, 3.0])
        self.assertIsNone(self.x.grad)

    def test_an_exception_inside_a_function_arrives(self):
        def broken(weight):
            raise KeyError("mine")

        self.refused(KeyError, lambda: tenon.value_and_grad(broken)(self.x), "mine")
        self.refused(TypeError, lambda: tenon.value_and_grad(lambda w: 1)(self.x), "int")
        self.refused(TypeError, lambda: tenon.value_and_grad(lambda w: w)(3.0), "float")
        two = tenon.value_and_grad(lambda w: [w.sum(), w.sum()])
        self.refused(ValueError, lambda: two(self.x), "another number")
        self.refused(tenon.GradError, lambda: tenon.value_and_grad(lambda w: w)(self.x))

    def test_hooks_see_and_replace(self):
        seen = []
        middle = self.x * 2
        remove = middle.add_hook(lambda gradient: seen.append(gradient.tolist()))
        middle.add_hook(lambda gradient: gradient * 10)
        middle.retain_grad()
        middle.sum().backward(retain_graph=True)
        self.assertEqual(seen, [[1.0, 1.0, 1.0]])
        self.same(self.x.grad, [20.0, 20.0, 20.0])
        self.same(middle.grad, [10.0, 10.0, 10.0])
        remove()
        self.refused(tenon.NotFoundError, remove)
        middle.sum().backward()
        self.assertEqual(len(seen), 1)

        def broken(gradient):
            raise ZeroDivisionError

        self.x.add_hook(broken)
        self.assertRaises(ZeroDivisionError, lambda: self.x.sum().backward())

    def test_rows(self):
        table = tenon.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
        self.assertIsNone(table.grad_rows())
        tenon.embedding(table, tenon.tensor([2, 0, 2])).sum().backward()
        self.assertTrue(table.has_grad_rows)
        indices, values = table.grad_rows()
        self.same(indices, [0, 2])
        self.same(values, [[1.0], [2.0]])
        self.refused(tenon.RowsError, lambda: table.grad)

    def test_refusals(self):
        y = self.x * 2
        self.refused(tenon.GradError, y.backward, "seed")
        self.refused(tenon.GradError, lambda: tenon.tensor([1.0]).backward())
        self.refused(TypeError, lambda: tenon.backward([1.0]), "tensors")
        self.refused(ValueError, lambda: tenon.backward([y], [y, y]), "seeds")
        self.refused(tenon.GradError, lambda: self.x.__iadd__(1))
        self.refused(tenon.DtypeError, lambda: tenon.tensor([1], requires_grad=True))
        self.refused(TypeError, lambda: setattr(self.x, "grad", 1.0), "a tensor or None")
        self.refused(tenon.ShapeError, lambda: setattr(self.x, "grad", tenon.tensor(1.0)))
        saved = self.x.exp()
        total = saved.sum()
        with tenon.no_grad:
            saved += 1
        self.refused(tenon.VersionError, total.backward)



def drawn_linear(*sizes, bias, dtype="f32"):
    """x, weight and bias that require gradients."""
    inputs, outputs = sizes[-1], 37
    shapes = [sizes, (outputs, inputs)] + [(outputs,)] * bias
    return [tenon.randn(*shape).cast(dtype).requires_grad_() for shape in shapes]


def composed_linear(x, weight, bias=None):
    y = x @ weight.T
    return y if bias is None else y + bias


class Linear(Case):
    def gradients(self, function, operands):
        for operand in operands:
            operand.grad = None
        y = function(*operands)
        tenon.seed(5)
        y.backward(tenon.randn(*y.shape).cast(y.dtype))
        return [y.detach()] + [operand.grad for operand in operands]

    def test_has_the_bits_of_product_and_sum(self):
        for sizes in ((5, 70), (2, 3, 70), (70,), (300, 2)):
            for bias in (False, True):
                for dtype in ("f32", "f64", "bf16"):
                    operands = drawn_linear(*sizes, bias=bias, dtype=dtype)
                    with self.subTest(sizes=sizes, bias=bias, dtype=dtype):
                        found = self.gradients(tenon.linear, operands)
                        wanted = self.gradients(composed_linear, operands)
                        for x, y in zip(found, wanted, strict=True):
                            self.assertEqual(bits(x.cast("f64")), bits(y.cast("f64")))
                        self.assertTrue(found[2].is_contiguous)

    def test_an_activation_is_recorded_beside_it(self):
        operands = drawn_linear(4, 9, bias=True)
        for name in ("relu", "gelu", "sigmoid", "tanh"):
            found = self.gradients(
                lambda *all, name=name: tenon.linear(*all, activation=name), operands
            )
            wanted = self.gradients(
                lambda *all, name=name: getattr(tenon, name)(composed_linear(*all)), operands
            )
            for x, y in zip(found, wanted, strict=True):
                self.assertEqual(bits(x), bits(y))


class Modes(Case):
    def test_modes_nest(self):
        x = tenon.tensor([1.0], requires_grad=True)
        with tenon.no_grad:
            self.assertFalse((x * 2).requires_grad)
            with tenon.enable_grad:
                self.assertTrue((x * 2).requires_grad)
            with tenon.inference, tenon.enable_grad:
                self.assertFalse((x * 2).requires_grad)
        self.assertTrue((x * 2).requires_grad)

    def test_modes_end_with_an_exception(self):
        x = tenon.tensor([1.0], requires_grad=True)
        with self.assertRaises(KeyError), tenon.no_grad:
            raise KeyError
        self.assertTrue((x * 2).requires_grad)

    def test_modes_decorate(self):
        x = tenon.tensor([1.0], requires_grad=True)

        @tenon.no_grad
        def double(value):
            """Doubles."""
            return value * 2

        @tenon.no_grad()
        def triple(value):
            return value * 3

        self.assertFalse(double(x).requires_grad or triple(x).requires_grad)
        self.assertEqual(double.__doc__, "Doubles.")

    def test_serial_scopes_change_no_bit(self):
        x = tenon.arange(start=0, stop=90000, dtype="f32").reshape(300, 300).sin()
        expected = (x @ x).exp().sum(axes=0).tolist()

        @tenon.serial
        def alone():
            with tenon.serial:
                return (x @ x).exp().sum(axes=0).tolist()

        self.assertEqual(alone(), expected)
        self.refused(tenon.StateError, tenon._core.end_serial, "without tenon_serial_begin")

    def test_a_guard_names_the_first_nan(self):
        zero = tenon.tensor([0.0, 1.0], requires_grad=True)
        root = zero.sqrt().sum()
        total = zero.log().sum()  # nothing is looked at outside
        with tenon.guard_finite():
            self.same((zero + 1).detach(), [1.0, 2.0])
            with tenon.scope("head"):
                error = self.refused(tenon.CheckError, zero.log, "holds -inf at [0]")
            named = (error.op, error.operand, error.scope)
            self.assertEqual(named, ("tenon.log", "output 0", "head"))
            error = self.refused(tenon.CheckError, lambda: root.backward(retain_graph=True), "inf")
            self.assertEqual((error.op, error.operand), ("tenon.sqrt", "x"))
            self.assertIsNone(zero.grad)
            with tenon.guard_finite:
                pass
            self.assertRaises(tenon.CheckError, zero.log)

        @tenon.guard_finite
        def step(x):
            return x.log()

        self.refused(tenon.CheckError, lambda: step(zero))
        self.assertEqual(step(zero.detach() + 1)[0].item(), 0.0)
        root.backward()
        with self.assertRaises(KeyError), tenon.guard_finite():
            raise KeyError
        self.assertEqual(total.item(), float("-inf"))
        self.same(zero.detach().log(), [float("-inf"), 0.0])

    def test_detached_tensors_have_no_history(self):
        x = tenon.tensor([1.0], requires_grad=True)
        y = (x * 2).detach()
        self.assertFalse(y.requires_grad)
        self.assertTrue(x.clone().requires_grad)
        self.assertEqual((x * 2).node, "tenon.mul")


class Pictures(Case):
    def test_draw(self):
        x = tenon.tensor([1.0], requires_grad=True)
        y = (x * 2).sum()
        self.assertIn("<svg", tenon.draw(y))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph.dot")
            tenon.draw(y, path)
            with open(path, encoding="utf-8") as file:
                self.assertIn("digraph", file.read())
            for direction, turns in ((None, False), ("TB", False), ("LR", True)):
                tenon.draw(y, path, direction=direction)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual("rankdir=LR" in file.read(), turns, direction)
        self.assertEqual(tenon.draw(y, direction="TB"), tenon.draw(y))
        self.assertNotEqual(tenon.draw(y, direction="LR"), tenon.draw(y))
        self.refused(tenon.NotFoundError, lambda: tenon.draw(y, direction="UP"), "svg/UP")
        self.refused(tenon.NotFoundError, lambda: tenon.draw(y, "graph.gif"), "gif")

    def test_scopes_stand_in_errors(self):
        x = tenon.tensor([1.0, 2.0])
        with tenon.scope("step"), tenon.scope("encoder"):
            error = self.refused(tenon.Error, lambda: x + tenon.tensor([1.0, 2.0, 3.0]))
        self.assertEqual(error.scope, "step/encoder")


if __name__ == "__main__":
    unittest.main()
