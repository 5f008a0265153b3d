# SPDX-License-Identifier: Apache-2.0
# tests/python/test_meant.py: what a program says is what happens, or an error: nothing is taken
# without a word and ignored, or given another meaning.
import copy
import gc
import pickle
import unittest

from support import Case, live, run_python, tenon

nn = tenon.nn


def ones(*shape):
    return tenon.full(shape, 1.0)


class Clipping(Case):
    def test_gradients_are_clipped_and_not_parameters(self):
        model = nn.linear(inputs=2, outputs=1)
        weight, bias = model.weight.tolist(), model.bias.tolist()
        model(tenon.tensor([[2.0, 1.0]])).sum().backward()
        norm = tenon.clip_grad_norm(model.parameters(), max_norm=1.0)
        self.assertAlmostEqual(norm.item(), 6**0.5, 6)
        grads = model.weight.grad.tolist()[0] + model.bias.grad.tolist()
        for found, right in zip(grads, (2, 1, 1), strict=True):
            self.assertAlmostEqual(found, right / 6**0.5, 5)
        self.assertEqual((model.weight.tolist(), model.bias.tolist()), (weight, bias))

    def test_rows_and_absent_ones(self):
        table = tenon.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
        other = tenon.tensor([4.0], requires_grad=True)
        rows = tenon.embedding(table, tenon.tensor([0, 2, 2]))
        (rows * tenon.tensor([[3.0], [1.0], [3.0]])).sum().backward()
        self.assertTrue(table.has_grad_rows)
        self.same(tenon.clip_grad_norm([table, other], 2.5), 5.0)
        self.assertTrue(table.has_grad_rows)
        self.assertIsNone(other.grad)
        indices, values = table.grad_rows()
        self.same(indices, [0, 2])
        for row, right in zip(values.tolist(), (1.5, 2.0), strict=True):
            self.assertAlmostEqual(row[0], right, 5)
        self.same(tenon.clip_grad_norm(other, 1.0), 0.0)
        self.same(tenon.clip_grad_norm([], 1.0), 0.0)

    def test_several_dtypes(self):
        tensors = [
            tenon.tensor([0.0], dtype, requires_grad=True)
            for dtype in ("float32", "float64", "float16")
        ]
        for factor, tensor in zip((3.0, 4.0, 12.0), tensors, strict=True):
            (tensor * factor).sum().backward()
        norm = tenon.clip_grad_norm(tensors, 1.3)
        self.assertEqual((norm.dtype, norm.item()), (tenon.float64, 13.0))
        for tensor, right in zip(tensors, (0.3, 0.4, 1.2), strict=True):
            self.assertAlmostEqual(tensor.grad.item(), right, 3)
        self.same(tenon.clip_grad_norm(tensors, 0.1, each=True) < 2.0, True)
        for tensor in tensors:
            self.assertAlmostEqual(tensor.grad.item(), 0.1, 4)

    def test_in_a_captured_step(self):
        w = tenon.tensor([3.0, 4.0], requires_grad=True)
        sgd = tenon.optim.sgd([w], lr=1.0)

        @tenon.captured
        def step(x):
            (w * x).sum().backward()
            norm = tenon.clip_grad_norm([w], 1.0)
            sgd.step(clear_grad=True)
            return norm

        for scale in (1.0, 2.0, 3.0):
            norm = step(tenon.tensor([3.0, 4.0]) * scale)
            self.assertAlmostEqual(norm.item(), 5 * scale, 5)
        for found, right in zip(w.tolist(), (3 - 3 * 0.6, 4 - 3 * 0.8), strict=True):
            self.assertAlmostEqual(found, right, 5)

    def test_has_the_bits_of_its_formula(self):
        def norm_of(grad):
            return tenon.sqrt(tenon.sum(tenon.square(grad)))

        def drawn():
            tenon.seed(4)
            shapes = (300, 300), (7,), (), (0, 3), (20000,), (2, 1, 65)
            made = [tenon.randn(*shape) for shape in shapes]
            return made + [tenon.randn(600, 700).T, tenon.randn(40, 9)[::2, 1::3]]

        for each in (False, True):
            for max_norm in (0.3, 1e6):
                found, grads = drawn(), drawn()
                result = tenon.op.tenon.clip_grad_norm(found, max_norm=max_norm, each=each)
                norms = [norm_of(grad) for grad in grads]
                total = norm_of(tenon.stack(norms))
                self.assertEqual(result.item(), total.item())
                for grad, clipped, own in zip(grads, found, norms, strict=True):
                    share = tenon.minimum(max_norm / ((own if each else total) + 1e-6), 1.0)
                    self.assertEqual((grad * share).tolist(), clipped.tolist())

    def test_what_is_no_parameter(self):
        w = tenon.tensor([3.0, 4.0], requires_grad=True)
        (w * w).sum().backward()
        words = "tenon.op.tenon.clip_grad_norm"
        self.refused(ValueError, lambda: tenon.clip_grad_norm([w.grad], 1.0), words)
        self.refused(TypeError, lambda: tenon.clip_grad_norm(1.0, 1.0), "model.parameters()")
        self.refused(TypeError, lambda: tenon.clip_grad_norm([w, None], 1.0), "NoneType")
        self.refused(tenon.OptionError, lambda: tenon.clip_grad_norm([w], -1.0), "max_norm")
        self.same(w.grad, [6.0, 8.0])
        for mode in (tenon.no_grad, tenon.enable_grad):
            with mode:
                self.refused(
                    tenon.GradError,
                    lambda: tenon.op.tenon.clip_grad_norm([w], max_norm=1.0),
                    "is a parameter",
                    "give x.grad of each",
                )
        self.same(w, [3.0, 4.0])


