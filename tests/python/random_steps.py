# SPDX-License-Identifier: Apache-2.0
# tests/python/random_steps.py: steps that treat memory in every way there is, drawn from a seed.
"""A step is a list of statements. Those of random_graphs.py compute gradients; beside them stand
statements on tensors that nothing records ("loose" ones): views that outlive their base, writes
into all or a part of a temporary, a buffer or an input, values that are kept, dropped or never
used, random numbers, other dtypes, any op of the registry. What Python holds when the step ends,
and what happens between two runs, is drawn as well. random_steps_run.py runs them.

Only eager and captured runs are compared: no number has to be near any other, but NaN hides what
is wrong, so values are kept small.
"""

import dataclasses
import random

from random_graphs import Drawing, Node, size_of
from random_steps_loose import LooseRules

ROUNDS = 4  # of a step: the first one is captured, the others are replays
# Of these optimizers rows do what dense gradients do.
OF_ROWS = [("sgd", {"lr": 0.05}), ("adagrad", {"lr": 0.05})]
OPTIMIZERS = [
    *OF_ROWS,
    ("sgd", {"lr": 0.05, "momentum": 0.9}),
    ("adam", {"lr": 0.01}),
    ("adamw", {"lr": 0.01, "weight_decay": 0.1}),
    ("rmsprop", {"lr": 0.01}),
    ("lion", {"lr": 0.01}),
    ("nadam", {"lr": 0.01}),
]
# Recorded ops whose result may be a view of their first operand.
VIEWS = {
    "first", "stepped", "reversed", "taken", "permute", "reshape", "unsqueeze", "expand",
    "diagonal", "unfold", "detach", "flip",
}  # fmt: skip
TAKES_ROWS = {"embedding", "index", "index_select"}


@dataclasses.dataclass
class Input:
    """layout: "", "transposed", "offset" (a part of a larger tensor), "reversed" or "expanded";
    `values` stay from run to run, others are drawn anew."""

    shape: tuple
    dtype: str
    layout: str = ""
    low: float = -1.5
    high: float = 1.5
    values: list | None = None
    leaf: bool = False  # it requires a gradient


@dataclasses.dataclass
class Step:
    seed: int
    dtype: str
    threads: int = 1
    leaves: dict = dataclasses.field(default_factory=dict)  # name: shape
    inputs: dict = dataclasses.field(default_factory=dict)  # name: Input
    indices: dict = dataclasses.field(default_factory=dict)  # name: (shape, limit)
    buffers: dict = dataclasses.field(default_factory=dict)  # name: shape, or text of a view
    written: set = dataclasses.field(default_factory=set)  # inputs that the step writes
    statements: list = dataclasses.field(default_factory=list)  # nodes; some without a name
    optimizer: tuple | None = None  # name, hyper-parameters, leaves
    held: bool = False  # the step has run before it is captured
    events: list = dataclasses.field(default_factory=list)  # a list for each round, after it


