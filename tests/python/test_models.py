# SPDX-License-Identifier: Apache-2.0
# tests/python/test_models.py: layers of several inputs and outputs, and what a model knows of its
# parts.
import copy
import functools
import pathlib
import pickle
import tempfile
import unittest

from support import Case, build_folder, run_python, tenon

nn = tenon.nn
PLUGINS = build_folder() / "test_plugins/python"
SIM = build_folder() / "sim_plugins"


class Norm(nn.Module):
    def __init__(self, width):
        self.scale = tenon.tensor([1.0] * width, requires_grad=True)
        self.register_buffer("mean", tenon.full([width], 0.5))
        self.note = tenon.full([width], 9.0)  # neither parameter nor buffer

    def forward(self, x):
        return (x - self.mean) * self.scale


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.sequential(
            nn.linear(inputs=2, outputs=3), nn.activation(op="tenon.relu"), nn.dropout(p=0.5)
        )
        self.norm = Norm(3)
        self.heads = {"a": nn.linear(inputs=3, outputs=1), "b": [nn.linear(inputs=3, outputs=1)]}

    def forward(self, x):
        x = self.norm(self.body(x))
        return self.heads["a"](x) + self.heads["b"][0](x)


NAMES = ["body.0.weight", "body.0.bias", "norm.scale", "heads.a.weight", "heads.a.bias"]
NAMES += ["heads.b.0.weight", "heads.b.0.bias"]


