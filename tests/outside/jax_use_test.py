# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_use_test.py: ops of Tenon in JAX programs: under jit, grad, vmap and scan, in
# threads, on shared memory, and what they refuse. Without 64-bit numbers, as JAX begins.

import functools
import gc
import re
import threading
import unittest

import numpy
from jax_samples import FOLDER, in_jax, jax, same, tenon
from pages import run_page
from tenon import _jax_calls

jnp = jax.numpy
T = tenon.jax.ops.tenon
THREADS = 8


def three(x, w, b):
    return T.softmax(T.gelu(T.linear(x, w, b)), axis=-1)


def operands():
    keys = jax.random.split(jax.random.key(1), 3)
    shapes = (5, 4), (3, 4), (3,)
    return [jax.random.normal(key, s) for key, s in zip(keys, shapes, strict=True)]


class Programs(unittest.TestCase):
    def test_a_function_of_three_compiles_and_agrees(self):
        given = operands()
        expected = three(*given)
        self.assertTrue(same(jax.jit(three)(*given), expected))
        ours = three_in_tenon(*map(tenon.from_dlpack, given))
        self.assertTrue(same(jax.dlpack.from_dlpack(ours), expected))

    def test_an_op_is_one_node(self):
        given = operands()
        text = jax.jit(three).lower(*given).as_text()
        self.assertEqual(text.count("custom_call @tenon_call"), 3)
        text = jax.jit(jax.grad(lambda *x: three(*x)[:, 0].sum())).lower(*given).as_text()
        self.assertEqual(text.count("custom_call @tenon_call"), 5)  # the softmax is not needed

    def test_scan_and_checkpoint(self):
        x = operands()[0]

        def step(carry, _):
            return T.tanh(carry), T.sum(carry)

        expected = x
        for _ in range(5):
            expected = T.tanh(expected)
        self.assertTrue(same(jax.lax.scan(step, x, length=5)[0], expected))
        slope = jax.grad(lambda x: jax.checkpoint(T.tanh)(T.exp(x)).sum())(x)
        self.assertTrue(same(slope, jax.grad(lambda x: T.tanh(T.exp(x)).sum())(x)))

    def test_export(self):
        given = operands()
        allowed = jax.export.DisabledSafetyCheck.custom_call("tenon_call")
        exported = jax.export.export(jax.jit(three), disabled_checks=[allowed])(*given)
        self.assertTrue(same(exported.call(*given), three(*given)))

    def test_lengths_that_are_symbols(self):
        shape = jax.export.symbolic_shape("n, 3")
        with self.assertRaisesRegex(tenon.ShapeError, r"tenon.exp: .*found \(n, 3\)"):
            jax.export.export(jax.jit(T.exp))(jax.ShapeDtypeStruct(shape, "float32"))

    def test_equal_calls_are_compiled_once(self):
        x = operands()[0]
        T.gelu(x, approximate="tanh")
        before = _jax_calls.function.cache_info().misses
        T.gelu(x + 1, approximate="tanh")
        self.assertEqual(_jax_calls.function.cache_info().misses, before)


def three_in_tenon(x, w, b):
    return tenon.softmax(tenon.gelu(tenon.linear(x, w, b)), axis=-1)


class Gradients(unittest.TestCase):
    def test_second_order_is_that_of_differences(self):
        with jax.enable_x64(True):
            given = [x.astype("float64") for x in operands()]
            jax.test_util.check_grads(three, given, order=2, modes=["rev"])
            jax.test_util.check_grads(
                lambda x: T.concat([x, T.exp(x)]), given[:1], order=2, modes=["rev"]
            )

    def test_third_order(self):
        with jax.enable_x64(True):
            x = jnp.linspace(-1.0, 1.0, 7)
            found = T.sin
            for _ in range(3):
                found = jax.grad(found)
            numpy.testing.assert_allclose(jax.vmap(found)(x), -jnp.cos(x), rtol=1e-14)

    def test_only_what_is_asked_for_is_computed(self):
        x, w, b = operands()
        text = jax.jit(jax.grad(lambda w: T.linear(x, w, b).sum())).lower(w).as_text()
        results = re.findall(r"custom_call @tenon_call.*-> (.*)", text)
        self.assertEqual(results[-1], "tensor<3x4xf32>")

    def test_a_result_that_is_not_used(self):
        x = operands()[0]
        found = jax.grad(lambda x: T.topk(x, 2).values.sum())(x)
        self.assertEqual(found.sum(), 10)
        self.assertFalse(jax.grad(lambda x: T.topk(x, 2).indices.sum().astype("float32"))(x).any())

    def test_forward_mode_is_not_offered(self):
        with self.assertRaisesRegex(TypeError, "forward-mode"):
            jax.jvp(T.sin, (1.0 + operands()[0],), (operands()[0],))


