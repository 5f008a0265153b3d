# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_training_test.py: layers and optimizers of Tenon in PyTorch's training loops,
# and functions of PyTorch as ops of Tenon.

import copy
import gc
import pathlib
import pickle
import subprocess
import sys
import threading
import unittest

from torch_samples import BUILD, tenon, torch

STEPS = 10_000
# Which keeps freed memory for a while, so the process grows.
UNDER_ASAN = "/libasan.so" in pathlib.Path("/proc/self/maps").read_text()


def resident():
    """Bytes of this process in memory."""
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def make_layer(seed=5):
    tenon.seed(seed)
    return tenon.nn.sequential(
        tenon.nn.linear(inputs=6, outputs=16),
        tenon.nn.activation(op="tenon.gelu"),
        tenon.nn.linear(inputs=16, outputs=1),
    )


def batches(count, seed=2):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        x = torch.randn(32, 6, generator=generator)
        yield x, x.sum(1, keepdim=True)


def train_in_torch(model, optimizer, count):
    losses = []
    for x, y in batches(count):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_in_tenon(layer, optimizer, count):
    losses = []
    for x, y in batches(count):
        x, y = tenon.from_dlpack(x), tenon.from_dlpack(y)
        loss = tenon.op.tenon.mse_loss(layer(x), y)
        loss.backward()
        optimizer.step(clear_grad=True)
        losses.append(loss.item())
    return losses


