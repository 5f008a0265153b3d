# SPDX-License-Identifier: Apache-2.0
# tests/python/test_custom.py: ops with gradients that are written in Python.
import gc
import inspect
import sys
import threading
import traceback
import unittest

from support import Case, run_python, tenon

CUBE = "mine.cube(x: T[...]) -> T[...] where T: float"


def numpy_here():
    try:
        import numpy

        return numpy
    except ImportError:
        return None


np = numpy_here()
needs_numpy = unittest.skipIf(np is None, "NumPy is not installed")


def make_cube():
    @tenon.custom_op(CUBE)
    def cube(x):
        """The third power."""
        return x * x * x

    @cube.backward
    def cube_backward(grad, x):
        return 3 * x * x * grad

    return cube


class OwnOps(Case):
    def tearDown(self):
        from tenon import _custom

        for each in list(_custom._defined.values()):
            each.remove()


class Compositions(OwnOps):
    def test_they_are_ops_like_any_other(self):
        cube = make_cube()
        x = tenon.tensor([1.0, 2.0], requires_grad=True)
        y = cube(x)
        self.same(y, [1.0, 8.0])
        self.assertEqual(y.node, "mine.cube")
        y.sum().backward()
        self.same(x.grad, [3.0, 12.0])
        self.same(tenon.op.mine.cube(x.detach()), [1.0, 8.0])
        self.assertEqual(dir(tenon.op.mine), ["cube"])
        self.assertIn("The third power.", tenon.op.mine.cube.__doc__)
        self.assertEqual(str(inspect.signature(cube)), "(x, *, out=None)")
        self.assertEqual(repr(cube), "<custom op mine.cube(x, *, out=None)>")
        self.assertEqual((cube.__name__, cube.__doc__), ("cube", "The third power."))
        out = tenon.full([2], 0.0)
        cube(x.detach(), out=out)
        self.same(out, [1.0, 8.0])

    def test_without_a_rule_the_composition_is_recorded(self):
        @tenon.custom_op(CUBE)
        def cube(x):
            return x * x * x

        x = tenon.tensor([2.0], requires_grad=True)
        cube(x).backward()
        self.same(x.grad, [12.0])

    def test_a_rule_is_differentiated_again(self):
        cube = make_cube()
        self.assertTrue(tenon.gradcheck(cube, [1.0, -2.0, 3.0], twice=True))
        x = tenon.tensor([2.0], requires_grad=True)
        slope = tenon.grad(cube(x), x, create_graph=True)
        curve = tenon.grad(slope, x, create_graph=True)
        self.same(curve, [12.0])
        self.same(tenon.grad(curve, x), [6.0])

    def test_rules_get_what_their_parameters_name(self):
        seen = []

        @tenon.custom_op(
            "mine.scale(x: T[...], y: T[...], *, by: float=2.0) -> T[...] where T: float"
        )
        def scale(x, y, *, by):
            return x * by + y

        @scale.backward
        def scale_backward(grad, output, by, y):
            seen.append((output.tolist(), by, y.tolist()))
            return grad * by, None

        x = tenon.tensor([3.0], requires_grad=True)
        y = tenon.tensor([1.0], requires_grad=True)
        scale(x, y, by=4).backward()
        self.assertEqual(seen, [([13.0], 4.0, [1.0])])
        self.same(x.grad, [4.0])
        self.assertTrue(y.grad is None or y.grad.tolist() == [0.0])

    def test_several_outputs_lists_and_absent_operands(self):
        @tenon.custom_op(
            "mine.both(xs: T[...]*, bias: T[...]?, *,"
            ' axes: int[]=[0], name: str="a", to: dtype=f32)'
            " -> (sum: T[...], first: T[...]) where T: float"
        )
        def both(xs, bias, *, axes, name, to):
            seen.append((bias, axes, name, to))
            total = xs[0] + xs[1]
            return (total if bias is None else total + bias), xs[0] * 1

        @both.shape
        def both_shape(xs, bias, **attributes):
            return [xs[0], xs[0]]

        @both.backward
        def both_backward(sum, first, xs, name):
            seen.append((len(xs), name))
            return [sum + first, None], sum

        seen = []
        a, b = (tenon.tensor([value], requires_grad=True) for value in (1.0, 2.0))
        total, first = both([a, b])
        self.assertEqual(seen.pop(), (None, [0], "a", tenon.float32))
        tenon.backward([total, first])
        self.assertEqual(seen.pop(), (2, "a"))
        self.same(a.grad, [2.0])
        bias = tenon.tensor([5.0], requires_grad=True)
        total, first = both([a, b], bias, axes=[1, 2], name="é")
        self.assertEqual(seen.pop()[1:3], ([1, 2], "é"))
        self.same(total, [8.0])
        total.backward()
        self.same(bias.grad, [1.0])

    def test_the_letters_of_a_schema_say_the_shapes(self):
        @tenon.custom_op("mine.product(a: T[...,M,K], b: T[K,N]) -> T[...,M,N] where T: float")
        def product(a, b):
            return a @ b

        @tenon.custom_op("mine.pair(a: T[...], b: T[...]) -> T[2,...] where T: any")
        def pair(a, b):
            shape = (a + b).shape
            return tenon.stack([a.expand(shape), b.expand(shape)])

        @tenon.custom_op("mine.plain(x: T) -> T where T: any")
        def plain(x):
            return tenon.copy(x)

        @tenon.custom_op("mine.odd(x: T[N]) -> T[N/2] where T: any")
        def odd(x):
            return x[::2]

        a, b = tenon.full([5, 2, 3], 1.0), tenon.full([3, 4], 1.0)
        self.assertEqual(product(a, b).shape, (5, 2, 4))
        self.assertEqual(pair(tenon.full([3, 1], 1), tenon.full([2], 2)).shape, (2, 3, 2))
        self.assertEqual(plain(a).shape, (5, 2, 3))
        error = self.refused(tenon.ShapeError, lambda: odd(tenon.full([4], 1)), "@odd.shape")
        self.assertEqual((error.op, error.operand), ("mine.odd", "output"))
        odd.shape(lambda x: (x[0] // 2,))
        self.same(odd(tenon.tensor([1, 2, 3, 4])), [1, 3])
        error = self.refused(tenon.ShapeError, lambda: pair(tenon.full([3], 1), tenon.full([2], 1)))
        self.assertEqual(
            (error.op, error.operand, error.found), ("mine.pair", "inputs", "(3,), (2,)")
        )
        odd.shape(lambda x: ["a"])
        self.assertRaises(TypeError, lambda: odd(tenon.tensor([1, 2])))

    def test_a_composition_may_do_what_a_program_may(self):
        @tenon.custom_op("mine.all(x: T[...]) -> T[...] where T: float")
        def everything(x):
            with tenon.no_grad, tenon.scope("inner"):
                assert repr(x) and x.shape == (2, 2) and x[0, 0].item() == 1.0
                x = x.detach()
                y = x[:, ::-1] + tenon.tensor([1.0, 2.0])
                y[0] = 7.0
            slope = tenon.value_and_grad(lambda v: (v * v).sum())(y)[1]
            tenon.no_grad.__enter__()  # is ended for it
            return slope

        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.same(everything(x), [[14.0, 14.0], [10.0, 10.0]])
        w = tenon.tensor([1.0], requires_grad=True)
        self.assertTrue((w * 1).requires_grad)

    def test_they_nest(self):
        cube = make_cube()

        @tenon.custom_op("mine.ninth(x: T[...]) -> T[...] where T: float")
        def ninth(x):
            return cube(cube(x))

        @ninth.backward
        def ninth_backward(grad, x):
            return tenon.grad(cube(cube(y := leaf(x))), y) * grad

        def leaf(x):
            made = x.detach()
            made.requires_grad = True
            return made

        x = tenon.tensor([2.0], requires_grad=True)
        with self.assertRaises(tenon.GradError):  # nothing is recorded inside a rule
            ninth(x).backward()

        @ninth.backward
        def ninth_again(grad, x):
            with tenon.enable_grad:
                y = leaf(x)
                return tenon.grad(cube(cube(y)), y) * grad

        ninth(x).backward()
        self.same(x.grad, [9.0 * 2**8])

    def test_modes_scopes_and_traces(self):
        cube = make_cube()
        x = tenon.tensor([2.0], requires_grad=True)
        with tenon.no_grad:
            self.assertFalse(cube(x).requires_grad)
        with tenon.profile() as recorded:
            cube(x)
        self.assertIn("mine.cube", recorded.json)
        self.assertIn("tenon.mul", recorded.json)

        @tenon.custom_op("mine.wrong(x: T[...]) -> T[...] where T: float")
        def wrong(x):
            with tenon.scope("inner"):
                return x @ x

        with tenon.scope("outer"):
            error = self.refused(tenon.ShapeError, lambda: wrong(tenon.full([2, 3], 1.0)))
        self.assertEqual((error.op, error.scope), ("tenon.matmul", "outer/inner"))
        self.assertIn("return x @ x", str(error).splitlines()[-1])

    def test_they_are_captured(self):
        cube = make_cube()
        x = tenon.tensor([2.0], requires_grad=True)

        def step(data):
            x.grad = None
            loss = (cube(x) * data).sum()
            loss.backward()
            return loss, x.grad

        plan = tenon.capture(step, tenon.tensor([1.0]))
        loss, gradient = plan(tenon.tensor([10.0]))
        self.same(loss, 80.0)
        self.same(gradient, [120.0])
        x.grad = None
        del plan, loss, gradient

    def test_what_it_gives_is_checked(self):
        results = {"mine": None}

        @tenon.custom_op(CUBE)
        def cube(x):
            return results["mine"]

        x = tenon.tensor([1.0, 2.0], requires_grad=True)
        for given, kind, words in (
            (None, TypeError, "a tensor"),
            ("text", TypeError, "a tensor"),
            ((x, x), ValueError, "1 outputs"),
            (tenon.tensor([1.0]), tenon.PluginError, "f32[2]"),
            (tenon.tensor([1, 2]), tenon.PluginError, "i64[2]"),
        ):
            results["mine"] = given
            error = self.refused(kind, lambda: cube(x.detach()), words)
            self.assertEqual(error.op, "mine.cube")
        results["mine"] = x.detach()
        self.same(cube(x.detach()), [1.0, 2.0])
        grads = {"mine": None}
        cube.backward(lambda grad: grads["mine"])
        cube(x).sum().backward()  # None is no gradient
        for given, kind, words in (
            ((x, x), ValueError, "for each of 1"),
            ("text", TypeError, "a tensor"),
            (tenon.full([3], 1.0), tenon.VjpError, "wrong shape"),
            (tenon.tensor([1, 2]), tenon.VjpError, "wrong dtype"),
        ):
            grads["mine"] = given
            self.refused(kind, lambda: cube(x).sum().backward(), words)
        grads.clear(), results.clear()


class Kernels(OwnOps):
    def make(self):
        @tenon.custom_op("mine.power(x: T[...], *, exponent: int=3) -> T[...]", kernel=True)
        def power(x, *, exponent):
            kept.append(x)
            return x**exponent

        @power.backward(twice=False)
        def power_backward(grad, x, exponent):
            return grad.numpy() * exponent * x.numpy() ** (exponent - 1)

        kept = self.kept = []
        return power

    @needs_numpy
    def test_they_get_arrays_and_give_arrays(self):
        power = self.make()
        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = power(x[:, ::-1])
        self.same(y, [[8.0, 1.0], [64.0, 27.0]])
        self.assertIsInstance(self.kept[0], np.ndarray)
        y.sum().backward()
        self.same(x.grad, [[3.0, 12.0], [27.0, 48.0]])
        del y
        self.assertEqual(self.kept[0].tolist(), [[2.0, 1.0], [4.0, 3.0]])  # it is a copy
        for dtype in ("bool", "uint8", "int8", "int64", "float16", "float64"):
            if dtype != "bool":
                self.assertEqual(power(tenon.tensor([2], dtype)).tolist(), [8])
        self.same(power(tenon.full([0, 2], 1.0)), [])
        self.same(power(tenon.tensor(2.0), exponent=2), 4.0)
        out = tenon.full([4], 0.0)[::2]
        power(tenon.tensor([1.0, 2.0]), out=out)
        self.same(out, [1.0, 8.0])

    @needs_numpy
    def test_what_they_cannot_do_is_said(self):
        power = self.make()
        x = tenon.tensor([1.0, 2.0], requires_grad=True)
        error = self.refused(tenon.NoKernelError, lambda: power(tenon.tensor([1], tenon.bfloat16)))
        self.assertEqual(error.op, "mine.power")
        error = self.refused(tenon.CaptureError, lambda: tenon.capture(lambda: power(x)))
        self.assertEqual(error.op, "mine.power")
        self.same(power(x.detach()), [1.0, 8.0])
        y = power(x).sum()
        self.refused(tenon.GradError, lambda: tenon.grad(y, x, create_graph=True), "differentiated")
        results = [np.zeros(3, "f4"), np.zeros(2, "c8"), (np.zeros(2),) * 2]

        @tenon.custom_op("mine.wrong(x: T[...]) -> T[...]", kernel=True)
        def wrong(x):
            return results[0]

        for kind, words in (
            (tenon.ShapeError, "(3,)"),
            (TypeError, "complex64"),
            (ValueError, "2"),
        ):
            error = self.refused(kind, lambda: wrong(x.detach()), words)
            self.assertEqual(error.op, "mine.wrong")
            results.pop(0)

    @needs_numpy
    def test_no_op_can_be_called_in_one(self):
        @tenon.custom_op("mine.eager(x: T[...]) -> T[...]", kernel=True)
        def eager(x):
            return tenon.exp(tenon.asarray(x))

        self.refused(tenon.StateError, lambda: eager(tenon.tensor([1.0])), "kernel=True")


class Failures(OwnOps):
    def raising(self, problem):
        def fail(*given, **named):
            raise problem

        return fail

    def caught(self, kind, call):
        try:
            call()
        except kind as error:
            return error
        self.fail("nothing was raised")

    def test_exceptions_arrive_as_they_are(self):
        x = tenon.tensor([1.0], requires_grad=True)
        for problem in (
            KeyError("mine"),
            KeyboardInterrupt(),
            tenon.ShapeError("own"),
            SystemExit(3),
        ):
            cube = tenon.custom_op(CUBE)(self.raising(problem))
            caught = self.caught(type(problem), lambda cube=cube: cube(x))
            self.assertIs(caught, problem)
            names = [each.name for each in traceback.extract_tb(caught.__traceback__)]
            self.assertEqual((names[-1], names[0]), ("fail", "caught"))
            if sys.version_info >= (3, 11):
                self.assertIn("in the composition of the op mine.cube", caught.__notes__)
            caught.__traceback__ = None
            cube = make_cube()
            cube.backward(self.raising_rule(problem))
            caught = self.caught(type(problem), lambda cube=cube: cube(x).backward())
            self.assertIs(caught, problem)
            caught.__traceback__ = None
            self.assertIsNone(x.grad)
            cube.shape(self.raising(problem))
            self.assertIs(self.caught(type(problem), lambda cube=cube: cube(x)), problem)
            problem.__traceback__ = None
            self.same(x.detach() + 1, [2.0])

    def raising_rule(self, problem):
        def fail(grad, x):
            raise problem

        return fail

    @needs_numpy
    def test_exceptions_of_kernels_arrive(self):
        problem = KeyError("mine")
        cube = tenon.custom_op(CUBE, kernel=True)(self.raising(problem))
        caught = self.caught(KeyError, lambda: cube(tenon.tensor([1.0])))
        self.assertIs(caught, problem)
        caught.__traceback__ = None

    def test_a_capture_ends_with_the_exception(self):
        cube = tenon.custom_op(CUBE)(self.raising(KeyError("mine")))
        x = tenon.tensor([1.0])
        self.caught(KeyError, lambda: tenon.capture(lambda: cube(x))).__traceback__ = None
        self.same(tenon.capture(lambda: x + 1)(), [2.0])

    def test_wrong_definitions_are_refused(self):
        def define(schema, **options):
            return tenon.custom_op(schema, **options)(lambda x: x)

        for schema, kind, words in (
            ("cube(x: T[...]) -> T[...]", ValueError, "vendor.name"),
            ("mine.cube", ValueError, "vendor.name"),
            ("tenon.cube(x: T[...]) -> T[...]", ValueError, "vendor tenon"),
            ("mine.cube(x!: T[...]) -> T[...]", ValueError, "read alone"),
            ("mine.cube(x: T[...]) -> ", tenon.PluginError, "mine.cube"),
            ("mine.cube(x: T[...]) -> T[...] where U: float", tenon.PluginError, "mine.cube"),
            ("Mine.Cube(x: T[...]) -> T[...]", tenon.PluginError, "small letters"),
        ):
            self.refused(kind, lambda schema=schema: define(schema), words)
        cube = make_cube()
        for rule in (
            lambda: 1,
            lambda grad, z: 1,
            lambda grad, *rest: 1,
            lambda grad, *, x: 1,
        ):
            error = self.refused(ValueError, lambda rule=rule: cube.backward(rule), "x, output")
            self.assertEqual((error.op, error.operand), ("mine.cube", "backward"))
        self.assertTrue(tenon.gradcheck(cube, [1.0]))

    def test_a_new_definition_takes_the_place_of_the_old(self):
        cube = make_cube()
        x = tenon.tensor([2.0], requires_grad=True)
        y = cube(x)
        self.same(tenon.op.mine.cube(x.detach()), [8.0])

        @tenon.custom_op(CUBE)
        def other(x):
            return x + 1

        self.same(tenon.op.mine.cube(x.detach()), [3.0])
        self.refused(tenon.PluginError, lambda: cube(x), "deactivated")
        self.refused(tenon.PluginError, y.backward, "deactivated")
        # A definition that fails leaves the one before.
        self.refused(tenon.PluginError, lambda: tenon.custom_op("mine.cube(x: T) -> ")(other))
        self.same(tenon.op.mine.cube(x.detach()), [3.0])
        other.remove()
        self.assertRaises(AttributeError, lambda: tenon.op.mine.cube)
        other.remove()


class Lives(OwnOps):
    def use(self):
        cube = make_cube()
        x = tenon.tensor([1.0, 2.0], requires_grad=True)
        cube(x).sum().backward()
        slope = tenon.grad(cube(x).sum(), x, create_graph=True)
        tenon.grad(slope.sum(), x)
        cube.backward(lambda grad, x: grad / 0 if x is None else [1, 2, 3])
        for broken in (lambda: cube(x).sum().backward(), lambda: cube([1]), lambda: cube(x, x)):
            try:
                broken()
            except Exception:
                continue
            self.fail("nothing was refused")
        if np is not None:
            kernel = tenon.custom_op("mine.k(x: T[...]) -> T[...]", kernel=True)(lambda x: x + 1)
            kernel(tenon.full([3], 1.0))
            kernel.remove()
        cube.remove()

    def test_counts_return(self):
        for _ in range(3):
            self.use()
        watched = (tenon.Tensor, tenon.Op, tenon.float32, tenon.mul, None, True, Lives.use)
        gc.collect()
        before, objects = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
        uses = 60
        for _ in range(uses):
            self.use()
        gc.collect()
        for each, count in zip(watched, before, strict=True):
            # Python's own caches hold some more, or fewer, of None.
            self.assertLess(sys.getrefcount(each) - count, uses, each)
        self.assertLess(abs(len(gc.get_objects()) - objects), 40)

    def test_threads(self):
        cube = make_cube()
        failures = []

        def work(number):
            try:
                for _ in range(30):
                    x = tenon.full([100, 100], float(number))
                    x.requires_grad = True
                    cube(x).sum().backward()
                    assert x.grad[0, 0].item() == 3.0 * number * number
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_interpreter_ends_with_ops_alive(self):
        done = run_python(
            "import tenon, threading\n"
            f"@tenon.custom_op({CUBE!r})\n"
            "def cube(x): return x * x * x\n"
            "@cube.backward\n"
            "def rule(grad, x): return grad * x\n"
            "x = tenon.full([1000], 1.0); x.requires_grad = True\n"
            "y = cube(x)\n"
            "def run():\n"
            "    try:\n"
            "        while True: cube(x).sum().backward()\n"
            "    except tenon.PluginError: pass\n"
            "threading.Thread(target=run, daemon=True).start()\n"
            "class Late:\n"
            "    def __del__(self):\n"
            "        try: self.cube(self.x)\n"
            "        except tenon.Error: pass\n"
            "late = Late(); late.x = x.detach(); late.cube = cube; late.me = late\n"
            "print('done')\n"
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


class GradChecks(OwnOps):
    def test_differences(self):
        self.assertTrue(
            tenon.gradcheck(lambda a, b: a @ b, [[1.0, 2.0]], [[3.0], [4.0]], twice=True)
        )
        self.assertTrue(tenon.gradcheck(lambda x, i: x[i], [1.0, 2.0], tenon.tensor([1, 1, 0])))
        self.assertTrue(tenon.gradcheck(lambda x: [x.exp(), x * 2], [1.0]))

    def test_a_wrong_rule_is_found(self):
        cube = make_cube()
        cube.backward(lambda grad, x: 3 * x * grad)
        error = self.refused(tenon.CheckError, lambda: tenon.gradcheck(cube, [1.0, 2.0]))
        self.assertEqual((error.op, error.operand), ("gradcheck", "input 0 of cube"))
        self.assertIn("element 1", error.expected)
        # The first gradient is right, its own is not.
        cube.backward(lambda grad, x: 3 * (x * x).detach() * grad)
        self.assertTrue(tenon.gradcheck(cube, [1.0, 2.0]))
        self.refused(tenon.CheckError, lambda: tenon.gradcheck(cube, [1.0, 2.0], twice=True))


if __name__ == "__main__":
    unittest.main()