class Batches(unittest.TestCase):
    def check(self, function, *given, in_axes=0):
        found = jax.vmap(function, in_axes=in_axes)(*given)
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(given)
        count = next(x.shape[a] for x, a in zip(given, axes, strict=True) if a is not None)
        each = [
            function(*(x if a is None else jnp.take(x, i, axis=a)
                       for x, a in zip(given, axes, strict=True)))
            for i in range(count)
        ]  # fmt: skip
        self.assertTrue(same(found, jnp.stack(each)))

    def test_elements_are_those_of_calls_in_turn(self):
        x = jax.random.normal(jax.random.key(2), (4, 3, 5))
        self.check(T.gelu, x)
        self.check(functools.partial(T.softmax, axis=0), x, in_axes=2)
        self.check(T.add, x, x[0], in_axes=(0, None))
        self.check(T.add, x, x[0, 0], in_axes=(0, None))  # of another rank
        self.check(jax.grad(lambda x: T.sum(T.mul(T.sin(x), x))), x)
        self.check(jax.grad(lambda x, y: T.sum(T.mul(x, y)), 1), x, x[0, 0], in_axes=(0, None))
        self.check(lambda x: T.concat([x, x[0:1]]), x)

    def test_elementwise_ops_are_called_once(self):
        x = jnp.ones((4, 3))
        self.assertNotIn("while", jax.jit(jax.vmap(T.gelu)).lower(x).as_text())
        self.assertIn("while", jax.jit(jax.vmap(T.softmax)).lower(x).as_text())


class Random(unittest.TestCase):
    def test_equal_keys_draw_equal_numbers(self):
        key = jax.random.key(3)
        first = T.normal(shape=[1000], key=key)
        self.assertTrue(same(jax.jit(lambda key: T.normal(shape=[1000], key=key))(key), first))
        self.assertFalse(same(T.normal(shape=[1000], key=jax.random.key(4)), first))
        self.assertLess(abs(float(first.mean())), 0.15)
        split = jax.random.split(key, 3)
        found = jax.vmap(lambda key: T.normal(shape=[4], key=key))(split)
        self.assertEqual(len({row.tobytes() for row in numpy.asarray(found)}), 3)
        self.assertTrue(same(found[1], T.normal(shape=[4], key=split[1])))

    def test_the_numbers_of_the_program_itself_are_left_alone(self):
        state = tenon.get_rng_state()
        T.normal(shape=[10], key=jax.random.key(0)).block_until_ready()
        self.assertEqual(tenon.get_rng_state(), state)

    def test_a_gradient_sees_the_numbers_of_the_call(self):
        x, key = jnp.ones(1000), jax.random.key(5)
        y, walk = jax.vjp(lambda x: T.dropout(x, key=key), x)
        self.assertTrue(same(walk(jnp.ones(1000))[0], y))
        self.assertEqual(set(numpy.asarray(y).tolist()), {0.0, 2.0})

    def test_a_key_of_four_words(self):
        key = jax.random.key(3, impl="rbg")
        other = jax.random.fold_in(key, 1)
        found = [T.uniform(shape=[8], key=each) for each in (key, key, other)]
        self.assertTrue(same(found[0], found[1]))
        self.assertFalse(same(found[0], found[2]))

    def test_a_call_without_a_key(self):
        with self.assertRaisesRegex(tenon.OperandTypeError, "normal: key: .*found none\n.*hint"):
            T.normal(shape=[3])
        with self.assertRaisesRegex(tenon.ShapeError, "one key of jax.random, found uint32"):
            T.normal(shape=[3], key=jax.random.split(jax.random.key(0)))
        with self.assertRaisesRegex(tenon.OperandTypeError, "another name"):
            T.exp(jnp.ones(3), key=jax.random.key(0))


