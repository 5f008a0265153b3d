# SPDX-License-Identifier: Apache-2.0
# tests/python/test_plan_changes.py: whatever the package lets a program change after a step was
# captured: a plan refuses its next run and names it, a captured function captures once more, or
# the run does as the eager step does.
"""The table is derived: every public attribute of every class, and every function that is no op,
has a row here, stands among those that only read, or says why it cannot matter to a plan."""

import sys
import unittest

from support import Case, bits, build_folder, tenon


SIM = build_folder() / "sim_plugins"  # a second device
if (SIM / "tenon.sim/tenon.sim.so").exists():
    tenon.configure(plugin_paths=[SIM])


class Model(tenon.nn.Module):
    gain = 1.0

    def __init__(self):
        self.body = tenon.nn.sequential(
            tenon.nn.linear(inputs=2, outputs=2), tenon.nn.dropout(p=0.25)
        )
        self.heads = [tenon.nn.linear(inputs=2, outputs=2)]
        self.named = {"last": tenon.nn.linear(inputs=2, outputs=2)}
        self.scale, self.gain = 0.5, 2.0
        self.bias = tenon.tensor([0.25, -0.5], requires_grad=True)
        self.register_buffer("shift", tenon.tensor([1.0, 2.0]))
        self.whole = tenon.tensor([1, 3])
        self.calls, self.seen, self.history = 0, [], []

    def forward(self, x):
        self.calls += 1
        self.seen.append(self.calls)
        y = self.body(x)
        for head in self.heads:
            y = head(y)
        y = self.named["last"](y) * (self.scale * self.gain) * self.whole
        self.last = y.detach()
        return y + self.shift + self.bias + self.last * 0


class Run:
    """A model, its optimizer and its step."""

    def __init__(self):
        tenon.seed(3)
        self.model = Model()
        self.adamw = tenon.optim.adamw(self.model.parameters(), lr=0.125)
        self.weight = self.model.body[0].weight
        self.x = tenon.tensor([[0.5, -1.0], [2.0, 0.25]])

    def step(self, x):
        loss = tenon.square(self.model(x)).mean()
        loss.backward()
        tenon.clip_grad_norm(self.model.parameters(), 10.0)
        self.adamw.step(clear_grad=True)

    def values(self):
        return [bits(each.to("cpu")) for each in self.model.parameters()]


class Row:
    """change    what a program does, a function of a Run
    words     seen: what the refusal says; else why it takes effect
    undo      after which the plan runs again
    captures  False: the step cannot be captured, or run, after the change
    before    the capture
    """

    def __init__(self, name, change, words, *, seen, undo=None, captures=True, before=None):
        self.name, self.change, self.words, self.seen = name, change, words, seen
        self.undo, self.captures, self.before = undo, captures, before


ROWS = []


def seen(name, words, change, **more):
    ROWS.append(Row(name, change, words, seen=True, **more))


def taken(name, words, change, **more):
    ROWS.append(Row(name, change, words, seen=False, **more))


def setter(path, value):
    """A function that sets an attribute of a Run, "model.scale"."""
    *owners, last = path.split(".")

    def change(run):
        owner = run
        for each in owners:
            owner = getattr(owner, each)
        setattr(owner, last, value(run) if callable(value) else value)

    return change


def linear(_=None):
    tenon.seed(17)
    return tenon.nn.linear(inputs=2, outputs=2)


def unrecorded(change):
    def inside(run):
        with tenon.no_grad:
            change(run)

    return inside


# ---- modules and layers -------------------------------------------------------------------------

seen("Module.__setattr__", "scale of Model: expected 0.5, found 0.25",
     setter("model.scale", 0.25), undo=setter("model.scale", 0.5))  # fmt: skip
seen("Module.__setattr__", "body of Model: expected a Layer tenon.sequential, found another one",
     setter("model.body", lambda run: tenon.nn.sequential(linear())))  # fmt: skip
seen("Module.__setattr__", "bias of Model: expected a tensor float32[2], found another one",
     setter("model.bias", lambda run: tenon.tensor([1.0, 2.0], requires_grad=True)))  # fmt: skip
seen("Module.__setattr__", "heads of Model: expected 1 parts, found 2 parts",
     lambda run: run.model.heads.append(linear()),
     undo=lambda run: run.model.heads.pop())  # fmt: skip