class Assigning(Case):
    def test_a_tensor_becomes_the_layers(self):
        layer = nn.linear(inputs=2, outputs=1, bias=False)
        weight = tenon.tensor([[1.0, 2.0]], requires_grad=True)
        layer.weight = weight
        self.assertIs(layer.weight, weight)
        self.assertIs(layer.parameters()[0], weight)
        y = layer(tenon.tensor([[3.0, 4.0]]))
        self.same(y, [[11.0]])
        y.sum().backward()
        self.same(weight.grad, [[3.0, 4.0]])

    def test_what_cannot_be_meant(self):
        layer = nn.linear(inputs=2, outputs=1)
        before = layer.weight.tolist()
        copying = "layer.weight[...] = values"
        self.refused(tenon.GradError, lambda: setattr(layer, "weight", ones(1, 2)), copying)
        self.refused(tenon.ShapeError, lambda: setattr(layer, "weight", ones(2)), "f32[1,2]")
        self.refused(TypeError, lambda: setattr(layer, "bias", None), "a tensor")
        self.refused(AttributeError, lambda: setattr(layer, "wieght", ones(2)), "weight, bias")
        self.refused(AttributeError, lambda: setattr(layer, "inputs", 3), "another layer")
        self.refused(AttributeError, lambda: setattr(layer, "requires_grad", False), "weight, bias")
        self.same(layer.weight, before)
        with tenon.no_grad:
            layer.weight[...] = ones(1, 2)
        self.same(layer.weight, [[1.0, 1.0]])

    def test_the_mode(self):
        dropout = nn.dropout(p=0.5)
        dropout.training = False
        self.same(dropout(ones(8)), [1.0] * 8)
        self.refused(TypeError, lambda: setattr(dropout, "training", "no"), "True or False")
        model = nn.sequential(nn.dropout(p=0.5), nn.sequential(nn.dropout(p=0.5)))
        model.training = False
        self.same(model(ones(8)), [1.0] * 8)
        self.assertFalse(model[1][0].training)

        class Model(nn.Module):
            def __init__(self):
                self.dropout = nn.dropout(p=0.5)

            def forward(self, x):
                return self.dropout(x)

        module = Model()
        module.training = False
        self.same(module(ones(8)), [1.0] * 8)

    def test_a_parameter_stays_one(self):
        class Model(nn.Module):
            def __init__(self):
                self.scale = tenon.tensor([1.0], requires_grad=True)

        model = Model()
        self.refused(ValueError, lambda: setattr(model, "scale", ones(1)), "model.scale[...]")
        other = tenon.tensor([2.0], requires_grad=True)
        model.scale = other
        self.assertIs(model.parameters()[0], other)
        model.scale = None
        self.assertEqual(model.parameters(), [])


