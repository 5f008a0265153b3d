# SPDX-License-Identifier: Apache-2.0
# tests/python/random_steps_loose.py: rules of random_steps.py on tensors that nothing records.
"""A loose value lies in some root: memory of its own, an input, a buffer, a recorded value. A root
is frozen while a recorded op may have saved it: until the backward nothing writes there."""

import dataclasses

import random_steps_samples
from random_graphs import broadcast, size_of

FLOATS = ("float32", "float64", "float16", "bfloat16")
WHOLE = ("int64", "int32", "uint8", "bool")
ONE = (
    "tenon.sin({0})",
    "tenon.tanh({0})",
    "tenon.cos({0} * 1.7)",
    "tenon.sigmoid({0})",
    "tenon.erf({0}) + 0.25",
    "tenon.clamp({0}, -0.7, 0.6)",
    "tenon.relu({0})",
    "0.5 - {0} * 0.5",
)
TWO = (
    "tenon.sin({0} + {1})",
    "tenon.tanh({0} * {1})",
    "tenon.sin({0} - {1} * 0.3)",
    "tenon.maximum({0}, {1})",
    "tenon.atan2({0}, {1})",
    "tenon.where({0} > {1}, {0}, {1})",
    "tenon.lerp({0}, {1}, 0.3)",
)
ROWS = (
    "tenon.softmax({0}, axis=-1)",
    "tenon.tanh(tenon.cumsum({0}, axis=0))",
    "tenon.roll({0}, shifts=[1], axes=[0])",
    "tenon.layer_norm({0}, eps=0.1)",
    "tenon.sort({0}, axis=-1)",
)


@dataclasses.dataclass
class Loose:
    shape: tuple
    dtype: str
    root: str
    writable: bool = True
    wild: bool = False  # infinities or NaN may be in it: only for what it was made for