seen("Module.__setattr__", "heads of Model: expected 1 parts, found others",
     lambda run: run.model.heads.__setitem__(0, linear()))  # fmt: skip
seen("Module.__setattr__", "named of Model: expected 1 parts, found others",
     lambda run: run.model.named.update(last=linear()))  # fmt: skip
seen("Module.__setattr__", "parts of Model: expected 5 parts, found 6 parts",
     setter("model.more", linear))  # fmt: skip
seen("Module.__setattr__", "forward of Model",
     setter("model.forward", lambda run: lambda x: run.model.body(x)))  # fmt: skip
taken("Module.__setattr__", "the step does not read it", setter("model.epoch", 3))
taken("Module.__setattr__", "the step does not read it",
      lambda run: run.model.history.append(0.5))  # fmt: skip
taken("Module.__setattr__", "the step sets it itself", lambda run: run.model(run.x))
seen("Module.__delattr__", "gain of Model: expected 2.0, found 1.0",
     lambda run: delattr(run.model, "gain"), undo=setter("model.gain", 2.0))  # fmt: skip
for _name, _change in {
    "Module.training": setter("model.training", False),
    "Module.train": lambda run: run.model.train(False),
    "Module.eval": lambda run: run.model.eval(),
}.items():
    seen(_name, "training of Model: expected True, found False", _change,
         undo=lambda run: run.model.train())  # fmt: skip
seen("Module.register_buffer", "shift of Model: expected a tensor float32[2], found another one",
     lambda run: run.model.register_buffer("shift", tenon.tensor([3.0, 4.0])))  # fmt: skip
seen("Module.requires_grad_", "requires_grad of the leaf f32[",
     lambda run: run.model.body.requires_grad_(False),
     undo=lambda run: run.model.body.requires_grad_())  # fmt: skip
taken("Module.load_state_dict", "values are read by each run",
      lambda run: run.model.load_state_dict(Run().model.state_dict()))  # fmt: skip
taken("Module.zero_grad", "the step leaves no gradients", lambda run: run.model.zero_grad())
seen("Layer.append", "children of tenon.sequential: expected 2 parts, found 3 parts",
     lambda run: run.model.body.append(linear()))  # fmt: skip
seen("Layer.__setattr__", "number of replaced tensors of a layer tenon.linear = 0, which is 1 now",
     lambda run: setattr(run.model.body[0], "weight", linear().weight))  # fmt: skip
for _name, _change in {
    "Layer.__setattr__": lambda run: setattr(run.model.body[1], "training", False),
    "Layer.train": lambda run: run.model.body[1].train(False),
    "Layer.eval": lambda run: run.model.body[1].eval(),
}.items():
    seen(_name, "training of tenon.dropout: expected True, found False", _change,
         undo=lambda run: run.model.body[1].train())  # fmt: skip
seen("Layer.requires_grad_", "requires_grad of the leaf f32[2,2] = true, which is false now",
     lambda run: run.model.body[0].requires_grad_(False),
     undo=lambda run: run.model.body[0].requires_grad_())  # fmt: skip
taken("Layer.load_state_dict", "values are read by each run",
      lambda run: run.model.body.load_state_dict(Run().model.body.state_dict()))  # fmt: skip
taken("Layer.zero_grad", "the step leaves no gradients", lambda run: run.model.body.zero_grad())
seen("Layer.to", "moved to another device", lambda run: run.model.body.to("sim"), captures=False)

# ---- optimizers ---------------------------------------------------------------------------------

seen("Optimizer.__setattr__", '"weight_decay" of tenon.adamw = 0.01, which is 0.25 now',
     setter("adamw.weight_decay", 0.25), undo=setter("adamw.weight_decay", 0.01))  # fmt: skip
taken("Optimizer.__setattr__", "the learning rate is a tensor", setter("adamw.lr", 0.5))
taken("Optimizer.step", "values and states are read by each run",
      lambda run: (tenon.seed(11), run.step(run.x)))  # fmt: skip
taken("Optimizer.zero_grad", "the step leaves no gradients", lambda run: run.adamw.zero_grad())
taken("Optimizer.load_state_dict", "values are read by each run",
      lambda run: run.adamw.load_state_dict(stepped().adamw.state_dict()))  # fmt: skip
seen("ParamGroup.__setitem__", '"eps" of tenon.adamw',
     lambda run: run.adamw.param_groups[0].__setitem__("eps", 0.5))  # fmt: skip
