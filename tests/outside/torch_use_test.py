# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_use_test.py: ops of Tenon in PyTorch programs: compiled, exported, in threads,
# on shared memory, and what they refuse.

import os
import subprocess
import sys
import tempfile
import threading
import unittest

from pages import run_page
from torch_samples import FOLDER, in_torch, tenon, torch

T = tenon.torch.ops.tenon
THREADS = 8


def three(x, w, b):
    return T.softmax(T.gelu(T.linear(x, w, b)), axis=-1)


def operands(requires_grad=True):
    generator = torch.Generator().manual_seed(1)
    shapes = (5, 4), (3, 4), (3,)
    return [torch.randn(s, generator=generator).requires_grad_(requires_grad) for s in shapes]


class Compiled(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def test_a_function_of_three_is_one_graph_and_agrees(self):
        given = operands()
        expected = three(*given)
        slopes = torch.autograd.grad(expected[:, 0].sum(), given)
        for backend in ("aot_eager", "inductor"):
            with self.subTest(backend=backend):
                found = torch.compile(three, fullgraph=True, backend=backend)(*given)
                self.assertTrue(torch.equal(found, expected))
                grads = torch.autograd.grad(found[:, 0].sum(), given)
                self.assertTrue(all(map(torch.equal, grads, slopes)))

    def test_a_graph_has_one_node_for_each_op(self):
        graphs = []

        def backend(graph, _):
            graphs.append(graph)
            return graph

        torch.compile(three, fullgraph=True, backend=backend)(*operands(False))
        targets = [node.target for node in graphs[0].graph.nodes if node.op == "call_function"]
        self.assertEqual(targets, [T.linear, T.gelu, T.softmax])

    def compilations(self, function, calls, dynamic=True):
        """How often that is compiled for all these calls, which agree."""
        count = []

        def backend(graph, _):
            count.append(1)
            return graph

        torch._dynamo.reset()
        compiled = torch.compile(function, fullgraph=True, backend=backend, dynamic=dynamic)
        for given in calls:
            self.assertTrue(torch.equal(compiled(*given), function(*given)))
        return len(count)

    def test_lengths_may_be_symbols(self):
        x = [torch.randn(n, 4) for n in (2, 3, 9, 40)]
        self.assertEqual(self.compilations(lambda x, y: T.mul(T.exp(x), y), zip(x, x)), 1)
        w, b = torch.randn(3, 4), torch.randn(3)
        self.assertEqual(self.compilations(lambda x: three(x, w, b), zip(x)), 1)
        self.assertEqual(self.compilations(lambda x: T.sum(x, axes=[1]), zip(x)), 1)
        images = [torch.randn(n, 2, 9, 9) for n in (2, 3, 5)]
        kernel = torch.randn(3, 2, 3, 3)
        for each in images:  # with which anything but a symbol is an error
            torch._dynamo.mark_dynamic(each, 0)
        found = self.compilations(lambda x: T.conv(x, kernel), zip(images), dynamic=None)
        self.assertEqual(found, 1)

    def test_lengths_that_follow_otherwise_are_numbers(self):
        x = [(torch.randn(n, 4),) for n in (2, 3, 9)]
        self.assertEqual(self.compilations(lambda x: T.concat([x, x]), x), 3)
        self.assertEqual(self.compilations(lambda x: T.qr(x)[0], x), 3)  # the smaller of two

    def test_lengths_that_values_decide(self):
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            places = torch.compile(
                lambda x: T.nonzero(x) * 2, fullgraph=True, backend="aot_eager"
            )  # fmt: skip
            self.assertEqual(places(torch.tensor([0, 1, 2])).tolist(), [[2], [4]])

    def test_an_op_that_writes_is_functionalised(self):
        def step(p, rows, values):
            T.rows_add(p, rows, values)
            return p * 2

        given = torch.tensor([1, 2]), torch.ones(2, 3)
        expected = torch.tensor([[0.0] * 3, [1.0] * 3, [1.0] * 3])
        for backend in ("aot_eager", "inductor"):
            with self.subTest(backend=backend):
                p = torch.zeros(3, 3)
                found = torch.compile(step, fullgraph=True, backend=backend)(p, *given)
                self.assertTrue(torch.equal(p, expected))
                self.assertTrue(torch.equal(found, 2 * expected))

    def test_export(self):
        class Model(torch.nn.Module):
            def forward(self, x):
                return T.gelu(x)

        x = torch.randn(3, 4)
        exported = torch.export.export(Model(), (x,))
        targets = [node.target for node in exported.graph.nodes if node.op == "call_function"]
        self.assertEqual(targets, [T.gelu])
        self.assertTrue(torch.equal(exported.module()(x), T.gelu(x)))
        # Another program has imported the bridge and called nothing of it.
        program = (
            "import sys, torch, tenon.torch\n"
            "assert not hasattr(torch.ops.tenon, 'no_such_op')\n"
            "given, expected = torch.load(sys.argv[2])\n"
            "found = torch.export.load(sys.argv[1]).module()(given)\n"
            "assert torch.equal(found, expected)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            torch.export.save(exported, f"{folder}/a.pt2")
            torch.save((x, T.gelu(x)), f"{folder}/x.pt")
            command = [sys.executable, "-c", program, f"{folder}/a.pt2", f"{folder}/x.pt"]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_gradient_that_draws_is_not_compiled(self):
        x = torch.ones(4, requires_grad=True)
        with self.assertRaisesRegex(Exception, "tenon.dropout: backward: expected one backward in"):
            torch.compile(lambda x: T.dropout(x), fullgraph=True, backend="aot_eager")(x)


class Memory(unittest.TestCase):
    """An op written in Python sees where its operand lies."""

    @classmethod
    def setUpClass(cls):
        cls.seen = []

        @tenon.custom_op("probe.address(x: T[...]) -> T[...] where T: float")
        def address(x):
            cls.seen.append((int(x.data_ptr), x.strides))
            return x.clone()

        cls.op = address
        cls.call = staticmethod(in_torch("probe.address"))

    @classmethod
    def tearDownClass(cls):
        cls.op.remove()

    def layouts(self):
        x = torch.randn(512, 512)  # 1 MB
        yield "row-major", x
        yield "transposed", x.t()
        yield "a window", torch.randn(1025, 514)[1:1025:2, 1:513]
        yield "expanded", torch.randn(512, 1).expand(512, 512)

    def test_a_negated_view_is_what_it_means(self):
        x = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
        self.assertTrue(x.is_neg())
        self.assertEqual(T.abs(T.mul(x, x)).tolist(), [4.0, 16.0])
        self.assertEqual(T.copy(x).tolist(), [-2.0, 4.0])

    def test_operands_are_not_copied(self):
        for name, x in self.layouts():
            with self.subTest(layout=name):
                found = self.call(x)
                self.assertEqual(self.seen[-1], (x.data_ptr(), x.stride()))
                self.assertTrue(torch.equal(found, x))
                self.assertTrue(found.is_contiguous())
                leaf = x.detach().requires_grad_()
                self.call(leaf)
                self.assertEqual(self.seen[-1], (leaf.data_ptr(), leaf.stride()))

    def test_capsules_do_the_same_where_there_is_no_table(self):
        from tenon import _core, _torch_exchange

        slow = _core.ExchangedOp(self.op.op, _torch_exchange.make_exchange(None), ("x",))
        for name, x in self.layouts():
            with self.subTest(layout=name):
                self.assertTrue(torch.equal(slow(x), x))
                self.assertEqual(self.seen[-1], (x.data_ptr(), x.stride()))

    def test_a_pending_negation_beside_the_dispatcher(self):
        from tenon import _torch_exchange

        x = torch._neg_view(torch.tensor([1.0, 2.0]))
        taken = _torch_exchange.take(x)
        self.assertEqual((taken.tolist(), taken.is_read_only), ([-1.0, -2.0], True))
        self.assertEqual(T.concat([x, -x], 0).tolist(), [-1.0, -2.0, 1.0, 2.0])
        for table in (None, _torch_exchange._TABLE):  # all tensors of PyTorch may be written
            exchange = _torch_exchange.make_exchange(table)
            self.assertFalse(exchange.take(torch.ones(2)).is_read_only)
        layer = tenon.torch.Module(tenon.nn.linear(inputs=2, outputs=1))
        self.assertTrue(torch.equal(layer(x), layer(x.clone())))
        negated = tenon.torch.function("mine.negated", lambda x: torch._neg_view(x * 1))
        self.assertEqual(negated(tenon.tensor([1.0, 2.0])).tolist(), [-1.0, -2.0])
        p = torch.nn.Parameter(torch.zeros(2))
        p.grad = x
        tenon.torch.Optimizer("sgd", [p], lr=1.0).step()
        self.assertEqual(p.tolist(), [1.0, 2.0])

    def test_a_tensor_without_memory_is_refused(self):
        from tenon import _torch_exchange

        with self.assertRaisesRegex(tenon.ArgumentError, "address is NULL"):
            _torch_exchange.take(torch._efficientzerotensor((2,)))

    def test_negative_strides_do_not_reach_pytorch(self):
        from tenon import _core, _torch_exchange, _torch_functions

        seen = []  # no tensor of PyTorch is made here: what would be made is looked at
        exchange = _core.Exchange(
            None, torch.Tensor, torch.dtype, _torch_exchange.DTYPES, lambda x: x, seen.append
        )
        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        words = r"(?s)share: x: expected strides of 0 and above, found \(-2, 1\).*contiguous"
        with self.assertRaisesRegex(ValueError, words):
            exchange.share(x[::-1])
        self.assertEqual(seen, [])
        exchange.share(x.T)
        exchange.give(x[::-1])
        self.assertEqual([tenon._core.from_dlpack(each).tolist() for each in seen],
                         [[[1.0, 3.0], [2.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]])  # fmt: skip
        before = _torch_functions.share
        _torch_functions.share = lambda x: (x.strides, x.tolist())
        try:
            turned, plain = _torch_functions._theirs([x[::-1], x.T])
        finally:
            _torch_functions.share = before
        self.assertEqual(turned, ((2, 1), [[3.0, 4.0], [1.0, 2.0]]))
        self.assertEqual(plain[0], (1, 2))

    def test_results_are_never_views_of_operands(self):
        x = torch.zeros(3, 4)
        for found in (T.transpose(x), T.reshape(x, shape=[12]), T.cast(x, dtype=torch.float32)):
            found.fill_(1.0)
            self.assertFalse(x.any())

    def test_results_outlive_operands_and_calls(self):
        live = tenon.stats()["storages"]
        for _ in range(100):
            x = torch.randn(1000, requires_grad=True)
            y = T.exp(x)
            y.sum().backward()
        self.assertTrue(torch.equal(x.grad, y))
        del x, y
        self.assertEqual(tenon.stats()["storages"], live)

    def test_empty_tensors(self):
        self.assertEqual(T.add(torch.zeros(0, 3), torch.zeros(0, 3)).shape, (0, 3))


class Threads(unittest.TestCase):
    def run_all(self, function):
        found, problems = [None] * THREADS, []

        def run(number):
            try:
                found[number] = function(number)
            except Exception as problem:
                problems.append(problem)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(problems, [])
        return found

    def test_each_thread_has_its_own_graph(self):
        def train(number):
            x = torch.full((64,), float(number), requires_grad=True)
            for _ in range(50):
                x.grad = None
                T.sum(T.mul(T.sin(x), x)).backward()
            return x, x.grad

        for x, grad in self.run_all(train):
            again = x.detach().requires_grad_()
            T.sum(T.mul(T.sin(again), again)).backward()
            self.assertTrue(torch.equal(grad, again.grad))

    def test_a_graph_of_one_thread_is_walked_in_others(self):
        x = torch.randn(64, requires_grad=True)
        y = T.sum(T.mul(T.sin(x), x))
        expected = torch.autograd.grad(y, x, retain_graph=True)[0]
        for found in self.run_all(lambda _: torch.autograd.grad(y, x, retain_graph=True)[0]):
            self.assertTrue(torch.equal(found, expected))

    def test_what_draws_is_walked_where_it_was_called(self):
        x = torch.ones(64, requires_grad=True)
        y = T.dropout(x).sum()

        def walk(_):
            with self.assertRaisesRegex(tenon.GradError, "in the thread of the call"):
                y.backward(retain_graph=True)

        self.run_all(walk)
        y.backward()
        self.assertEqual(set(x.grad.tolist()), {0.0, 2.0})


class Gradients(unittest.TestCase):
    def test_third_order(self):
        x = torch.randn(7, dtype=torch.float64, requires_grad=True)
        found = T.sin(x).sum()
        for _ in range(3):
            found, = torch.autograd.grad(found.sum(), x, create_graph=True)
        self.assertTrue(torch.allclose(found, -x.cos()))

    def test_second_order_is_that_of_differences(self):
        double = {"dtype": torch.float64, "requires_grad": True}
        x, w, b = torch.randn(5, 4, **double), torch.randn(3, 4, **double), torch.randn(3, **double)
        self.assertTrue(torch.autograd.gradgradcheck(three, (x, w, b)))
        self.assertTrue(torch.autograd.gradgradcheck(lambda x: T.concat([x, T.exp(x)]), (x,)))

    def test_functions_of_torch_func(self):
        x = torch.randn(5, 3, dtype=torch.float64)
        found = torch.func.grad(lambda x: T.sum(T.sin(x)))(x)
        self.assertTrue(torch.allclose(found, x.cos()))
        found = torch.func.vmap(torch.func.grad(lambda x: T.sum(T.sin(x))))(x)
        self.assertTrue(torch.allclose(found, x.cos()))
        found = torch.func.vmap(lambda x, y: T.concat([x, y]), in_dims=(0, None))(x, x[0])
        self.assertEqual(found.shape, (5, 6))
        with self.assertRaisesRegex(ValueError, "randomness"):
            torch.func.vmap(T.dropout)(x)
        self.assertEqual(torch.func.vmap(T.dropout, randomness="different")(x).shape, x.shape)

    def test_an_operand_that_is_changed_before_backward(self):
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        z = T.sum(T.sin(y))
        y.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            z.backward()
        y = x * 2
        z = T.sum(T.add(y, y))  # whose gradient does not read it
        y.add_(1)
        z.backward()
        self.assertEqual(x.grad.tolist(), [4.0] * 3)

    def test_a_result_that_is_changed_before_backward(self):
        x = torch.ones(3, requires_grad=True)
        y = T.exp(x)  # whose gradient reads it
        y.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()
        y = T.add(x, x)
        y.mul_(2)
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [4.0] * 3)

    def test_hooks_look_after_what_is_saved(self):
        x = torch.randn(5, 4, requires_grad=True)
        expected, = torch.autograd.grad(three(x, *operands()[1:])[:, 0].sum(), x)
        packed = []

        def pack(saved):
            packed.append(saved)
            return saved.clone()

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
            y = three(x, *operands()[1:])
        self.assertGreater(len(packed), 4)
        self.assertTrue(torch.equal(torch.autograd.grad(y[:, 0].sum(), x)[0], expected))
        again = torch.utils.checkpoint.checkpoint(three, x, *operands()[1:], use_reentrant=False)
        self.assertTrue(torch.equal(torch.autograd.grad(again[:, 0].sum(), x)[0], expected))

    def test_no_grad_records_nothing(self):
        x = torch.ones(3, requires_grad=True)
        with torch.no_grad():
            self.assertIsNone(T.sin(x).grad_fn)

    def test_an_op_that_writes_into_what_requires_a_gradient(self):
        p = torch.zeros(3, 3, requires_grad=True)
        given = torch.tensor([1]), torch.ones(1, 3)
        with self.assertRaises(tenon.GradError) as caught:
            T.rows_add(p, *given)
        self.assertEqual((caught.exception.op, caught.exception.operand), ("tenon.rows_add", "x"))
        with torch.no_grad():
            T.rows_add(p, *given)
        self.assertEqual(p.sum().item(), 3.0)

    def test_writing_is_seen_by_autograd(self):
        p = torch.zeros(3, 3)
        before = p._version
        T.rows_add(p, torch.tensor([1]), torch.ones(1, 3))
        self.assertGreater(p._version, before)
        with torch.inference_mode():
            p = torch.zeros(3, 3)
            T.rows_add(p, torch.tensor([1]), torch.ones(1, 3))
            self.assertEqual(T.sum(p).item(), 3.0)


class Said(unittest.TestCase):
    def test_an_error_has_its_whole_record(self):
        with self.assertRaises(tenon.ShapeError) as caught:
            T.matmul(torch.randn(2, 3), torch.randn(2, 3))
        error = caught.exception
        self.assertEqual((error.op, error.operand, error.found), ("tenon.matmul", "b", "[2,3]"))
        self.assertIn("torch_use_test.py", error.place)
        self.assertIsInstance(error, ValueError)

    def test_a_shape_rule_s_error_comes_from_tensors_without_values(self):
        with self.assertRaisesRegex(tenon.ShapeError, "tenon.matmul"):
            T.matmul(torch.empty(2, 3, device="meta"), torch.empty(2, 3, device="meta"))
        self.assertEqual(T.abs(torch.empty(3, 2, device="meta")).shape, (3, 2))

    def test_dtypes_without_a_match(self):
        for device in ("cpu", "meta"):
            x = torch.zeros(3, dtype=torch.complex64, device=device)
            with self.subTest(device=device), self.assertRaises(tenon.DtypeError) as caught:
                T.neg(x)
            self.assertEqual(caught.exception.found, "torch.complex64")

    def test_tensors_that_are_not_dense(self):
        with self.assertRaises(tenon.DeviceError) as caught:
            T.abs(torch.eye(3).to_sparse())
        self.assertIn("sparse_coo", caught.exception.found)
        self.assertIn("to_dense", caught.exception.hint)

    def test_names_that_there_are_not(self):
        with self.assertRaisesRegex(AttributeError, "begins with 'nobody.'"):
            tenon.torch.ops.nobody  # noqa: B018
        with self.assertRaisesRegex(AttributeError, "no op 'gelo'\n.*hint.*gelu"):
            T.gelo  # noqa: B018
        with self.assertRaisesRegex(tenon.NotFoundError, "'acme.none'"):
            tenon.torch.load("acme.none")
        with self.assertRaisesRegex(ValueError, "plugin.json"):
            tenon.torch.load("/nowhere/acme.none")

    def test_a_plugin_s_ops(self):
        self.assertIn("gelu", dir(tenon.torch.load("tenon.ops")))
        self.assertIn("adam_step", dir(tenon.torch.load("tenon.optim")))
        self.assertNotIn("gelu", dir(tenon.torch.load("tenon.optim")))

    def test_schemas(self):
        expected = (
            "tenon::sum(Tensor x, int[]? axes=None, bool keepdims=False) -> Tensor",
            "tenon::rows_add(Tensor(a!) x, Tensor indices, Tensor values) -> ()",
            "tenon::concat(Tensor[] xs, int axis=0) -> Tensor",
            "tenon::lerp(Tensor x, Tensor end, Tensor weight) -> Tensor",
        )
        for text in expected:
            name = text.partition("(")[0].removeprefix("tenon::")
            self.assertEqual(str(getattr(T, name)._schema), text)

    def test_random_numbers_are_those_of_tenon(self):
        tenon.seed(3)
        expected = tenon.op.tenon.normal(shape=[4], dtype="float64")
        tenon.seed(3)
        found = T.normal(shape=[4], dtype=torch.float64)
        self.assertEqual(found.tolist(), expected.tolist())
        self.assertIn(torch.Tag.nondeterministic_seeded, T.normal.tags)
        draw = torch.compile(lambda x: x + T.normal(shape=[4]), fullgraph=True, backend="aot_eager")
        tenon.seed(4)
        expected = T.normal(shape=[4])
        tenon.seed(4)
        self.assertTrue(torch.equal(draw(torch.zeros(4)), expected))

    def test_autocast_leaves_dtypes_alone(self):
        with torch.autocast("cpu", torch.bfloat16):
            self.assertIs(T.matmul(torch.eye(2), torch.eye(2)).dtype, torch.float32)

    def test_a_call_in_a_captured_step(self):
        with self.assertRaisesRegex(tenon.CaptureError, "another library"):
            tenon.capture(lambda x: (T.exp(torch.ones(3)), x)[1], tenon.tensor([1.0]))


class Page(unittest.TestCase):
    def test_docs_torch_md_runs_and_prints_what_it_says(self):
        self.assertGreaterEqual(run_page(self, FOLDER.parents[1] / "docs/torch.md"), 4)


if __name__ == "__main__":
    unittest.main()
