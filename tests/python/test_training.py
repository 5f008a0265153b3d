# SPDX-License-Identifier: Apache-2.0
# tests/python/test_training.py: optimizers, schedules, layers, models, files, captured steps.
import copy
import inspect
import json
import os
import pathlib
import pickle
import tempfile
import threading
import unittest

from support import Case, tenon


class Optimizers(Case):
    def test_a_step_follows_the_formula(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        optimizer = tenon.optim.sgd([w], lr=0.5)
        (w * w).sum().backward()
        optimizer.step()
        self.same(w, [0.0, 0.0])
        self.same(w.grad, [2.0, 4.0])
        optimizer.zero_grad()
        self.assertIsNone(w.grad)
        w.sum().backward()
        optimizer.lr = 0.25
        optimizer.step(clear_grad=True)
        self.same(w, [-0.25, -0.25])
        self.assertIsNone(w.grad)

    def test_hypers_are_attributes(self):
        w = tenon.tensor([1.0], requires_grad=True)
        optimizer = tenon.optim.adam([w], lr=1)  # an integer where a float is meant
        self.assertEqual((optimizer.lr, optimizer.beta1), (1.0, 0.9))
        self.assertFalse(hasattr(optimizer, "momentum"))
        self.refused(tenon.OptionError, lambda: setattr(optimizer, "momentum", 1.0), "momentum")
        self.refused(tenon.OptionError, lambda: setattr(optimizer, "lr", -1.0), "lr")
        self.refused(TypeError, lambda: setattr(optimizer, "lr", "1"), "a number")
        self.refused(tenon.OptionError, lambda: tenon.optim.adam([w], rate=1.0), "rate")
        self.refused(tenon.OptionError, lambda: tenon.optim.adam([w], lr="1"), "wrong type")
        self.refused(tenon.GradError, lambda: tenon.optim.sgd([tenon.tensor([1.0])]))
        self.refused(AttributeError, lambda: tenon.optim.nothing, "tenon.adamw")

    def test_they_are_described(self):
        signature = inspect.signature(tenon.optim.sgd)
        self.assertEqual(signature.parameters["momentum"].default, 0.0)
        self.assertIs(signature.parameters["nesterov"].default, False)
        self.assertEqual(list(signature.parameters)[0], "params")
        self.assertIn("learning rate", tenon.optim.sgd.__doc__)
        self.assertIn("lion", dir(tenon.optim))

    def run_steps(self, optimizer, w, count):
        for _ in range(count):
            ((w * w * w) + w).sum().backward()
            optimizer.step(clear_grad=True)

    def test_a_resumed_run_has_the_same_bits(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        optimizer = tenon.optim.adamw([w], lr=0.1)
        self.assertEqual(optimizer.state_dict()["state"], {})
        self.run_steps(optimizer, w, 3)
        saved = copy.deepcopy(optimizer.state_dict())
        again = tenon.tensor(w, requires_grad=True)
        self.run_steps(optimizer, w, 3)
        resumed = tenon.optim.adamw([again])
        resumed.load_state_dict(saved)
        self.assertEqual(resumed.lr, 0.1)
        self.run_steps(resumed, again, 3)
        self.same(again, w.tolist())


class ParameterGroups(Case):
    def pair(self):
        return [tenon.tensor([1.0], requires_grad=True) for _ in range(2)]

    def grouped(self, a, b, **hypers):
        return tenon.optim.sgd([{"params": [a], "lr": 0.5}, {"params": b}], **hypers)

    def step(self, optimizer, *params):
        for param in params:
            param.grad = tenon.tensor([1.0])
        optimizer.step(clear_grad=True)

    def test_numbers_by_group(self):
        a, b = self.pair()
        optimizer = self.grouped(a, b, lr=0.25, momentum=0.9)
        first, second = optimizer.param_groups
        self.assertEqual((first["lr"], second["lr"], second["momentum"]), (0.5, 0.25, 0.9))
        self.assertIs(second["params"][0], b)
        names = "params lr momentum dampening weight_decay nesterov"
        self.assertEqual(list(first), names.split())
        self.step(optimizer, a, b)
        self.same(a, [0.5])
        self.same(b, [0.75])
        second["lr"] = 1.0
        self.assertEqual((first["lr"], second["lr"]), (0.5, 1.0))
        self.refused(tenon.StateError, lambda: optimizer.lr, "not the same in all groups")
        optimizer.lr = 2.0
        self.assertEqual((first["lr"], second["lr"], optimizer.lr), (2.0, 2.0, 2.0))
        self.assertIn("lr=2.0", repr(first))

    def test_a_list_is_one_group(self):
        a, b = self.pair()
        optimizer = tenon.optim.sgd([a, b], lr=0.5)
        (group,) = optimizer.param_groups
        self.assertEqual(len(group["params"]), 2)
        group["lr"] = 0.25
        self.assertEqual(optimizer.lr, 0.25)

    def test_a_schedule_of_one_group(self):
        a, b = self.pair()
        optimizer = self.grouped(a, b, lr=1.0)
        schedule = tenon.schedules.exponential(1.0, factor=0.5)
        for _ in range(2):
            optimizer.param_groups[1]["lr"] = next(schedule)
            self.step(optimizer, b)
        self.same(b, [-0.5])
        self.assertEqual(optimizer.param_groups[0]["lr"], 0.5)

    def test_frozen_parameters_are_left_alone(self):
        a, b = self.pair()
        b.requires_grad = False
        optimizer = self.grouped(a, b, lr=0.25)
        self.step(optimizer, a)
        self.same(b, [1.0])
        b.requires_grad = True
        self.step(optimizer, a, b)
        self.same(b, [0.75])

    def test_refusals(self):
        a, b = self.pair()
        both = lambda *groups: lambda: tenon.optim.sgd(list(groups))  # noqa: E731
        self.refused(TypeError, both({"params": [a]}, b), "params[1]", "a dict")
        self.refused(ValueError, both({"lr": 1.0}), "params[0]", "'params'")
        self.refused(ValueError, both({"params": []}), "group 0 is empty")
        self.refused(ValueError, both({"params": [a]}, {"params": [a]}), "listed twice")
        self.refused(tenon.OptionError, both({"params": a, "speed": 1.0}), "speed", "in group 0")
        self.refused(tenon.OptionError, both({"params": a, "lr": -1.0}), "lr", "in group 0")
        self.refused(tenon.GradError, both({"params": [a * 2]}), "of group 0 is not a leaf")
        group = self.grouped(a, b).param_groups[0]
        self.refused(KeyError, lambda: group["speed"], "speed")
        self.refused(tenon.OptionError, lambda: group.__setitem__("lr", -1.0), "lr")
        self.refused(TypeError, lambda: group.__setitem__("lr", "1"), "a number")

    def test_a_resumed_run_has_the_same_bits(self):
        def run(params, steps, saved=None):
            groups = [{"params": params[0], "lr": 0.1}, {"params": params[1]}]
            optimizer = tenon.optim.adam(groups, lr=0.01)
            if saved:
                optimizer.param_groups[0]["lr"] = 3.0
                optimizer.load_state_dict(saved)
            for _ in range(steps):
                (params[0] * params[0] * params[1]).sum().backward()
                optimizer.step(clear_grad=True)
            return optimizer

        params = self.pair()
        saved = copy.deepcopy(run(params, 3).state_dict())
        again = [tenon.tensor(each, requires_grad=True) for each in params]
        whole = self.pair()
        run(whole, 6)
        run(again, 3, saved)
        self.assertEqual([each.item() for each in again], [each.item() for each in whole])
        one = tenon.optim.adam(params)
        refusal = self.refused(tenon.DataError, lambda: one.load_state_dict(saved))
        self.assertEqual(refusal.expected, "one group")
        self.assertEqual(refusal.found, "groups of 1 1 parameters")


class Schedules(Case):
    def test_values(self):
        schedule = tenon.schedules.exponential(1.0, factor=0.5)
        self.assertEqual([next(schedule) for _ in range(3)], [1.0, 0.5, 0.25])
        saved = schedule.state_dict()
        following = next(schedule)
        again = tenon.schedules.exponential(1.0, factor=0.5)
        again.load_state_dict(saved)
        self.assertEqual(next(again), following)

    def test_refusals(self):
        self.refused(tenon.OptionError, lambda: tenon.schedules.exponential(1.0), "factor")
        self.refused(TypeError, lambda: tenon.schedules.exponential("1", factor=0.5))
        self.refused(tenon.Error, lambda: tenon.schedules.step(1.0, period=1, speed=2), "speed")
        plateau = tenon.schedules.plateau(1.0)
        self.assertEqual(plateau.advance(metric=3.0), 1.0)
        self.refused(TypeError, lambda: plateau.advance(metric="3"))


class Perceptron(tenon.nn.Module):
    def __init__(self):
        self.first = tenon.nn.linear(inputs=3, outputs=4)
        self.rest = [tenon.nn.dropout(p=0.5), tenon.nn.linear(inputs=4, outputs=1)]
        self.scale = tenon.tensor([2.0], requires_grad=True)
        self.note = "no part"

    def forward(self, x):
        x = self.first(x).relu()
        for layer in self.rest:
            x = layer(x)
        return x * self.scale


class Models(Case):
    def test_layers(self):
        layer = tenon.nn.linear(inputs=3, outputs=2, bias=False)
        self.assertEqual([name for name, _ in layer.named_parameters()], ["weight"])
        x = tenon.tensor([[1.0, 2.0, 3.0]])
        self.same(layer(x), (x @ layer.parameters()[0].T).tolist())
        layer(x).sum().backward()
        self.same(layer.parameters()[0].grad, [[1.0, 2.0, 3.0]] * 2)
        layer.zero_grad()
        self.assertIsNone(layer.parameters()[0].grad)
        self.assertEqual(repr(layer), "<layer tenon.linear(inputs=3, outputs=2, bias=False)>")

    def test_same_seed_same_layer(self):
        drawn = []
        for _ in range(2):
            tenon.seed(5)
            drawn.append(tenon.nn.linear(inputs=2, outputs=2).parameters()[0].tolist())
        self.assertEqual(drawn[0], drawn[1])

    def test_sequential_training_and_evaluation(self):
        model = tenon.nn.sequential(
            tenon.nn.linear(inputs=2, outputs=8),
            tenon.nn.activation(op="tenon.tanh"),
            tenon.nn.dropout(p=0.5),
        )
        x = tenon.tensor([[1.0, 2.0]])
        self.assertEqual(model.eval()(x).tolist(), model(x).tolist())
        self.assertFalse(model.training)
        model.train()
        self.assertNotEqual([model(x).tolist() for _ in range(8)], [model(x).tolist()] * 8)
        names = [name for name, _ in model.named_parameters()]
        self.assertEqual(names, ["0.weight", "0.bias"])

    def test_buffers(self):
        layer = tenon.nn.batch_norm(features=2)
        self.assertTrue(layer.named_buffers())
        self.assertIn(layer.named_buffers()[0][0], layer.state_dict())

    def test_modules_know_their_parts(self):
        model = Perceptron()
        names = [name for name, _ in model.named_parameters()]
        self.assertEqual(
            names, ["first.weight", "first.bias", "rest.1.weight", "rest.1.bias", "scale"]
        )
        model.eval()
        self.assertFalse(model.rest[0].training)
        x = tenon.tensor([[1.0, 2.0, 3.0]])
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            self.same(again(x), model(x).tolist())
            self.assertFalse(again.rest[0].training)
            self.assertNotEqual(again.scale.storage, model.scale.storage)
        other = Perceptron().eval()
        other.load_state_dict(model.state_dict())
        self.same(other(x), model(x).tolist())

    def test_a_module_learns(self):
        tenon.seed(1)
        model = Perceptron().eval()
        x = tenon.normal(shape=[64, 3])
        wanted = x.sum(axes=1, keepdims=True)
        optimizer = tenon.optim.adam(model.parameters(), lr=0.02)
        losses = []
        for _ in range(200):
            loss = tenon.mse_loss(model(x), wanted)
            loss.backward()
            optimizer.step(clear_grad=True)
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.05 * losses[0])

    def test_refusals(self):
        layer = tenon.nn.linear(inputs=3, outputs=2)
        state = layer.state_dict()
        state["more"] = state.pop("bias")
        self.refused(ValueError, lambda: layer.load_state_dict(state), "missing ['bias']", "more")
        state = {"weight": tenon.full([1], 0.0), "bias": tenon.full([2], 0.0)}
        self.refused(ValueError, lambda: layer.load_state_dict(state), "weight", "(2, 3)")
        self.refused(tenon.OptionError, lambda: tenon.nn.linear(inputs=3), "outputs")
        self.refused(tenon.OptionError, lambda: tenon.nn.linear(inputs=3, outputs=2, size=1))
        self.refused(tenon.Error, lambda: layer(tenon.tensor([[1.0]])))
        self.refused(TypeError, lambda: layer(1.0), "tensors")
        self.refused(TypeError, lambda: tenon.nn.sequential(Perceptron()), "a Module")
        self.refused(tenon.UnsupportedError, lambda: layer.append(tenon.nn.dropout()))
        self.refused(NotImplementedError, lambda: tenon.nn.Module()(1), "forward")


class Files(Case):
    def test_tensors_return(self):
        tensors = {"a": tenon.tensor([[1.0, 2.0]]), "b": tenon.tensor([1, 2], tenon.int32)}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.safetensors"
            tenon.save(path, tensors, {"step": "7"})
            found, texts = tenon.load(path, metadata=True)
            self.assertEqual((sorted(found), texts), (["a", "b"], {"step": "7"}))
            self.same(found["a"], [[1.0, 2.0]])
            self.assertIs(found["b"].dtype, tenon.int32)
            self.assertTrue(found["a"].is_read_only)
            self.assertFalse(tenon.load(path, copy=True)["a"].is_read_only)
            os.remove(path)
            self.same(found["b"], [1, 2])  # the mapping lives on
            self.refused(tenon.FileError, lambda: tenon.load(path), "model.safetensors")
            self.refused(tenon.NotFoundError, lambda: tenon.save(f"{folder}/x.what", tensors))
            self.refused(TypeError, lambda: tenon.save(path, {"a": 1.0}), "a tensor")
            self.assertEqual(os.listdir(folder), [])

    def test_what_tenon_cannot_hold_is_listed(self):
        header = (
            b'{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},'
            b'"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},'
            b'"c\\u0000d":{"dtype":"U8","shape":[1],"data_offsets":[3,4]},'
            b'"c\\u0000e":{"dtype":"U8","shape":[1],"data_offsets":[4,5]},'
            b'"__metadata__":{"k\\u00001":"a\\u0000b","k\\u00002":""}}'
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.safetensors"
            path.write_bytes(len(header).to_bytes(8, "little") + header + b"xyzde")
            found, texts = tenon.load(path, metadata=True)
            self.assertEqual(list(found), ["a", "b", "c\0d", "c\0e"])
            self.assertEqual(texts, {"k\0001": "a\0b", "k\0002": ""})
            self.same(found["c\0e"], [ord("e")])
            foreign = found.pop("a")
            self.assertIsInstance(foreign, tenon.ForeignTensor)
            self.assertEqual(repr(foreign), "ForeignTensor('a', 'F8_E4M3', shape=(2,))")
            self.same(foreign.bytes(), [ord("x"), ord("y")])
            self.assertTrue(foreign.bytes().is_read_only)
            self.assertFalse(foreign.bytes(copy=True).is_read_only)
            self.refused(AttributeError, lambda: foreign.sum(), "not a tensor that Tenon can hold")
            self.refused(TypeError, lambda: tenon.add(foreign, 1), "ForeignTensor")
            self.refused(TypeError, lambda: tenon.save(path, {"a": foreign}), "ForeignTensor")
            self.assertIs(copy.copy(foreign), foreign)
            self.assertIs(copy.deepcopy({"a": foreign})["a"], foreign)
            self.refused(TypeError, lambda: pickle.dumps(foreign), "cannot be pickled", "bytes()")
            model = tenon.nn.linear(inputs=1, outputs=1)
            saved = {**model.state_dict(), "scale": foreign}
            self.assertEqual(model.load_state_dict(saved, strict=False), ([], ["scale"]))
            saved["bias"] = foreign
            self.refused(
                TypeError, lambda: model.load_state_dict(saved, strict=False), "bias", "F8_E4M3"
            )
            tenon.save(path, found, texts)
            again, texts = tenon.load(path, metadata=True)
            self.assertEqual(list(again), ["b", "c\0d", "c\0e"])
            self.assertEqual(texts, {"k\0001": "a\0b", "k\0002": ""})


class Capture(Case):
    def step(self, w, optimizer):
        def run(x):
            loss = ((x * w) * (x * w)).sum()
            loss.backward()
            optimizer.step(clear_grad=True)
            return loss

        return run

    def make(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        return w, tenon.optim.adam([w], lr=0.1)

    def test_replays_have_the_bits_of_eager_steps(self):
        batches = [tenon.tensor([float(i), 1.0]) for i in range(5)]
        w, optimizer = self.make()
        eager = [self.step(w, optimizer)(x).item() for x in batches]
        other, optimizer = self.make()
        plan = tenon.capture(self.step(other, optimizer), batches[0])
        replayed = [plan.results.item()] + [plan(x).item() for x in batches[1:]]
        self.assertEqual(replayed, eager)
        self.same(other, w.tolist())
        self.assertIn("tenon.mul", str(plan))
        self.refused(tenon.PlanShapeError, lambda: plan(tenon.tensor([1.0])))
        self.refused(TypeError, lambda: plan(1.0))

    def test_what_cannot_be_captured(self):
        x = tenon.tensor([1.0])
        self.refused(tenon.CaptureError, lambda: tenon.capture(lambda x: (x + 1).item(), x), "item")
        self.refused(ZeroDivisionError, lambda: tenon.capture(lambda x: 1 // 0, x))
        self.same(x + 1, [2.0])

    def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with tenon.profile(path) as recording:
                tenon.tensor([1.0]).exp()
                other = threading.Thread(target=lambda: tenon.tensor([1.0]).cos())
                other.start()
                other.join()
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
            self.assertEqual(json.loads(recording.json)["traceEvents"], events)
            rows = {each.get("name"): each["tid"] for each in events}
            self.assertNotEqual(rows["tenon.exp"], rows["tenon.cos"])


if __name__ == "__main__":
    unittest.main()