taken("ParamGroup.__setitem__", "the learning rate is a tensor",
      lambda run: run.adamw.param_groups[0].__setitem__("lr", 0.5))  # fmt: skip


def stepped():
    run = Run()
    tenon.seed(12)
    run.step(run.x)
    return run


# ---- tensors ------------------------------------------------------------------------------------

_LEAF = "requires_grad of the leaf f32[2,2] = true, which is false now"
seen("Tensor.requires_grad", _LEAF, setter("weight.requires_grad", False),
     undo=setter("weight.requires_grad", True))  # fmt: skip
seen("Tensor.requires_grad", "requires_grad of the leaf f32[2] = false, which is true now",
     setter("model.shift.requires_grad", True),
     undo=setter("model.shift.requires_grad", False))  # fmt: skip
seen("Tensor.requires_grad_", _LEAF, lambda run: run.weight.requires_grad_(False))
for _name in ("add_hook", "register_hook"):
    seen(f"Tensor.{_name}", "a hook was begun on the gradient of the leaf f32[2,2] after",
         lambda run, name=_name: setattr(run, "end", getattr(run.weight, name)(lambda grad: None)),
         undo=lambda run: getattr(run.end, "remove", run.end)(), captures=False)  # fmt: skip
seen("Tensor.grad", "had none, and now it has one",
     setter("weight.grad", lambda run: tenon.full([2, 2], 1.0)),
     undo=setter("weight.grad", None), captures=False)  # fmt: skip
seen("Tensor.backward", "had none, and now it has one",
     lambda run: run.model(run.x).sum().backward(),
     undo=lambda run: run.adamw.zero_grad(), captures=False)  # fmt: skip

_VALUES = "values are read by each run"
_ONES = [[1.0, 1.0], [1.0, 1.0]]
_WRITES = {
    "__setitem__": lambda x: x.__setitem__(0, 7.0),
    "__iadd__": lambda x: x.__iadd__(1), "__isub__": lambda x: x.__isub__(1),
    "__imul__": lambda x: x.__imul__(2), "__itruediv__": lambda x: x.__itruediv__(2),
    "__ifloordiv__": lambda x: x.__ifloordiv__(0.25), "__imod__": lambda x: x.__imod__(0.25),
    "__ipow__": lambda x: x.__ipow__(2),
    "fill_": lambda x: x.fill_(3.0), "zero_": lambda x: x.zero_(), "fill": lambda x: x.fill(2.0),
    "copy_": lambda x: x.copy_(tenon.tensor(_ONES)),
    "normal_": lambda x: (tenon.seed(8), x.normal_()),
    "uniform_": lambda x: (tenon.seed(8), x.uniform_()),
    "scatter_": lambda x: x.scatter_(0, tenon.tensor([[0, 1]]), 5.0),
    "scatter_add_": lambda x: x.scatter_add_(0, tenon.tensor([[0, 1]]), tenon.tensor([[5.0, 6.0]])),
    "index_add_": lambda x: x.index_add_(0, tenon.tensor([1]), tenon.tensor([[5.0, 6.0]])),
    "index_copy_": lambda x: x.index_copy_(0, tenon.tensor([1]), tenon.tensor([[5.0, 6.0]])),
    "index_put_": lambda x: x.index_put_((tenon.tensor([1]),), tenon.tensor([5.0, 6.0])),
    "index_fill_": lambda x: x.index_fill_(0, tenon.tensor([1]), 4.0),
    "masked_fill_": lambda x: x.masked_fill_(tenon.tensor([True, False]), 4.0),
    "relu_": lambda x: x.relu_(),
}  # fmt: skip
for _name, _change in _WRITES.items():
    taken(f"Tensor.{_name}", _VALUES, unrecorded(lambda run, change=_change: change(run.weight)))
for _name in ("and", "or", "xor", "lshift", "rshift"):
    taken(f"Tensor.__i{_name}__", _VALUES,
          lambda run, name=f"__i{_name}__": getattr(run.model.whole, name)(1))  # fmt: skip

# ---- functions ----------------------------------------------------------------------------------