class Tying(Case):
    def make(self):
        model = nn.sequential(
            nn.linear(inputs=2, outputs=2, bias=False), nn.linear(inputs=2, outputs=2, bias=False)
        )
        model[1].weight = model[0].weight
        return model

    def test_one_parameter(self):
        model = self.make()
        self.assertIs(model[0].weight, model[1].weight)
        self.assertEqual([name for name, _ in model.named_parameters()], ["0.weight"])
        self.assertEqual(list(model.state_dict()), ["0.weight", "1.weight"])
        optimizer = tenon.optim.sgd(model.parameters(), lr=0.1)
        before = model[0].weight.tolist()
        model(ones(1, 2)).sum().backward()
        optimizer.step()
        self.assertNotEqual(model[1].weight.tolist(), before)
        self.same(model[1].weight, model[0].weight.tolist())

    def test_across_modules(self):
        class Model(nn.Module):
            def __init__(self):
                self.inner = nn.linear(inputs=2, outputs=2, bias=False)
                self.outer = nn.linear(inputs=2, outputs=2, bias=False)
                self.outer.weight = self.inner.weight
                self.alias = self.inner.weight

        model = Model()
        self.assertEqual([name for name, _ in model.named_parameters()], ["inner.weight"])
        self.assertEqual(list(model.state_dict()), ["inner.weight", "outer.weight", "alias"])
        again = copy.deepcopy(model)
        self.assertIs(again.outer.weight, again.inner.weight)
        self.assertIs(again.alias, again.inner.weight)
        self.assertNotEqual(again.alias.storage, model.alias.storage)

    def test_copies_are_tied(self):
        model = self.make()
        model[0].eval()
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            self.assertIs(again[0].weight, again[1].weight)
            self.assertNotEqual(again[0].weight.storage, model[0].weight.storage)
            self.assertEqual(len(again.parameters()), 1)
            self.assertEqual([each.training for each in again.modules()], [True, False, True])
        frozen = nn.linear(inputs=1, outputs=1).requires_grad_(False)
        self.assertFalse(copy.deepcopy(frozen).weight.requires_grad)

    def test_two_values_for_one_tensor(self):
        model = self.make()
        before = model[0].weight.tolist()
        saved = {"0.weight": ones(2, 2), "1.weight": tenon.full((2, 2), 2.0)}
        self.refused(ValueError, lambda: model.load_state_dict(saved), "1.weight", "0.weight")
        self.same(model[0].weight, before)
        saved["1.weight"] = ones(2, 2)
        model.load_state_dict(saved)
        self.same(model[1].weight, [[1.0, 1.0], [1.0, 1.0]])


class Modes(Case):
    def test_captured_steps_have_a_plan_for_each(self):
        layer = nn.dropout(p=0.5)

        class Model(nn.Module):
            def forward(self, x):
                return layer(x) if self.training else x * 2.0

        for model in (layer, nn.sequential(nn.dropout(p=0.5)), Model()):
            step = tenon.captured(lambda x, model=model: model(x) + 0.0)
            trained = step(ones(64)).tolist()
            self.assertIn(0.0, trained)
            model.eval()
            expected = [2.0 if isinstance(model, Model) else 1.0] * 64
            for _ in range(3):
                self.same(step(ones(64)), expected)
            model.train()
            self.assertIn(0.0, step(ones(64)).tolist())
            self.assertEqual(len(step.plans), 2)
            layer.train()

    def test_an_input_that_requires_a_gradient_is_another_kind(self):
        @tenon.captured
        def gradient(x):
            return tenon.grad((x * x).sum(), x) if x.requires_grad else x

        self.same(gradient(tenon.tensor([3.0])), [3.0])
        self.same(gradient(tenon.tensor([3.0], requires_grad=True)), [6.0])