class Modules(Case):
    def test_names(self):
        model = Model()
        self.assertEqual([name for name, _ in model.named_parameters()], NAMES)
        self.assertEqual([name for name, _ in model.named_buffers()], ["norm.mean"])
        self.assertEqual(list(model.state_dict()), [*NAMES[:3], "norm.mean", *NAMES[3:]])
        self.assertEqual(len(model.parameters()), len(NAMES))
        self.assertEqual(len(model.buffers()), 1)
        names = [name for name, _ in model.named_children()]
        self.assertEqual(names, ["body", "norm", "heads.a", "heads.b.0"])
        names = [name for name, _ in model.named_modules()]
        inner = ["body.0", "body.1", "body.2"]
        self.assertEqual(names, ["", "body", *inner, "norm", "heads.a", "heads.b.0"])
        self.assertIs(model.modules()[0], model)

    def test_frozen_parameters_stay_parameters(self):
        model = Norm(2)
        model.requires_grad_(False)
        self.assertFalse(model.scale.requires_grad)
        self.assertEqual(list(model.state_dict()), ["scale", "mean"])
        model.requires_grad_()
        self.assertTrue(model.scale.requires_grad)
        layer = nn.linear(inputs=1, outputs=1).requires_grad_(False)
        self.assertFalse(layer(tenon.full([1, 1], 1.0)).requires_grad)

    def test_what_is_held_twice_is_trained_once(self):
        class Tied(nn.Module):
            def __init__(self):
                self.first = nn.linear(inputs=2, outputs=2)
                self.again = self.first
                self.weight = tenon.tensor([1.0], requires_grad=True)
                self.alias = self.weight

        model = Tied()
        names = [name for name, _ in model.named_parameters()]
        self.assertEqual(names, ["first.weight", "first.bias", "weight"])
        self.assertEqual(len(model.state_dict()), 6)
        self.assertEqual(len(model.modules()), 2)
        tenon.optim.sgd(model.parameters(), lr=0.1).zero_grad()
        again = copy.deepcopy(model)
        self.assertIs(again.first, again.again)
        self.assertIs(again.weight, again.alias)

    def test_training_and_evaluation(self):
        class Fixed(Norm):
            def train(self, wanted=True):
                return super().train(False)

        model = Model()
        model.fixed = Fixed(3)
        self.assertIs(model.eval(), model)
        self.assertFalse(any(module.training for module in model.modules()))
        model.train()
        states = {name: module.training for name, module in model.named_modules()}
        self.assertFalse(states.pop("fixed"))
        self.assertTrue(all(states.values()))
        self.assertTrue(model.body[2].training)

    def test_copies_have_tensors_of_their_own(self):
        model = Model().eval()
        model.norm.mean += 1.0
        x = tenon.tensor([[1.0, 2.0]])
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            self.same(again(x), model(x).tolist())
            self.assertEqual(list(again.state_dict()), list(model.state_dict()))
            for (_, mine), (_, theirs) in zip(
                again.named_buffers(), model.named_buffers(), strict=True
            ):
                self.assertNotEqual(mine.storage, theirs.storage)
            self.assertFalse(again.body.training)
            for mine, theirs in zip(again.parameters(), model.parameters(), strict=True):
                self.assertTrue(mine.requires_grad)
                self.assertNotEqual(mine.storage, theirs.storage)
        flat = copy.copy(model.norm)
        flat.register_buffer("more", tenon.full([1], 1.0))
        self.assertEqual([name for name, _ in model.norm.named_buffers()], ["mean"])
        self.assertEqual([name for name, _ in flat.named_buffers()], ["mean", "more"])

    def test_states_go_through_files(self):
        model, other = Model().eval(), Model().eval()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.safetensors"
            tenon.save(path, model.state_dict())
            self.assertEqual(other.load_state_dict(tenon.load(path)), ([], []))
        x = tenon.tensor([[1.0, 2.0]])
        self.same(other(x), model(x).tolist())

    def test_states_that_do_not_fit(self):
        model = Norm(2)
        saved = {"mean": tenon.full([2], 3.0), "other": tenon.full([1], 1.0)}
        self.refused(ValueError, lambda: model.load_state_dict(saved), "missing ['scale']", "other")
        self.same(model.mean, [0.5, 0.5])
        missing, unknown = model.load_state_dict(saved, strict=False)
        self.assertEqual((missing, unknown), (["scale"], ["other"]))
        self.same(model.mean, [3.0, 3.0])
        saved["mean"] = tenon.full([3], 3.0)
        self.refused(ValueError, lambda: model.load_state_dict(saved, strict=False), "(2,)", "(3,)")
        for wrong, right in (("mean", "scale"), ("scale", "mean")):
            saved = {right: tenon.full([2], 7.0), wrong: tenon.full([3], 7.0)}
            before = {name: model.state_dict()[name].tolist() for name in (wrong, right)}
            load = functools.partial(model.load_state_dict, saved)
            self.refused(ValueError, load, "(2,)", "(3,)")
            for name, values in before.items():
                self.same(model.state_dict()[name], values)

    def test_what_cannot_be_written_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mean.safetensors"
            tenon.save(path, {"mean": tenon.zeros(2)})
            for mean, words in (
                (tenon.load(path)["mean"], ("mean", "read-only memory", "copy=True")),
                (tenon.zeros(1).expand([2]), ("mean", "one address for each element", "clone()")),
            ):
                model = Norm(2)
                model.register_buffer("mean", mean)
                saved = {"scale": tenon.full([2], 7.0), "mean": tenon.full([2], 7.0)}
                self.refused(
                    tenon.AliasError, lambda m=model, s=saved: m.load_state_dict(s), *words
                )
                self.same(model.scale, [1.0, 1.0])
                self.same(model.mean, [0.0, 0.0])
                del model, mean

    def test_values_of_each_other(self):
        model = nn.sequential(*[nn.linear(inputs=1, outputs=1, bias=False) for _ in range(3)])
        for place, layer in enumerate(model):
            layer.load_state_dict({"weight": tenon.full([1, 1], float(place))})
        now = model.state_dict()
        model.load_state_dict({f"{place}.weight": now[f"{place - 1 if place else 2}.weight"]
                               for place in range(3)})  # fmt: skip
        self.assertEqual([layer.weight.item() for layer in model], [2.0, 0.0, 1.0])

    def test_copies_draw_no_random_numbers(self):
        model = Model()
        before = tenon.get_rng_state()
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            self.assertEqual(tenon.get_rng_state(), before)
            del again

    def test_apply(self):
        model, seen = Model(), []
        self.assertIs(model.apply(lambda module: seen.append(module)), model)
        self.assertIs(seen[-1], model)
        self.assertEqual({id(each) for each in seen}, {id(each) for each in model.modules()})

    def test_repr(self):
        text = repr(Model())
        self.assertIn("<Model:\n  body: <layer tenon.sequential():\n    0: <layer", text)
        self.assertIn("\n  norm: <Norm>\n  heads.a: <layer tenon.linear", text)

    def test_refusals(self):
        model = nn.Module()
        self.refused(TypeError, lambda: model.register_buffer("x", 1.0), "x", "a tensor")
        x = tenon.tensor([1.0], requires_grad=True)
        self.refused(TypeError, lambda: model.register_buffer("x", x), "requires a gradient")
        self.assertFalse(hasattr(model, "x"))