taken("seed", "random numbers are drawn by each run", lambda run: None)  # each row sets one
taken("manual_seed", "random numbers are drawn by each run", lambda run: None)
taken("set_rng_state", "random numbers are drawn by each run", lambda run: None)
for _name in ("set_threads", "set_num_threads"):
    taken(_name, "the bits are those of any number",
          lambda run, name=_name: getattr(tenon, name)(1),
          undo=lambda run: tenon.set_threads(0))  # fmt: skip
taken("release_cache", "what is in use stays", lambda run: tenon.release_cache())
seen("fast_arithmetic", "the arithmetic policy of the context = fast, which is canonical now",
     lambda run: tenon.fast_arithmetic(False), before=lambda: tenon.fast_arithmetic(),
     undo=lambda run: tenon.fast_arithmetic())  # fmt: skip
seen("backward", "had none, and now it has one",
     lambda run: tenon.backward(run.model(run.x).sum()), captures=False)  # fmt: skip
for _name in ("guard_finite", "serial"):
    taken(_name, "a run is watched as the step is",
          lambda run, name=_name: getattr(tenon, name).__enter__(),
          undo=lambda run, name=_name: getattr(tenon, name).__exit__())  # fmt: skip

_INPUTS = "batches are inputs of the plan"
_MODES = "what needs gradients was decided by the capture; a captured function captures once more"
CANNOT = {
    "Module.apply": "what the function does has rows of its own",
    "Layer.apply": "what the function does has rows of its own",
    "Module.to": "Layer.to of what is in it",
    "Module.set_cache": "seen where a cache would be used: tests/layers",
    "Layer.set_cache": "seen where a cache would be used: tests/layers",
    "Module.crop_cache": "a layer whose cache would be used is not captured",
    "Layer.crop_cache": "a layer whose cache would be used is not captured",
    "Schedule.advance": "it gives a number, which the program sets",
    "Schedule.load_state_dict": "it gives a number, which the program sets",
    "Tensor.retain_grad": "refused where a captured backward would not see it: tests/layers",
    "Tensor.detach_": "refused",
    "Tensor.__delitem__": "refused",
    "configure": "refused once the runtime has started",
    "capture": "each capture makes a plan of its own",
    "captured": "each capture makes a plan of its own",
    "clip_grad_norm": "the step leaves no gradients",
    "custom_op": "it makes an op of a new name",
    "no_grad": _MODES,
    "enable_grad": _MODES,
    "inference": _MODES,
    "inference_mode": _MODES,
}
# Classes of which nothing can.
CANNOT_CLASSES = {
    "Batches": _INPUTS, "Dataset": _INPUTS, "Tokenizer": _INPUTS, "Transform": _INPUTS,
    "History": "it is what a program has noted", "Dtype": "it is a constant", "Op": "it is called",
    "ForeignTensor": "it is read before a step",
    "finfo": "it is a constant", "iinfo": "it is a constant",
    "op_log": "a run is printed as the step is", "profile": "a run is recorded as the step is",
    "scope": "scopes name what runs",
    "Group": "what transfers write are values, which are read by each run",
    "Transfer": "what transfers write are values, which are read by each run",
    "Shard": "it is a part of the step",
    "DataParallel": "it is a part of the step; sharing states later is seen: tests/processes",
}  # fmt: skip

# They change nothing.
READS = {
    "Module": "buffers children forward modules named_buffers named_children named_modules "
    "named_parameters parameters state_dict",
    "Layer": "buffers children modules named_buffers named_children named_modules "
    "named_parameters parameters state_dict",
    "Optimizer": "state_dict",
    "ParamGroup": "get items keys values",
    "Schedule": "state_dict",
    "Tensor": "item info detach shape strides ndim size dtype data_ptr is_contiguous is_read_only "
    "is_leaf has_grad_rows version storage node to clone contiguous view permute expand tolist "
    "numpy to_device grad_rows device T",
    "": "asarray draw from_dlpack full get_default_dtype get_rng_state grad gradcheck info load "
    "plugins query save stats tensor value_and_grad",
}
READS = {(f"{owner}." if owner else "") + name for owner in READS for name in READS[owner].split()}
_SPECIAL = {"__setattr__", "__delattr__", "__setitem__", "__delitem__"}