class StepDrawing(LooseRules, Drawing):
    """`draw_*` rules give recorded nodes, `loose_*` rules add statements."""

    def __init__(self, seed):
        super().__init__(seed)
        dtype = self.rng.choice(["float32"] * 5 + ["float64"] * 2 + ["float16", "bfloat16"])
        self.graph = self.step = Step(seed, dtype, self.rng.choice([1, 2, 7]))
        self.large = self.rng.random() < 0.02
        self.lengths = self.rng.choice([(1, 2, 3, 4, 5)] * 2 + [(1, 3, 8, 17), (2, 9, 40)])
        names = [name for name in dir(Drawing) if name.startswith("draw_") and name != "draw_life"]
        self.rules = [getattr(self, name) for name in names]
        names = [name for name in dir(self) if name.startswith("loose_")]
        self.loose_ruleset = [getattr(self, name) for name in names]
        self.nodes, self.loose, self.frozen, self.done = [], {}, set(), []
        self.holding = set()  # leaves that surely have a gradient
        self.of_rows = set()  # leaves whose gradient may be rows
        self.count = 0

    def draw(self):
        rng, step = self.rng, self.step
        self.add_operands()
        step.held = rng.random() < 0.2
        parts = rng.choice([0, 1, 1, 1, 2, 3])
        self.updates, self.clears = rng.random() < 0.5, rng.random() < 0.7
        for part in range(parts):
            self.add_part(rng.randint(2, 9), part + 1 < parts)
        if step.optimizer and rng.random() < 0.4:
            step.statements.insert(0, Node("", "zero_grad", [], "optimizer.zero_grad()", "", (), 1))
        self.sizes = {}
        for _ in range(rng.randint(0, 10) if parts else rng.randint(8, 30)):
            self.add_loose_statement()
        self.add_results()
        self.add_events()
        return step

    def add_operands(self):
        rng, step = self.rng, self.step
        for k in range(rng.randint(1, 3)):
            step.leaves[f"w{k}"] = self.new_shape()
        if rng.random() < 0.5:
            step.leaves["table"] = (rng.randint(2, 6), rng.randint(1, 4))
        for k in range(rng.randint(1, 2)):
            shape = self.new_shape()
            layouts = ["", "", "offset", "transposed" if len(shape) > 1 else "", "expanded"]
            layout = rng.choice(layouts)
            leaf = layout == "" and rng.random() < 0.15
            step.inputs[f"x{k}"] = Input(shape, step.dtype, layout, leaf=leaf)
        for k in range(rng.randint(0, 3)):
            self.new_input(self.new_shape())
        for k in range(rng.randint(0, 2)):
            self.new_buffer()

    def new_shape(self):
        shape = tuple(self.rng.choice(self.lengths) for _ in range(self.rng.randint(0, 3)))
        if size_of(shape) > 1000:
            shape = shape[:2]
        if self.large and shape:
            shape = (self.rng.choice([257, 257, 1025, 12_000]),)
        return shape

    # ---- statements

    def new_name(self):
        self.count += 1
        return f"n{self.count}"

    def say(self, op, args, text, name=""):
        """One more statement; a name of its own if it has a value."""
        node = Node(name, op, list(args), text, "", (), 1.0)
        self.step.statements.append(node)
        return node

    def local_names(self):
        return {name for node in self.step.statements for name in node.name.split(", ") if name}

    # ---- recorded parts

    def add_part(self, count, more):
        rng, step = self.rng, self.step
        self.sizes = {name: (shape, 1.5) for name, shape in step.leaves.items()}
        given = {name: each for name, each in step.inputs.items() if name.startswith("x")}
        self.sizes |= {name: (each.shape, 1.5) for name, each in given.items()}
        self.nodes = []
        for _ in range(count):
            while rng.random() < 0.45:
                self.add_loose_statement()
            if rng.random() < 0.2 and self.add_joining():
                continue
            node = None
            while node is None:
                node = rng.choice(self.rules)()
            self.record(node)
        self.add_backward(more)

    def record(self, node):
        node.name = self.new_name()
        self.step.statements.append(node)
        self.nodes.append(node)
        self.sizes[node.name] = (node.shape, node.bound)

    def add_joining(self):
        """A loose value, or dropout, becomes an operand of what is recorded."""
        if self.rng.random() < 0.3:
            x = self.pick(lambda shape, bound: bound < 100)
            node = self.node(
                "dropout", [x], "tenon.dropout({0}, p=0.3)", "", self.sizes[x][0],
                1.5 * self.sizes[x][1],
            )  # fmt: skip
        elif self.rng.random() < 0.3:
            node = self.registry_recorded()
        else:
            x = self.pick_loose(lambda each: each.dtype == self.step.dtype and size_of(each.shape))
            if x is None:
                return False
            self.frozen.add(self.loose[x].root)  # recorded ops may have to save it
            node = self.node("joined", [x], "tenon.sin({0})", "", self.loose[x].shape, 1)
        if node is not None:
            self.record(node)
        return node is not None

    def add_backward(self, more):
        rng, self.reached = self.rng, []
        used = {arg for node in self.nodes for arg in node.args}
        alive = [node for node in self.nodes if node.name in self.sizes]
        roots = [node for node in alive if node.name not in used or rng.random() < 0.15]
        roots = roots or alive
        if not roots:
            return
        terms = [f"({{{k}}} * {self.number(-1, 1)}).sum()" for k in range(len(roots))]
        names = [node.name for node in roots]
        self.reached = sorted({leaf for name in names for leaf in self.leaves_of(name)})
        form = rng.random()
        if form < 0.12 and self.reached:
            leaf, name = rng.choice(self.reached), self.new_name()
            text = f"gradient_alone({' + '.join(terms)}, {{{len(roots)}}})"
            self.say("gradient_alone", [*names, leaf], text, name)
            self.add_loose(name, self.step.leaves[leaf], self.step.dtype, writable=False)
        elif form < 0.24 and self.reached and not more:
            # What it needs is kept until the program walks back, after the step.
            self.say("pending", names, f"pending.append({' + '.join(terms)})")
        else:
            call = "twice" if form < 0.32 else "backward"
            self.say(call, names, f"{call}({' + '.join(terms)})")
            self.holding |= set(self.reached)
            self.frozen.clear()
            self.after_backward(more)
        self.done = [node for node in self.nodes if node.name in self.sizes]
        self.sizes = {}

    def after_backward(self, more):
        """What a program does with gradients within the step."""
        rng, step = self.rng, self.step
        self.of_rows |= {node.args[0] for node in self.nodes if node.op in TAKES_ROWS}
        dense = [leaf for leaf in self.reached if leaf not in self.of_rows]
        for leaf in dense:
            self.use_gradient(leaf)
        if "table" in self.reached and rng.random() < 0.15:
            self.say("grad_none", ["table"], "drop_gradient({0})")
            self.holding.discard("table")
        if self.updates and (not more or rng.random() < 0.3):
            self.add_update()
        elif not self.updates and dense and rng.random() < 0.2:
            leaf = rng.choice(dense)
            self.say("update", [leaf], "update({0})")
            self.holding.discard(leaf)

    def use_gradient(self, leaf):
        step, shape = self.step, self.step.leaves[leaf]
        form = self.rng.choice(["read", "scaled", "kept", "replaced", "given up", "", "", ""])
        if form == "read":
            self.add_loose(self.new_name(), shape, step.dtype)
            self.say("grad_read", [leaf], "read_gradient({0})", f"n{self.count}")
        elif form == "scaled":
            self.say("grad_scaled", [leaf], "scale_gradient({0})")
        elif form == "kept":
            self.say("grad_kept", [leaf], "keep_gradient({0}, kept)")
        elif form == "replaced":
            value = self.pick_loose(lambda each: (each.shape, each.dtype) == (shape, step.dtype))
            if value:
                self.say("grad_set", [leaf, value], "set_gradient({0}, {1})")
        elif form == "given up":
            self.say("grad_none", [leaf], "drop_gradient({0})")
            self.holding.discard(leaf)

    def add_update(self):
        """Of leaves that have a gradient: a step that finds another has to be captured again."""
        rng, step = self.rng, self.step
        if not step.optimizer and self.holding:
            leaves = sorted(self.holding)
            name, hypers = rng.choice(OF_ROWS if self.of_rows & set(leaves) else OPTIMIZERS)
            step.optimizer = (name, dict(hypers), leaves)
        if not step.optimizer or not self.holding.issuperset(step.optimizer[2]):
            return
        name, hypers, leaves = step.optimizer
        if self.of_rows & set(leaves) and (name, hypers) not in OF_ROWS:
            return
        if self.rng.random() < 0.4 and not self.of_rows & set(leaves):
            names = ", ".join(f"{{{k}}}" for k in range(len(leaves)))
            text = f"tenon.clip_grad_norm([{names}], 0.7)"
            self.say("clip", leaves, text, self.new_name())
        text = f"optimizer.step(clear_grad={self.clears})"
        self.say("optimizer", leaves, text)
        if self.clears:
            self.holding -= set(leaves)

    def leaves_of(self, name):
        """Those that a gradient reaches without doubt."""
        node = next((each for each in self.nodes if each.name == name), None)
        unsure = node and (node.op == "slope" or node.op.startswith("tenon."))
        return [] if unsure else super().leaves_of(name)

    # ---- the end of the step, and what follows it

    def root_of(self, name):
        """Of a recorded value: an input's name, or its own."""
        node = next((each for each in self.step.statements if each.name == name), None)
        if node is None:
            return f"input {name}" if name in self.step.inputs else name
        return self.root_of(node.args[0]) if node.op in VIEWS else name

    def add_results(self):
        rng, local = self.rng, self.local_names()
        names = [name for name in self.loose if name in local or name in self.step.inputs]
        names += [node.name for node in self.done]
        rng.shuffle(names)
        for name in names[: rng.randint(1, 5)]:
            view = rng.choice(["", "", "[..., :1]"])
            shape = self.loose[name].shape if name in self.loose else ()
            text = "{0}.detach()" + (view if shape else "")
            self.say("result", [name], f"results.append({text})")

    def add_events(self):
        rng, step = self.rng, self.step
        dense = [leaf for leaf in step.leaves if leaf not in self.of_rows]
        for turn in range(ROUNDS):
            events = []
            for leaf in step.leaves:
                if rng.random() < 0.2:
                    events.append(("clear", leaf))
            if step.optimizer and rng.random() < 0.25:
                events.append(("lr", round(rng.uniform(0.001, 0.1), 4)))
            if rng.random() < 0.15:
                events.append(("draw", rng.randint(1, 9)))
            if rng.random() < 0.1:
                events.append(("drop kept",))
            if rng.random() < 0.1:
                events.append(("refused",))
            if rng.random() < 0.05 and dense:
                events.append(("eager backward", rng.choice(dense)))
            if rng.random() < 0.1:
                events.append(("profile",))
            if rng.random() < 0.15:
                events.append(("fewer", rng.randint(0, len(step.inputs))))
            if rng.random() < 0.15:
                events.append(("same",))
            if rng.random() < 0.07:
                events.append(("captured again",))
            if rng.random() < 0.05:
                events.append(("thread",))
            step.events.append(events)
        if any(("captured again",) in events for events in step.events):
            # Inputs of a capture share no memory.
            step.events = [[each for each in events if each != ("same",)] for events in step.events]


def draw(seed):
    return StepDrawing(seed).draw()