class Layers(Case):
    def test_tensors_are_attributes(self):
        layer = nn.linear(inputs=2, outputs=3)
        self.assertEqual((layer.weight.shape, layer.bias.shape), ((3, 2), (3,)))
        layer(tenon.full([1, 2], 1.0)).sum().backward()
        self.same(layer.weight.grad, [[1.0, 1.0]] * 3)
        self.refused(AttributeError, lambda: layer.wait, "'wait'")
        self.assertFalse(hasattr(nn.dropout(), "weight"))

    def test_containers(self):
        parts = [nn.linear(inputs=2, outputs=3), nn.dropout()]
        model = nn.sequential(*parts)
        self.assertEqual(list(model), parts)
        self.assertIs(model[-1], parts[1])
        self.assertEqual((len(model), bool(model), bool(parts[0])), (2, True, True))
        self.assertEqual([name for name, _ in model.named_modules()], ["", "0", "1"])
        self.assertEqual(model.children(), parts)

    @unittest.skipUnless((PLUGINS / "acme.cells").exists(), "the tests' plugins are not built")
    def test_several_inputs_and_outputs(self):
        done = run_python(
            "import copy, tenon\n"
            "cell = tenon.nn.acme.elman(inputs=3, width=2)\n"
            "x, w, u = tenon.full([4, 3], 1.0), cell.weight, cell.recurrent\n"
            "y, state = cell(x)\n"
            "assert (state == (x @ w.T).tanh()).all().item()\n"
            "y, state = cell(x, state)\n"
            "assert (y == state * 2.0).all().item() and state.shape == (4, 2)\n"
            "(y + state).sum().backward()\n"
            "assert w.grad.shape == (2, 3) and u.grad.shape == (2, 2)\n"
            "same, _ = copy.deepcopy(cell)(x, None)\n"
            "assert (same == cell(x)[0]).all().item()\n"
            "class Net(tenon.nn.Module):\n"
            "    def __init__(self): self.cell = cell\n"
            "    def forward(self, steps):\n"
            "        state = None\n"
            "        for x in steps: y, state = self.cell(x, state)\n"
            "        return y\n"
            "assert Net()([x, x, x]).shape == (4, 2)\n"
            "joined = tenon.nn.sequential(cell)\n"
            "for wrong in (cell, lambda: cell(x, x, x), lambda: joined(x)):\n"
            "    try: wrong()\n"
            "    except tenon.ArgumentError as error: print(error.operand)\n",
            TENON_PLUGIN_PATH=str(PLUGINS),
        )
        self.assertEqual((done.stdout, done.stderr), ("inputs\ninputs\noutputs\n", ""))


class Moves(Case):
    @unittest.skipUnless((SIM / "tenon.sim/tenon.sim.so").exists(), "tenon.sim is not built")
    def test_to_another_device(self):
        done = run_python(
            "import tenon\n"
            "layer = tenon.nn.sequential(tenon.nn.linear(inputs=3, outputs=2))\n"
            "class Net(tenon.nn.Module):\n"
            "    def __init__(self): self.body = layer\n"
            "    def forward(self, x): return self.body(x)\n"
            "net, weight = Net(), layer[0].weight\n"
            "rule = tenon.optim.adam(net.parameters(), lr=0.1)\n"
            "for device in ('cpu', 'sim', 'sim', 'cpu'):\n"
            "    assert net.to(device) is net\n"
            "    net(tenon.full([1, 3], 1.0).to(device)).sum().backward()\n"
            "    rule.step()\n"
            "    print(weight.device, layer[0].weight.device, weight.grad.device)\n"
            "layer.to('sim')\n"
            "net.scale = tenon.tensor([1.0], requires_grad=True)\n"
            "try: net.to('cpu')\n"
            "except ValueError as error: print(error)\n"
            "try: layer.to('nowhere')\n"
            "except tenon.NotFoundError: print(weight.device)\n",
            TENON_PLUGIN_PATH=str(SIM),
        )
        there = [f"{place} {place} {place}" for place in ("cpu", "sim:0", "sim:0", "cpu")]
        words = "expected layers of the registry alone, found tensors of the Module's own: scale"
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines()[:4], there)
        self.assertIn(words, done.stdout.splitlines()[4])
        self.assertEqual(done.stdout.splitlines()[-1], "sim:0")

    @unittest.skipUnless((SIM / "tenon.sim/tenon.sim.so").exists(), "tenon.sim is not built")
    def test_values_from_another_device(self):
        done = run_python(
            "import copy, pickle, tenon\n"
            "layer = tenon.nn.linear(inputs=2, outputs=1).to('sim')\n"
            "here = tenon.zeros(1)\n"
            "print(pickle.loads(pickle.dumps(here)).device, here.device)\n"
            "saved = {'weight': tenon.ones(1, 2), 'bias': here.to('sim')}\n"
            "layer.load_state_dict(saved)\n"
            "print(layer.weight.device, layer.weight.to('cpu').tolist())\n"
            "layer.to('cpu').load_state_dict(copy.deepcopy(saved))\n"
            "print(layer.bias.device, layer.bias.tolist())\n"
            "layer.to('sim')\n"
            "rule = tenon.optim.adam(layer.parameters(), lr=0.1)\n"
            "for duplicate in (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))):\n"
            "    rest = []\n"
            "    for each, its in (duplicate((layer, rule)), (layer, rule)):\n"
            "        for _ in range(2):\n"
            "            each(tenon.ones(1, 2).to('sim')).sum().backward()\n"
            "            its.step(clear_grad=True)\n"
            "        rest.append(each.weight.to('cpu').tolist())\n"
            "    print(each.weight.device, rest[0] == rest[1])\n",
            TENON_PLUGIN_PATH=str(SIM),
        )
        expected = "cpu cpu\nsim:0 [[1.0, 1.0]]\ncpu [0.0]\n" + "sim:0 True\n" * 2
        self.assertEqual((done.stdout, done.stderr), (expected, ""))


if __name__ == "__main__":
    unittest.main()