class Hooks(Case):
    ROUNDS = 200

    def count(self, make):
        """How many tensors `make` has left after as many rounds."""
        before = live()["tensors"]
        for _ in range(self.ROUNDS):
            make()
        live()  # gives up what the last one recorded
        return live()["tensors"] - before

    def test_one_that_refers_to_its_own_tensor_goes_with_it(self):
        def middle(walk=True, times=2.0):
            x = tenon.tensor([1.0], requires_grad=True)
            y = x * times
            seen = []
            y.add_hook(lambda gradient: seen.append(y) or gradient * y)
            if walk:
                y.sum().backward()
                self.assertEqual(x.grad.item(), times * times)

        def leaf():
            x = tenon.tensor([2.0], requires_grad=True)
            x.add_hook(lambda gradient: gradient * x)
            (x * 3.0).sum().backward()
            self.assertEqual(x.grad.item(), 6.0)

        def of_a_module():
            class Model(tenon.nn.Module):
                def __init__(self):
                    self.w = tenon.tensor([2.0], requires_grad=True)
                    self.w.add_hook(self.look)

                def look(self, gradient):
                    return gradient * self.w

            Model()

        for make in (middle, lambda: middle(walk=False), leaf, of_a_module):
            self.assertEqual(self.count(make), 0)

    def test_one_that_refers_to_the_layer_of_its_tensor_goes_with_both(self):
        linear = tenon.nn.linear

        def of_a_layer():
            layer = linear(inputs=2, outputs=1, bias=False)
            layer.weight.add_hook(lambda gradient: gradient * layer.weight)
            layer(tenon.ones(1, 2)).sum().backward()

        def of_a_container():
            model = tenon.nn.sequential(linear(inputs=2, outputs=1), linear(inputs=1, outputs=1))
            for parameter in model.parameters():
                parameter.add_hook(lambda gradient: model and gradient)

        def of_two_layers():
            one, other = linear(inputs=2, outputs=2), linear(inputs=2, outputs=2)
            other.weight = one.weight
            one.weight.add_hook(lambda gradient: (one, other) and gradient)

        def of_a_module():
            class Model(tenon.nn.Module):
                def __init__(self):
                    self.inner = linear(inputs=2, outputs=2)
                    self.inner.weight.register_hook(self.look)

                def look(self, gradient):
                    return gradient

            model = Model()
            optimizer = tenon.optim.sgd(list(model.parameters()), lr=0.1)
            model.inner(tenon.ones(1, 2)).sum().backward()
            optimizer.step()

        self.ROUNDS = 2000
        self.assertEqual(self.count(of_a_layer), 0)
        self.ROUNDS = 200
        for make in (of_a_container, of_two_layers, of_a_module):
            with self.subTest(make.__name__):
                self.assertEqual(self.count(make), 0)

    def test_one_of_a_layer_that_somebody_waits_for_stays(self):
        seen = []

        def make(function):
            layer = tenon.nn.linear(inputs=2, outputs=1, bias=False)
            layer.weight.add_hook(lambda gradient: seen.append(layer.name))
            return function(layer)

        loss = make(lambda layer: layer(tenon.ones(1, 2)).sum())
        gc.collect()
        loss.backward()
        weight = make(lambda layer: layer.weight)
        gc.collect()
        weight.sum().backward()
        outer = make(lambda layer: tenon.nn.sequential(layer))
        gc.collect()
        outer(tenon.ones(1, 2)).sum().backward()
        self.assertEqual(seen, ["tenon.linear"] * 3)
        del loss, weight, outer
        live()

    def test_objects_are_used_again(self):
        for _ in range(3):
            kept = [tenon.tensor([float(i)], requires_grad=True) for i in range(400)]
            ends = [x.add_hook(lambda gradient: gradient * 2.0) for x in kept for _ in range(2)]
            for end in ends[::3]:
                end()
            sum(x.sum() for x in kept).backward()
            self.same(kept[0].grad, [2.0])
            self.same(kept[2].grad, [4.0])
            del kept[::2]
            for end in ends[1::3]:
                try:
                    end()
                except tenon.Error:
                    pass
            gc.collect()

    def test_one_that_somebody_waits_for_stays(self):
        x = tenon.tensor([1.0], requires_grad=True)

        def make(function):
            y = x * 2.0
            y.add_hook(lambda gradient: gradient * (y + 1.0))
            return function(y)

        loss = make(lambda y: (y * 1.0).sum())  # the graph holds the op that made y
        gc.collect()
        loss.backward()
        self.same(x.grad, [6.0])
        x.grad = None
        kept = make(lambda y: y.reshape(1, 1))
        gc.collect()
        kept.sum().backward()
        self.same(x.grad, [6.0])
        end = x.add_hook(lambda gradient: gradient * 0.0)
        gc.collect()
        x.grad = None
        (x * 2.0).sum().backward()
        self.same(x.grad, [0.0])
        end()
        (x * 2.0).sum().backward()
        self.same(x.grad, [2.0])
        del loss, kept
        live()  # what waited for them goes