class Memory(unittest.TestCase):
    """An op written in Python sees where its operand lies."""

    @classmethod
    def setUpClass(cls):
        cls.seen, cls.kept = [], []

        @tenon.custom_op("probe.address(x: T[...]) -> T[...] where T: float")
        def address(x):
            cls.seen.append(int(x.data_ptr))
            return x + 1

        @tenon.custom_op("probe.keeps(x: T[...]) -> T[...] where T: float")
        def keeps(x):
            cls.kept.append(x)
            return x + 1

        cls.ops = [address, keeps]
        cls.address, cls.keeps = map(in_jax, ("probe.address", "probe.keeps"))

    @classmethod
    def tearDownClass(cls):
        for op in cls.ops:
            op.remove()

    def test_operands_are_not_copied(self):
        x = jax.random.normal(jax.random.key(0), (512, 512))  # 1 MB
        found = type(self).address(x).block_until_ready()
        self.assertEqual(self.seen[-1], x.unsafe_buffer_pointer())
        self.assertTrue(same(found, x + 1))

    def test_an_operand_that_is_kept(self):
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, r"has kept\n.*keep x.clone"):
            type(self).keeps(jnp.ones(3)).block_until_ready()
        self.kept.clear()

    def test_nothing_stays(self):
        function = jax.jit(jax.grad(lambda x: T.sum(T.exp(T.sin(x)))))
        x = jnp.ones(1000)
        function(x).block_until_ready()
        gc.collect()
        live = tenon.stats()
        for _ in range(1000):
            function(x).block_until_ready()
        gc.collect()
        self.assertEqual(tenon.stats()["storages"], live["storages"])
        self.assertEqual(tenon.stats()["nodes"], live["nodes"])
        self.assertEqual(tenon.stats()["bytes_live"], live["bytes_live"])

    def test_results_are_never_operands(self):
        x = jnp.zeros((3, 4))
        for found in (T.transpose(x), T.reshape(x, shape=[12]), T.cast(x, dtype=jnp.float32)):
            self.assertNotEqual(found.unsafe_buffer_pointer(), x.unsafe_buffer_pointer())

    def test_empty_arrays(self):
        self.assertEqual(T.add(jnp.zeros((0, 3)), jnp.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(jax.grad(lambda x: T.sum(T.exp(x)))(jnp.zeros((0, 3))).shape, (0, 3))


class Written(unittest.TestCase):
    """Ops that write into operands give what they have written."""

    def setUp(self):
        self.p = jnp.zeros((3, 2))
        self.given = jnp.array([1, 2, 1]), jnp.ones((3, 2))
        self.expected = numpy.array([[0, 0], [2, 2], [1, 1]], "float32")

    def test_the_operand_stays(self):
        found = T.rows_add(self.p, *self.given)
        self.assertTrue(same(found, self.expected))
        self.assertFalse(self.p.any())

    def test_a_donated_operand_is_written_in_place(self):
        step = jax.jit(lambda p, *given: T.rows_add(p, *given), donate_argnums=0)
        p = self.p + 0
        where = p.unsafe_buffer_pointer()
        found = step(p, *self.given)
        self.assertEqual(found.unsafe_buffer_pointer(), where)
        self.assertTrue(same(found, self.expected))

    def test_in_batches_and_without_aliases(self):
        found = jax.vmap(lambda p: T.rows_add(p, *self.given))(jnp.stack([self.p, self.p + 1]))
        self.assertTrue(same(found, numpy.stack([self.expected, self.expected + 1])))
        call = jax.ffi.ffi_call("tenon_call", jax.ShapeDtypeStruct((3, 2), "float32"))
        found = call(
            self.p, *self.given, tenon_op="tenon.rows_add@1",
            tenon_call=numpy.array([0, 0, 1, 0, 3, -1, -4, -1, 0]),
        )  # fmt: skip
        self.assertTrue(same(found, self.expected))

    def test_lists(self):
        with jax.enable_x64(True):  # the number of steps is int64
            params, grads = [jnp.ones(3), jnp.ones(2)], [jnp.ones(3), 2 * jnp.ones(2)]
            state, step = [jnp.zeros(3), jnp.zeros(2)], [jnp.zeros((), int)] * 2
            update = jax.jit(lambda *given: T.sgd_step(*given, 0.5, momentum=0.9))
            found = update(params, grads, state, step)
        self.assertEqual(found._fields, ("params", "momentum_buffer", "step"))
        self.assertEqual([x.tolist() for x in found.params], [[0.5] * 3, [0.0] * 2])
        self.assertEqual([x.tolist() for x in found.step], [1, 1])

    def test_a_gradient(self):
        with self.assertRaises(tenon.GradError) as caught:
            jax.grad(lambda p: T.rows_add(p, *self.given).sum())(self.p)
        self.assertEqual((caught.exception.op, caught.exception.operand), ("tenon.rows_add", "x"))


class Threads(unittest.TestCase):
    def test_calls_of_many_threads(self):
        function = jax.jit(jax.grad(lambda x: T.sum(T.mul(T.sin(x), x))))
        x = [jnp.full(64, float(i)) for i in range(THREADS)]
        expected = [function(each) for each in x]
        found, problems = [None] * THREADS, []

        def run(number):
            try:
                for _ in range(50):
                    found[number] = function(x[number]).block_until_ready()
            except Exception as problem:
                problems.append(problem)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(problems, [])
        self.assertTrue(all(map(same, found, expected)))

    def test_what_the_thread_is_in_the_middle_of_does_not_matter(self):
        x = jnp.ones(3)
        with tenon.inference:
            self.assertTrue(same(jax.grad(lambda x: T.sum(T.exp(x)))(x), T.exp(x)))
        plan = tenon.capture(
            lambda v: (T.exp(x).block_until_ready(), v + 1)[1], tenon.tensor([1.0])
        )
        self.assertEqual(plan(tenon.tensor([2.0])).tolist(), [3.0])


class Python(unittest.TestCase):
    """Ops that are written in Python, which XLA's threads call."""

    def define(self, schema, **more):
        def take(function):
            op = tenon.custom_op(schema, **more)(function)
            self.addCleanup(op.remove)
            return op, in_jax(op.op.name)

        return take

    def test_a_composition_and_its_rule(self):
        op, cube = self.define("probe.cube(x: T[...]) -> T[...] where T: float")(
            lambda x: x * x * x
        )
        x = jnp.arange(3.0)
        self.assertEqual(jax.jit(jax.grad(lambda x: cube(x).sum()))(x).tolist(), [0, 3, 12])
        op.backward(lambda grad, x: 3 * x * x * grad)
        self.assertEqual(jax.jit(jax.grad(lambda x: cube(x).sum()))(x + 1).tolist(), [3, 12, 27])
        self.assertEqual(jax.vmap(jax.grad(jax.grad(cube)))(x).tolist(), [0, 6, 12])

    def test_what_it_raises_is_in_the_error(self):
        def fail(x):
            raise KeyError("no such luck")

        for kernel in (False, True):
            name = f"probe.fails_{int(kernel)}"
            _, fails = self.define(f"{name}(x: T[...]) -> T[...] where T: float", kernel=kernel)(
                fail
            )
            with self.subTest(kernel=kernel), self.assertRaisesRegex(
                jax.errors.JaxRuntimeError, f"{name}(.*\n)*.*raised KeyError: 'no such luck'"
            ):
                jax.jit(fails)(jnp.ones(3)).block_until_ready()


class Numbers(unittest.TestCase):
    def test_python_s_numbers_never_raise_a_dtype(self):
        x = jnp.ones(3, jnp.bfloat16)
        self.assertEqual(T.mul(x, 2.5).dtype, jnp.bfloat16)
        self.assertEqual(T.pow(2, x).tolist(), [2.0] * 3)
        self.assertEqual(T.add(jnp.arange(3), 1).tolist(), [1, 2, 3])

    def test_64_bit_results_are_32_bit_ones_without_x64(self):
        x = jnp.array([1.0, 3.0, 2.0])
        self.assertEqual(T.argmax(x, axis=0).dtype, jnp.int32)
        self.assertEqual(T.cast(x, dtype="float64").dtype, jnp.float32)
        with jax.enable_x64(True):
            self.assertEqual(T.argmax(x, axis=0).dtype, jnp.int64)

    def test_int32_where_int64_is_needed(self):
        logits, target = operands()[0], jnp.array([0, 1, 2, 3, 0])
        self.assertEqual(target.dtype, jnp.int32)
        found = jax.jit(jax.value_and_grad(T.softmax_cross_entropy))(logits, target)
        ours = tenon.softmax_cross_entropy(
            tenon.from_dlpack(logits), tenon.from_dlpack(target).to("int64")
        )
        self.assertTrue(same(found[0], jax.dlpack.from_dlpack(ours)))
        self.assertEqual(found[1].shape, logits.shape)

    def test_arguments_by_other_names(self):
        x = operands()[0]
        self.assertTrue(same(T.sum(x, dim=[1], keepdim=True), T.sum(x, axes=[1], keepdims=True)))
        self.assertTrue(same(T.sum(input=x, axes=1), T.sum(x, [1])))
        self.assertTrue(same(T.cast(x, dtype=jnp.bfloat16), x.astype(jnp.bfloat16)))
        self.assertTrue(same(T.clamp(x, max=numpy.float32(0.5)), jnp.minimum(x, 0.5)))


class Page(unittest.TestCase):
    def test_docs_jax_md_runs_and_prints_what_it_says(self):
        self.assertGreaterEqual(run_page(self, FOLDER.parents[1] / "docs/jax.md"), 3)


if __name__ == "__main__":
    unittest.main()