def offered():
    """Names of all that the package offers and that might change something."""
    from tenon import _names, data, nn, optim, processes, schedules

    found = set()
    for module in (tenon, data, nn, optim, processes, schedules):
        for name in dir(module):
            value = getattr(module, name)
            if not isinstance(value, type) or issubclass(value, BaseException):
                continue
            if value is tenon.Tensor:
                continue
            members = {each for kind in value.__mro__[:-1] for each in vars(kind)}
            own = {each for each in members if not each.startswith("_") or each in _SPECIAL}
            found |= {f"{value.__name__}.{each}" for each in own}
    made_of_ops = {*_names.FUNCTIONS, *_names.ALIASES}
    for name in {*vars(tenon.Tensor), *_names.METHODS}:
        if isinstance(vars(tenon.Tensor).get(name), tenon.Op):
            continue
        in_place = name in _SPECIAL or name.startswith("__i") and f"__{name[3:]}" in OPERATORS
        if in_place or name.endswith("_") and not name.startswith("_"):
            found.add(f"Tensor.{name}")
        elif not name.startswith("_") and name not in made_of_ops and name not in _names.METHODS:
            found.add(f"Tensor.{name}")
    found |= {"Tensor.fill", "Tensor.register_hook", "manual_seed"}
    for name in dir(tenon):
        value = getattr(tenon, name)
        if name.startswith("_") or not callable(value) or isinstance(value, (type, tenon.Op)):
            continue
        if name not in made_of_ops:
            found.add(name)
    return found


OPERATORS = {
    f"__{name}__" for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
    .split()
}  # fmt: skip


class Changes(Case):
    def tearDown(self):
        tenon.fast_arithmetic(False)

    def eager(self, row):
        """What the step leaves if it was run, the change made, and run again."""
        run = Run()
        tenon.seed(5)
        run.step(run.x)
        if row.change:
            row.change(run)
        tenon.seed(6)
        run.step(run.x)
        if row.undo:
            row.undo(run)
        return run.values()

    def capture(self, row, make):
        if row.before:
            row.before()
        run = Run()
        tenon.seed(5)
        plan = make(run.step, run.x)
        row.change(run)
        return run, plan

    def plan(self, row):
        run, plan = self.capture(row, tenon.capture)
        before = run.values()
        tenon.seed(6)
        if row.seen:
            error = self.refused(tenon.StateError, plan, row.words)
            self.assertTrue(error.hint)
            self.assertEqual(run.values(), before)
        else:
            plan()
        if row.undo:
            found = run.values()
            row.undo(run)
            plan()
            return found
        return run.values()

    def function(self, row):
        def make(step, x):
            captured = tenon.captured(step)
            captured(x)
            return captured

        run, captured = self.capture(row, make)
        plan = captured.plans[-1]
        tenon.seed(6)
        captured(run.x)
        self.assertEqual(captured.plans[-1] is not plan, row.seen, "captured once more")
        if row.undo:
            row.undo(run)
        return run.values()

    def test_they_are_seen_or_take_effect(self):
        for row in ROWS:
            with self.subTest(row.name, words=row.words):
                if row.name == "Layer.to" and not (SIM / "tenon.sim/tenon.sim.so").exists():
                    self.skipTest("there is one device alone")
                found = self.plan(row)
                if not row.captures:
                    continue
                tenon.fast_arithmetic(False)
                expected = self.eager(row)
                self.assertEqual(self.function(row), expected)
                if not row.seen:
                    self.assertEqual(found, expected)
            tenon.fast_arithmetic(False)

    def test_the_table_has_all_that_is_offered(self):
        table = {}
        for row in ROWS:
            outcome = "seen" if row.seen else "takes effect"
            table.setdefault(row.name, []).append(f"{outcome}: {row.words}")
        for name, why in CANNOT.items():
            self.assertNotIn(name, table)
            table[name] = [f"cannot matter: {why}"]
        names = offered()
        for name in sorted(names):
            kind = name.partition(".")[0]
            if kind in CANNOT_CLASSES and "." in name:
                table.setdefault(kind, [f"cannot matter: {CANNOT_CLASSES[kind]}"])
                continue
            has = name in table
            self.assertNotEqual(has, name in READS, f"{name} has {'a' if has else 'no'} row")
        known = names | set(CANNOT_CLASSES) | {"Tensor.relu_"}
        self.assertEqual(set(table) - known, set(), "rows of what there is not")
        self.assertEqual(READS - names, set(), "names of what there is not")
        if "-v" in sys.argv:
            for name, outcomes in table.items():
                print(*(f"{name} | {each}" for each in outcomes), sep="\n")


if __name__ == "__main__":
    unittest.main()