class RandomNumbers(Case):
    def order(self, **options):
        numbers = tenon.tensor(list(range(64)))
        batches = tenon.data.batches(tenon.data.tensors(numbers), 64, **options)
        return next(iter(batches))[0].tolist()

    def test_shuffling_follows_the_seed(self):
        self.addCleanup(tenon.seed, 0)
        orders = []
        for seed in (1, 2, 1):
            tenon.seed(seed)
            orders.append(self.order(shuffle=True))
        self.assertEqual(orders[0], orders[2])
        self.assertNotEqual(orders[0], orders[1])
        self.assertEqual(self.order(seed=1), orders[0])
        tenon.seed(7)
        batches = tenon.data.batches(tenon.data.tensors(ones(4)), 2, shuffle=True)
        state = {"epoch": 0, "position": 0, "seed": 7, "length": 4, "shuffle": True}
        self.assertEqual(batches.state_dict(), state)
        self.refused(ValueError, lambda: batches.begin(0, seed=8), "seed", "7", "8")
        batches.begin(1, 2, seed=7)

    FORKS = """if True:
        import os, sys, threading
        import tenon
        def draw():
            return tenon.uniform(shape=[2]).tolist()
        def in_thread(found):
            thread = threading.Thread(target=lambda: found.append(draw()))
            thread.start(); thread.join()
        def in_child(depth):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                found = [draw()]
                in_thread(found)
                if depth: found += in_child(depth - 1)
                os.write(write, repr(found).encode()); os._exit(0)
            os.waitpid(child, 0)
            return eval(os.read(read, 65536))
        if sys.argv[1] == "used": tenon.seed(3)
        found = in_child(1) + in_child(0)
        found.append(draw())
        in_thread(found)
        in_thread(found)
        print(found)
    """

    def test_forked_processes_and_threads_draw_their_own(self):
        for state in ("used", "fresh"):
            outputs = [run_python(self.FORKS, state) for _ in range(2)]
            self.assertEqual([each.stderr for each in outputs], ["", ""])
            found = eval(outputs[0].stdout)
            self.assertEqual(len(found), 9)
            self.assertEqual(len({tuple(each) for each in found}), 9, found)
            self.assertEqual(outputs[0].stdout, outputs[1].stdout)  # and the same in every run


if __name__ == "__main__":
    unittest.main()