class Loops(unittest.TestCase):
    def test_losses_are_those_of_a_loop_of_tenon(self):
        for name, options in (("adamw", {"lr": 1e-2}), ("sgd", {"lr": 0.05, "momentum": 0.9})):
            with self.subTest(optimizer=name):
                layer = make_layer()
                ours = tenon.optim.Optimizer(f"tenon.{name}", layer.parameters(), **options)
                expected = train_in_tenon(layer, ours, 200)
                model = tenon.torch.Module(make_layer())
                theirs = tenon.torch.Optimizer(name, model.parameters(), **options)
                found = train_in_torch(model, theirs, 200)
                self.assertLess(found[-1], found[0] / 2)
                for a, b in zip(found, expected, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-5 * max(1.0, abs(b)))

    def test_an_optimizer_for_modules_of_pytorch(self):
        torch.manual_seed(0)
        ours = torch.nn.Linear(6, 1)
        theirs = copy.deepcopy(ours)
        found = train_in_torch(ours, tenon.torch.Optimizer("sgd", ours.parameters(), lr=0.1), 100)
        expected = train_in_torch(theirs, torch.optim.SGD(theirs.parameters(), lr=0.1), 100)
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=1e-5)

    def test_memory_stays_the_same(self):
        model = tenon.torch.Module(make_layer())
        optimizer = tenon.torch.Optimizer("adamw", model.parameters(), lr=1e-3)
        x, y = next(batches(1))

        def step():
            optimizer.zero_grad()
            hidden = tenon.torch.ops.tenon.gelu(model(x))
            torch.nn.functional.mse_loss(hidden, y).backward()
            optimizer.step()

        for _ in range(STEPS // 10):
            step()
        gc.collect()
        live, before = tenon.stats(), resident()
        for _ in range(STEPS):
            step()
        gc.collect()
        after = tenon.stats()
        for what in ("tensors", "storages", "nodes", "bytes_live"):
            self.assertEqual(after[what], live[what], what)
        if not UNDER_ASAN:
            self.assertLess(resident() - before, 4 << 20)


@unittest.skipUnless(UNDER_ASAN, "not the build with AddressSanitizer")
class Sanitizer(unittest.TestCase):
    def test_it_watches_what_both_sides_share(self):
        program = """
import ctypes, gc, sys
sys.path.insert(0, sys.argv[1])
import tenon, torch
theirs = torch.ones(6)
ours = tenon.from_dlpack(theirs)
address = ours.data_ptr
del theirs
ctypes.memset(address, 0, 4)
print("ours has it", flush=True)
del ours
gc.collect()
ctypes.memset(address, 0, 4)
"""
        done = subprocess.run(
            [sys.executable, "-c", program, str(BUILD / "python")], capture_output=True, text=True
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "ours has it\n")
        self.assertIn("heap-use-after-free", done.stderr)


class Modules(unittest.TestCase):
    def test_parameters_are_the_layer_s(self):
        layer = make_layer()
        model = tenon.torch.Module(layer)
        self.assertEqual(list(model.state_dict()), list(layer.state_dict()))
        for name, theirs in model.named_parameters():
            self.assertEqual(theirs.data_ptr(), int(dict(layer.named_parameters())[name].data_ptr))
        with torch.no_grad():
            dict(model.named_parameters())["0.bias"].fill_(3.0)
        self.assertEqual(layer[0].bias.tolist(), [3.0] * 16)
        saved = {name: torch.full_like(each, 0.5) for name, each in model.state_dict().items()}
        model.load_state_dict(saved)
        self.assertEqual(set(layer[2].weight.reshape(-1).tolist()), {0.5})

    def test_buffers_and_modes_are_the_layer_s(self):
        layer = tenon.nn.batch_norm(features=3)
        model = tenon.torch.Module(layer)
        names = [name for name, _ in model.named_buffers()]
        self.assertEqual(names, [name for name, _ in layer.named_buffers()])
        before = model.running_mean.clone()
        model(torch.randn(8, 3) + 5)
        self.assertFalse(torch.equal(model.running_mean, before))
        self.assertEqual(model.running_mean.tolist(), layer.running_mean.tolist())
        torch.nn.Sequential(model).eval()
        self.assertFalse(layer.training)
        before = model.running_mean.clone()
        model(torch.randn(8, 3) + 5)
        self.assertTrue(torch.equal(model.running_mean, before))

    def test_gradients_are_those_of_the_layer(self):
        layer = make_layer()
        model = tenon.torch.Module(layer)
        x = torch.randn(4, 6, requires_grad=True)
        model(x).sum().backward()
        ours = tenon.from_dlpack(x.detach())
        ours.requires_grad = True
        layer(ours).sum().backward()
        self.assertEqual(x.grad.tolist(), ours.grad.tolist())
        mine = dict(layer.named_parameters())
        for name, theirs in model.named_parameters():
            self.assertEqual(theirs.grad.tolist(), mine[name].grad.tolist())

    def test_frozen_parameters_get_no_gradient(self):
        model = tenon.torch.Module(make_layer())
        first, *others = model.parameters()
        first.requires_grad_(False)
        model(torch.randn(4, 6)).sum().backward()
        self.assertIsNone(first.grad)
        self.assertTrue(all(each.grad is not None for each in others))
        layer = make_layer().requires_grad_(False)
        model = tenon.torch.Module(layer)
        self.assertFalse(any(each.requires_grad for each in model.parameters()))
        last = list(model.parameters())[-1].requires_grad_()
        model(torch.randn(4, 6)).sum().backward()
        self.assertEqual(last.grad.tolist(), [4.0])
        with torch.no_grad():
            self.assertIsNone(model(torch.randn(4, 6)).grad_fn)

    def test_tensors_of_integers_and_several_results(self):
        model = tenon.torch.Module(tenon.nn.embedding(rows=5, width=3))
        model(torch.tensor([1, 1, 4])).sum().backward()
        self.assertEqual(next(model.parameters()).grad.sum(1).tolist(), [0.0, 6.0, 0.0, 0.0, 3.0])
        model = tenon.torch.Module(tenon.nn.gru(inputs=3, hidden=4))
        y, h = model(torch.randn(5, 2, 3))
        self.assertEqual((y.shape, h.shape), ((5, 2, 4), (1, 2, 4)))

    def test_tied_parameters_are_one(self):
        layer = tenon.nn.sequential(
            tenon.nn.linear(inputs=3, outputs=3), tenon.nn.linear(inputs=3, outputs=3)
        )
        layer[1].weight = layer[0].weight
        model = tenon.torch.Module(layer)
        self.assertEqual(len(list(model.parameters())), 3)
        self.assertEqual(len(model.state_dict()), 4)

    def test_memory_is_not_replaced(self):
        model = tenon.torch.Module(make_layer())
        outer = torch.nn.Sequential(model)
        outer.to("cpu").float()
        for change in (outer.half, outer.double, lambda: outer.to("meta")):
            with self.assertRaisesRegex(tenon.StateError, "memory"):
                change()
        model(torch.randn(2, 6))
        parameter = next(model.parameters())
        parameter.data = parameter.data.clone()
        with self.assertRaisesRegex(tenon.StateError, "memory"):
            model(torch.randn(2, 6))
        model = tenon.torch.Module(make_layer())
        model.load_state_dict({k: v.clone() for k, v in model.state_dict().items()}, assign=True)
        with self.assertRaisesRegex(tenon.StateError, "memory"):
            model(torch.randn(2, 6))

    def test_a_parameter_that_changes_before_backward(self):
        model = tenon.torch.Module(make_layer())
        loss = model(torch.randn(2, 6)).sum()
        with torch.no_grad():
            next(model.parameters()).add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()
        y = tenon.torch.Module(tenon.nn.activation(op="tenon.exp"))(torch.ones(3) * loss)
        y.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()

    def test_a_call_is_walked_in_its_thread(self):
        loss, caught = tenon.torch.Module(make_layer())(torch.randn(2, 6)).sum(), []

        def walk():
            try:
                loss.backward()
            except tenon.GraphOwnerError as error:
                caught.append(error)

        thread = threading.Thread(target=walk)
        thread.start()
        thread.join()
        self.assertEqual(len(caught), 1)
        with self.assertRaisesRegex(tenon.GradError, "layers once"):
            loss.backward(create_graph=True)

    def test_copies(self):
        model = tenon.torch.Module(make_layer())
        other = copy.deepcopy(model)
        x = torch.randn(2, 6)
        self.assertTrue(torch.equal(other(x), model(x)))
        with torch.no_grad():
            next(other.parameters()).add_(1)
        self.assertFalse(torch.equal(other(x), model(x)))

    def test_compiled_around(self):
        model = torch.nn.Sequential(tenon.torch.Module(make_layer()), torch.nn.Tanh())
        x = torch.randn(3, 6)
        found = torch.compile(model, backend="aot_eager")(x)
        self.assertTrue(torch.equal(found, model(x)))
        found.sum().backward()
        self.assertTrue(all(each.grad is not None for each in model.parameters()))

    def test_what_is_not_a_layer(self):
        with self.assertRaisesRegex(TypeError, "tenon.torch.Module"):
            tenon.torch.Module(torch.nn.Linear(2, 2))


class Optimizers(unittest.TestCase):
    def parameters(self):
        return [torch.nn.Parameter(torch.full((3,), 1.0)) for _ in range(2)]

    def step(self, optimizer, parameters):
        for each in parameters:
            each.grad = torch.ones(3)
        optimizer.step()

    def test_groups_and_schedules_are_read_at_each_step(self):
        a, b = self.parameters()
        optimizer = tenon.torch.Optimizer(
            tenon.optim.sgd, [{"params": [a], "lr": 0.5}, {"params": [b]}], lr=0.25
        )
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        self.step(optimizer, (a, b))
        self.assertEqual((a[0].item(), b[0].item()), (0.5, 0.75))
        schedule.step()
        self.step(optimizer, (a, b))
        self.assertEqual((a[0].item(), b[0].item()), (0.25, 0.625))
        optimizer.param_groups[1]["lr"] = 1.0
        self.step(optimizer, (a, b))
        self.assertEqual((a[0].item(), b[0].item()), (0.0, -0.375))

    def test_a_state_goes_on_in_another_optimizer(self):
        first, second = self.parameters(), self.parameters()
        optimizer = tenon.torch.Optimizer("adamw", first, lr=0.1)
        for _ in range(3):
            self.step(optimizer, first)
        other = tenon.torch.Optimizer("adamw", second, lr=9.0)
        with torch.no_grad():
            for a, b in zip(first, second, strict=True):
                b.copy_(a)
        other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        for _ in range(3):
            self.step(optimizer, first)
            self.step(other, second)
        for a, b in zip(first, second, strict=True):
            self.assertTrue(torch.equal(a, b))

    def everything(self, optimizer):
        """Numbers and states, as a text: all of them are small."""
        return repr(optimizer.state_dict())

    def test_a_state_before_the_first_step_is_loaded_as_one(self):
        params = self.parameters()
        optimizer = tenon.torch.Optimizer("nadam", params, lr=0.1)
        first = copy.deepcopy(optimizer.state_dict())
        ends = []
        for _ in range(2):
            optimizer.load_state_dict(first)
            with torch.no_grad():
                for each in params:
                    each.fill_(1.0)
            for _ in range(3):
                self.step(optimizer, params[:1])
            ends.append([each.tolist() for each in params])
        self.assertEqual(*ends)

    def test_a_state_that_does_not_fit_changes_nothing(self):
        params = self.parameters()
        optimizer = tenon.torch.Optimizer("adam", params, lr=0.1)
        self.step(optimizer, params)
        before = self.everything(optimizer)

        def wrong(change):
            saved = copy.deepcopy(optimizer.state_dict())
            saved["param_groups"][0]["lr"] = 0.75
            saved["state"][0]["exp_avg"] += 1.0
            change(saved)
            return saved

        for change, word in (
            (lambda saved: saved["param_groups"][0].update(eps=-1.0), "eps"),
            (lambda saved: saved["param_groups"][0].pop("beta1"), "beta1"),
            (lambda saved: saved["state"][1].update(exp_avg_sq=torch.zeros(2)), "1.exp_avg_sq"),
            (lambda saved: saved["state"][1].update(exp_avg_sq=None), "a tensor"),
            (lambda saved: saved["state"][1].update(more=torch.zeros(3)), "1.more"),
            (lambda saved: saved["state"][1].pop("step"), "1.step"),
            (lambda saved: saved["param_groups"].pop(), "group"),
        ):
            with self.subTest(word):
                saved = wrong(change)
                with self.assertRaisesRegex((ValueError, TypeError), word):
                    optimizer.load_state_dict(saved)
                self.assertEqual(self.everything(optimizer), before)

    def test_a_copy_with_its_model_trains_it(self):
        def plain():
            torch.manual_seed(1)
            return torch.nn.Linear(6, 1)

        by = {"deepcopy": copy.deepcopy, "pickle": lambda both: pickle.loads(pickle.dumps(both))}
        for make in (plain, lambda: tenon.torch.Module(make_layer())):
            for words, duplicate in by.items():
                for turned in (False, True):
                    with self.subTest(words, turned=turned):
                        model = make()
                        optimizer = tenon.torch.Optimizer("nadam", model.parameters(), lr=0.01)
                        train_in_torch(model, optimizer, 3)
                        both = [model, optimizer][:: -1 if turned else 1]
                        again, other = duplicate(both)[:: -1 if turned else 1]
                        self.assertEqual(self.everything(other), self.everything(optimizer))
                        for one, two in zip(again.parameters(), other.param_groups[0]["params"],
                                            strict=True):  # fmt: skip
                            self.assertIs(one, two)
                        losses = train_in_torch(model, optimizer, 5)
                        self.assertEqual(train_in_torch(again, other, 5), losses)

    def test_a_closure_and_parameters_without_a_gradient(self):
        a, b = self.parameters()
        optimizer = tenon.torch.Optimizer("sgd", [a, b], lr=1.0)

        def closure():
            optimizer.zero_grad()
            loss = a.sum()
            loss.backward()
            return loss

        version = a._version
        self.assertEqual(optimizer.step(closure).item(), 3.0)
        self.assertEqual((a.tolist(), b.tolist()), ([0.0] * 3, [1.0] * 3))
        self.assertGreater(a._version, version)

    def test_what_is_refused(self):
        a, b = self.parameters()
        with self.assertRaisesRegex(tenon.Error, "learning"):
            tenon.torch.Optimizer("sgd", [a], learning=1.0)
        with self.assertRaisesRegex(tenon.NotFoundError, "tenon.sdg"):
            tenon.torch.Optimizer("sdg", [a], lr=1.0)
        optimizer = tenon.torch.Optimizer("sgd", [a], lr=1.0)
        with self.assertRaisesRegex(tenon.StateError, "added later"):
            optimizer.add_param_group({"params": [b]})
        a.grad = torch.ones(3).to_sparse()
        with self.assertRaisesRegex(tenon.LayoutError, "sparse"):
            optimizer.step()
        a.grad, a.data = None, torch.zeros(3)
        with self.assertRaisesRegex(tenon.StateError, "memory"):
            optimizer.step()


class Functions(unittest.TestCase):
    def test_a_function_of_pytorch_is_an_op(self):
        gelu = tenon.torch.function("parity.gelu", torch.nn.functional.gelu)
        self.addCleanup(gelu.remove)
        x = tenon.tensor([[0.5, -1.0], [2.0, 3.0]], dtype="float64", requires_grad=True)
        found = tenon.op.parity.gelu(x)
        expected = tenon.op.tenon.gelu(x)
        self.assertAlmostEqual((found - expected).abs().max().item(), 0.0, delta=1e-15)
        found.sum().backward()
        slope, = (torch.autograd.functional.jacobian(
            lambda x: torch.nn.functional.gelu(x).sum(), torch.from_dlpack(x.detach())
        ),)  # fmt: skip
        self.assertEqual(x.grad.tolist(), slope.tolist())
        self.assertTrue(tenon.gradcheck(gelu, x.detach()))

    def test_schemas_lists_options_and_several_results(self):
        both = tenon.torch.function(
            "parity.both(xs: T[...]*, mask: bool[...]?, *, scale: float=1.0) -> "
            "(sum: T[...], product: T[...]) where T: float",
            lambda xs, mask, scale: (scale * (xs[0] + xs[1]), xs[0] * xs[1]),
        )
        self.addCleanup(both.remove)
        a, b = (tenon.tensor(each, requires_grad=True) for each in ([1.0, 2.0], [3.0, 4.0]))
        total, product = both([a, b], None, scale=2.0)
        self.assertEqual((total.tolist(), product.tolist()), ([8.0, 12.0], [3.0, 8.0]))
        (total + product).sum().backward()
        self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([5.0, 6.0], [3.0, 4.0]))

    def test_what_is_refused(self):
        negated = tenon.torch.function("parity.neg", torch.neg)
        self.addCleanup(negated.remove)
        x = tenon.tensor([1.0], requires_grad=True)
        with self.assertRaises(tenon.Error):
            tenon.grad(negated(negated(x) * x).sum(), x, create_graph=True)
        with self.assertRaises(tenon.CaptureError):
            tenon.capture(negated, tenon.tensor([1.0]))
        with self.assertRaisesRegex(TypeError, "tenon.torch.function"):
            tenon.torch.function("parity.none", 3)


if __name__ == "__main__":
    unittest.main()