class LooseRules:
    # ---- names

    def add_loose(self, name, shape, dtype, root=None, writable=True):
        self.loose[name] = Loose(tuple(shape), dtype, root or f"own {name}", writable)

    def value(self, op, args, text, shape, dtype, root=None, writable=True):
        """One more loose value."""
        if size_of(shape) > 20_000 or len(shape) > 5:
            return
        name = self.new_name()
        self.say(op, args, text, name)
        self.add_loose(name, shape, dtype, root, writable)

    def pick_loose(self, fits=lambda each: True):
        """Later ones first."""
        names = [name for name, each in self.loose.items() if not each.wild and fits(each)]
        return names[-1 - int(self.rng.random() ** 1.5 * len(names))] if names else None

    def pick_float(self, more=lambda each: True):
        return self.pick_loose(lambda each: each.dtype in FLOATS and more(each))

    def pick_target(self, more=lambda each: True):
        return self.pick_float(
            lambda each: each.writable and each.root not in self.frozen and more(each)
        )

    def pick_like(self, x):
        """Of the dtype of x, and broadcast to its shape."""
        own = self.loose[x]
        return self.pick_loose(
            lambda each: each.dtype == own.dtype and broadcast(each.shape, own.shape) == own.shape
        )

    def add_loose_statement(self):
        self.rng.choice(self.loose_ruleset)()

    def new_input(self, shape, dtype=None, **given):
        from random_steps import Input

        name = f"y{len(self.step.inputs)}"
        layouts = ["", "", "offset", "reversed" if shape else ""]
        layouts.append("transposed" if len(shape) > 1 else "")
        dtype = dtype or self.rng.choice([self.step.dtype, self.step.dtype, *FLOATS])
        layout = "" if given else self.rng.choice(layouts)
        self.step.inputs[name] = Input(tuple(shape), dtype, layout, **given)
        self.add_loose(name, shape, dtype, f"input {name}")
        return name

    def new_buffer(self):
        name, shape = f"b{len(self.step.buffers)}", self.new_shape()
        self.step.buffers[name] = shape
        self.add_loose(name, shape, self.step.dtype, f"buffer {name}")
        if shape and self.rng.random() < 0.4:  # there all the time, too
            part = f"b{len(self.step.buffers)}"
            self.step.buffers[part] = f"{name}[{shape[0] // 2}:]"
            rest = (shape[0] - shape[0] // 2, *shape[1:])
            self.add_loose(part, rest, self.step.dtype, f"buffer {name}")

    # ---- values

    def loose_made(self):
        shape = self.new_shape()
        dtype = self.rng.choice([self.step.dtype, self.step.dtype, *FLOATS])
        text = self.rng.choice([
            f"tenon.zeros({list(shape)}, dtype='{dtype}')",
            f"tenon.full({list(shape)}, {self.number(-1, 1)}, '{dtype}')",
            f"tenon.empty({list(shape)}, dtype='{dtype}')",
        ])  # fmt: skip
        self.value("made", [], text, shape, dtype)

    loose_made_too = loose_made

    def loose_constant(self):
        """From Python's numbers."""
        count = self.rng.randint(1, 5)
        text = f"tenon.tensor({[self.number(-1, 1) for _ in range(count)]}, '{self.step.dtype}')"
        self.value("constant", [], text, (count,), self.step.dtype)

    def loose_one(self):
        x = self.pick_float()
        if x:
            own = self.loose[x]
            texts = ONE + ROWS if own.shape and size_of(own.shape) else ONE
            self.value("one", [x], self.rng.choice(texts), own.shape, own.dtype)

    loose_one_too = loose_one

    def loose_two(self):
        x = self.pick_float()
        y = x and self.pick_like(x)
        if y:
            own, pair = self.loose[x], self.rng.sample([x, y], 2)
            self.value("two", pair, self.rng.choice(TWO), own.shape, own.dtype)

    loose_two_too = loose_two

    def loose_reduced(self):
        x = self.pick_float(lambda each: len(each.shape) > 0 and size_of(each.shape) > 0)
        if x:
            own = self.loose[x]
            axis = self.rng.randrange(len(own.shape))
            op = self.rng.choice(["sum", "mean", "max", "logsumexp"])
            text = f"tenon.tanh(tenon.{op}({{0}}, axes=[{axis}]))"
            self.value("reduced", [x], text, own.shape[:axis] + own.shape[axis + 1 :], own.dtype)

    def loose_joined(self):
        x = self.pick_float(lambda each: len(each.shape) > 0)
        if x:
            own = self.loose[x]
            y = self.pick_loose(lambda each: (each.shape, each.dtype) == (own.shape, own.dtype))
            n = own.shape[0]
            if self.rng.random() < 0.4:
                self.value(
                    "pad", [x], f"tenon.concat([{{0}}, tenon.zeros_like({{0}})])[1:{n + 1}]",
                    own.shape, own.dtype,
                )  # fmt: skip
            else:
                text = "tenon.concat([{0}, {1}])"
                self.value("concat", [x, y], text, (2 * n, *own.shape[1:]), own.dtype)

    def loose_cast(self):
        x = self.pick_float()
        if x:
            dtype = self.rng.choice([*FLOATS, self.step.dtype])
            text = f"(tenon.sin({{0}}) * 3).astype('{dtype}')"
            self.value("cast", [x], text, self.loose[x].shape, dtype)

    def loose_whole(self):
        """Comparisons, and integers."""
        x = self.pick_float(lambda each: size_of(each.shape) > 0)
        if not x:
            return
        own = self.loose[x]
        forms = [("{0} > 0.1", own.shape, "bool"), ("tenon.isfinite({0})", own.shape, "bool"),
                 ("(tenon.sin({0}) * 9).astype('int32')", own.shape, "int32"),
                 ("tenon.abs(tenon.sin({0}) * 9).astype('uint8')", own.shape, "uint8")]  # fmt: skip
        if own.shape:
            rest = own.shape[:-1]
            forms += [("tenon.argmax({0}, axis=-1)", rest, "int64"),
                      ("tenon.argsort({0}, axis=-1)", own.shape, "int64")]  # fmt: skip
        self.value("whole", [x], *self.rng.choice(forms))

    loose_whole_too = loose_whole

    def loose_of_whole(self):
        x = self.pick_loose(lambda each: each.dtype in WHOLE)
        if not x:
            return
        own = self.loose[x]
        if own.dtype == "bool":
            y = self.pick_float(lambda each: broadcast(each.shape, own.shape) is not None)
            if not y:
                return
            shape = broadcast(self.loose[y].shape, own.shape)
            texts = ["tenon.where({0}, {1}, -{1} * 0.5)", "tenon.where(~{0}, 0.25, {1})"]
            if shape == self.loose[y].shape:
                texts.append("tenon.masked_fill({1}, {0}, 0.75)")
            return self.value("chosen", [x, y], self.rng.choice(texts), shape, self.loose[y].dtype)
        texts = ["{0} * 3 - 1", "tenon.bitwise_xor({0}, {0} + 1)", "tenon.maximum({0}, 2)"]
        if self.rng.random() < 0.5:
            return self.value("integers", [x], self.rng.choice(texts), own.shape, own.dtype)
        text = f"tenon.cos({{0}}.astype('{self.step.dtype}'))"
        self.value("of_integers", [x], text, own.shape, self.step.dtype)

    def loose_picked(self):
        """By indices that the step has computed."""
        x = self.pick_float(lambda each: len(each.shape) > 0 and size_of(each.shape) > 0)
        index = self.pick_loose(lambda each: each.dtype in ("int64", "int32"))
        if x and index:
            own, n = self.loose[x], self.loose[x].shape[0]
            shape = (*self.loose[index].shape, *own.shape[1:])
            self.value("picked", [x, index], f"{{0}}[tenon.abs({{1}}) % {n}]", shape, own.dtype)

    def loose_several(self):
        """Ops of several outputs, some of which nobody reads."""
        x = self.pick_float(lambda each: len(each.shape) > 0 and size_of(each.shape) > 0)
        if not x:
            return
        own = self.loose[x]
        n, k = own.shape[-1], self.rng.randint(1, own.shape[-1])
        names = [self.new_name(), self.new_name()]
        form = self.rng.choice(["topk", "split", "moments"])
        shape = (*own.shape[:-1], k)
        if form == "topk":
            text, made = f"tenon.topk({{0}}, {k})", [(shape, own.dtype), (shape, "int64")]
        elif form == "split":
            text = f"tenon.split({{0}}, sizes=[{k}, {n - k}], axis=-1)"
            made = [(shape, own.dtype), ((*own.shape[:-1], n - k), own.dtype)]
        else:
            text = "tenon.tanh({0}), tenon.cos({0})"
            made = [(own.shape, own.dtype)] * 2
        self.say(form, [x], text, ", ".join(names))
        for name, (shape, dtype) in zip(names, made, strict=True):
            root = own.root if form == "split" else None
            if self.rng.random() < 0.8:
                self.add_loose(name, shape, dtype, root, own.writable or not root)

    def loose_random(self):
        shape, dtype = self.new_shape(), self.rng.choice(["float32", "float64"])
        x = self.pick_float(lambda each: size_of(each.shape) > 0)
        forms = [
            ([], f"tenon.uniform({list(shape)}, dtype='{dtype}')", shape, dtype),
            ([], f"tenon.op.tenon.normal(shape={list(shape)}, dtype='{dtype}')", shape, dtype),
            ([], "tenon.random_integers([4], high=9)", (4,), "int64"),
            ([], "tenon.permutation(n=5)", (5,), "int64"),
        ]
        if x:
            own = self.loose[x]
            odds = "tenon.bernoulli(tenon.abs(tenon.sin({0})))"
            forms.append(([x], "tenon.dropout({0}, p=0.4)", own.shape, own.dtype))
            forms.append(([x], odds, own.shape, own.dtype))
        args, text, shape, dtype = self.rng.choice(forms)
        self.value("random", args, text, shape, dtype)

    # ---- views

    def loose_view(self):
        x = self.pick_loose(lambda each: len(each.shape) > 0)
        if not x:
            return
        own, shape = self.loose[x], self.loose[x].shape
        axis = self.rng.randrange(len(shape))
        n, begin = shape[axis], self.rng.randint(0, max(shape[axis] - 1, 0))
        before, after, dots = shape[:axis], shape[axis + 1 :], "{0}[" + ":, " * axis
        order = self.rng.sample(range(len(shape)), len(shape))
        wide = (self.rng.randint(2, 3), *shape)
        forms = [
            (f"{dots}{begin}:]", (*before, n - begin, *after), True),
            (f"{dots}:{begin}]", (*before, begin, *after), True),
            (f"{dots}::2]", (*before, (n + 1) // 2, *after), True),
            (f"{dots}::-1]", shape, True),
            (f"tenon.permute({{0}}, axes={order})", [shape[k] for k in order], True),
            ("{0}.reshape(-1)", (size_of(shape),), False),  # a copy, if there is no such view
            (f"{{0}}.unsqueeze({axis})", (*before, 1, n, *after), True),
            (f"tenon.expand({{0}}, shape={list(wide)})", wide, False),
        ]
        if n:
            forms.append((f"{dots}{begin}]", (*before, *after), True))
        text, new, writable = self.rng.choice(forms)
        self.value("view", [x], text, new, own.dtype, own.root, writable and own.writable)

    loose_view_too = loose_view
    loose_view_again = loose_view

    def loose_recorded(self):
        """What was recorded, read late: after its backward."""
        if self.done:
            node = self.rng.choice(self.done)
            root = f"shared {self.root_of(node.name)}"
            self.value(
                "recorded", [node.name], "{0}.detach()", node.shape, self.step.dtype, root, False
            )

    # ---- writes

    def loose_written(self):
        x = self.pick_target(lambda each: size_of(each.shape) > 0)
        y = x and self.pick_like(x)
        if not y:
            return
        own = self.loose[x]
        texts = ["{0} += {1}", "{0} *= 0.5", "{0} -= {1} * 0.25", "{0}[...] = {1}",
                 "tenon.sin({0}, out={0})", "tenon.tanh({0} + {1}, out={0})",
                 "tenon.masked_fill({0}, {0} > 0.2, 0.1, out={0})"]  # fmt: skip
        if self.loose[y].shape == own.shape:
            texts += ["tenon.mul({1}, {0}, out={0})", "tenon.cos({1}, out={0})",
                      "tenon.copy({1}, out={0})"] * 2  # fmt: skip
        self.say("written", [x, y], self.rng.choice(texts))
        self.note_written(x)

    loose_written_too = loose_written

    def loose_written_part(self):
        """The rest stays, and is read by whoever reads all."""
        x = self.pick_target(lambda each: len(each.shape) > 0 and each.shape[0] > 0)
        if not x:
            return
        own = self.loose[x]
        n = own.shape[0]
        begin = self.rng.randint(0, n - 1)
        end = self.rng.randint(begin + 1, n)
        part = (end - begin, *own.shape[1:])
        y = self.pick_loose(
            lambda each: each.dtype == own.dtype and broadcast(each.shape, part) == part
        )
        place = f"{{0}}[{begin}:{end}]"
        texts = [f"{place} = {self.number(-1, 1)}", f"{place} *= 0.5"]
        if n > 1:
            texts.append("{0}[1:] += {0}[:-1]")
        if y:
            texts += [f"{place} = {{1}}", f"{place} += {{1}}", f"{place} = tenon.sin({{1}})"]
            if self.loose[y].shape == part:
                texts += [f"tenon.sin({{1}}, out={place})"] * 2
        self.say("written_part", [x] + [y] * bool(y), self.rng.choice(texts))
        self.note_written(x)

    loose_written_part_too = loose_written_part
    loose_written_part_again = loose_written_part

    def note_written(self, x):
        root = self.loose[x].root
        if root.startswith("input "):
            self.step.written.add(root.removeprefix("input "))

    # ---- how long values live

    def loose_drop(self):
        """Values that nobody can read any more, perhaps but for a view."""
        local = self.local_names()
        kept = {arg for node in self.nodes for arg in node.args}
        names = [name for name in self.loose if name in local]
        names += [name for name in self.sizes if name in local and name in kept]
        if names:
            name = self.rng.choice(names)
            self.say("drop", [name], "del {0}")
            for known in (self.loose, self.sizes):
                known.pop(name, None)
            self.done = [node for node in self.done if node.name != name]

    loose_drop_too = loose_drop
    loose_drop_again = loose_drop

    def loose_keep(self):
        """The program holds it from run to run. Memory of an input it cannot: there are others."""
        local = self.local_names()
        names = [name for name in self.loose if name in local]
        names = [name for name in names if not self.of_input(self.loose[name].root)]
        names += [name for name in self.sizes if name in local]
        names = [name for name in names if name not in self.sizes or not self.of_input(name)]
        if names:
            name = self.rng.choice(names)
            shape = self.loose[name].shape if name in self.loose else self.sizes[name][0]
            texts = ["{0}", "{0}.detach()"]
            texts += ["{0}.detach()[..., 1:]", "{0}.detach()[..., :1]"] * (len(shape) > 0)
            self.say("keep", [name], f"kept.append({self.rng.choice(texts)})")

    def of_input(self, root):
        """Does a root, or a recorded value, lie in memory of an input?"""
        kind, _, name = root.rpartition(" ")
        return "input" in kind or kind in ("", "shared") and "input" in self.root_of(name)

    # ---- any op of the registry

    def loose_registry(self):
        """A sample of any op; operands come from what there is, or are inputs."""
        sample = random_steps_samples.pick(self.rng)
        names = [self.operand(each) for each in sample.tensors]
        outputs = [self.new_name() for _ in sample.outputs]
        text = sample.call([f"{{{k}}}" for k in range(len(names))])
        if any(each.dtype in FLOATS for each in sample.outputs):
            text = f"tame({text})"
        for name in names if sample.writes else ():
            self.note_written(name)
        self.say(sample.op, names, text, ", ".join(outputs))
        for name, out in zip(outputs, sample.outputs, strict=True):
            if self.rng.random() < 0.9:
                root = f"own {name}" if not sample.is_view else self.loose[names[0]].root
                self.add_loose(name, out.shape, out.dtype, root, not sample.is_view)

    loose_registry_too = loose_registry

    def operand(self, wanted):
        """The name of a tensor as a sample wants it."""
        x = None
        if wanted.values is None and wanted.dtype in FLOATS and self.rng.random() < 0.7:
            x = self.pick_float(lambda each: size_of(each.shape) > 0)
        if x is None:
            given = {"low": wanted.low, "high": wanted.high, "values": wanted.values}
            name = self.new_input(wanted.shape, wanted.dtype, **given)
            self.loose[name].wild = wanted.values is not None
            return name
        name = self.new_name()
        text = f"fit({{0}}, {list(wanted.shape)}, {wanted.low}, {wanted.high}, '{wanted.dtype}')"
        self.say("fit", [x], text, name)
        self.add_loose(name, wanted.shape, wanted.dtype)
        return name

    def registry_recorded(self):
        """A sample of an op with a gradient, on a recorded value; its sum goes on."""
        sample = random_steps_samples.pick(self.rng, with_gradient=True)
        x = self.pick(lambda shape, bound: size_of(shape) > 0)
        floats = [k for k, each in enumerate(sample.tensors) if each.dtype in FLOATS]
        free = [k for k in floats if sample.tensors[k].values is None]
        if x is None or not free:
            return None
        at, names = self.rng.choice(free), []
        for k, wanted in enumerate(sample.tensors):
            names.append(x if k == at else self.operand(wanted))
            if k != at:
                self.frozen.add(self.loose[names[-1]].root)
        each = sample.tensors[at]
        places = [f"{{{k}}}" for k in range(len(names))]
        places[at] = f"fit({{{at}}}, {list(each.shape)}, {each.low}, {each.high}, '{each.dtype}')"
        text = f"total({sample.call(places)}, '{self.step.dtype}')"
        return self.node(f"{sample.op} recorded", names, text, "", (), 1)
