# SPDX-License-Identifier: Apache-2.0
# tests/python/random_graphs.py: steps of random ops, drawn from a seed.
"""A graph is a step as a training loop has it: ops on leaves, inputs, indices and buffers, one or
more backwards, perhaps an update. It is kept as text, so that what fails can be made smaller and
printed as a program (random_graphs_shrink.py); the text of PyTorch stands beside. They are run by
random_graphs_run.py and tests/outside/random_graphs_test.py.

Numbers stay small: every node knows a bound of its values, and ops are drawn that keep it.
"""

import dataclasses
import math
import random

LARGEST = 300.0  # no node's bound is above it
MOST_ELEMENTS = 60_000
ROUNDS = 3  # of a step: the first one is captured, the others are replays


@dataclasses.dataclass
class Node:
    """`name` = an op of `args`; {0}, {1}, ... in the texts stand for them."""

    name: str
    op: str
    args: list
    ours: str
    theirs: str
    shape: tuple
    bound: float


@dataclasses.dataclass
class Graph:
    seed: int
    dtype: str
    leaves: dict = dataclasses.field(default_factory=dict)  # name: shape
    inputs: dict = dataclasses.field(default_factory=dict)  # name: (shape, is it transposed?)
    indices: dict = dataclasses.field(default_factory=dict)  # name: (shape, limit)
    buffers: dict = dataclasses.field(default_factory=dict)  # name: shape
    parts: list = dataclasses.field(default_factory=list)  # a list of nodes for each backward
    roots: list = dataclasses.field(default_factory=list)  # {node: weight} for each backward
    held: bool = False  # leaves hold gradients before the first round
    updates: list = dataclasses.field(default_factory=list)  # leaves that the step updates
    cleared: list = dataclasses.field(default_factory=list)  # for each round: leaves without grad


# ---- Drawing a graph ----------------------------------------------------------------------------

# name: (largest bound of the operand, bound of the result, Tenon, PyTorch; both: one text)
UNARY = {
    "sin": (50, lambda b: 1, "sin({0})"),
    "cos": (50, lambda b: 1, "cos({0})"),
    "tanh": (LARGEST, lambda b: 1, "tanh({0})"),
    "sigmoid": (LARGEST, lambda b: 1, "sigmoid({0})"),
    "atan": (LARGEST, lambda b: 1.6, "atan({0})"),
    "erf": (LARGEST, lambda b: 1, "erf({0})"),
    "abs": (LARGEST, lambda b: b, "abs({0})"),
    "relu": (LARGEST, lambda b: b, "relu({0})"),
    "square": (15, lambda b: b * b, "square({0})"),
    "exp": (3, math.exp, "exp({0})"),
    "exp2": (4, lambda b: 2**b, "exp2({0})"),
    "expm1": (3, math.exp, "expm1({0})"),
    "sinh": (3, math.sinh, "sinh({0})"),
    "log": (15, lambda b: 1 + math.log(b * b + 1), "log({0} * {0} + 0.5)"),
    "log1p": (15, lambda b: math.log(b * b + 1), "log1p({0} * {0})"),
    "sqrt": (15, lambda b: b + 1, "sqrt({0} * {0} + 0.5)"),
    "rsqrt": (15, lambda b: 1.5, "rsqrt({0} * {0} + 0.5)"),
    "reciprocal": (15, lambda b: 2, "reciprocal({0} * {0} + 0.5)"),
    "clamp": (LARGEST, lambda b: 0.75, "clamp({0}, -0.75, 0.5)"),
    "tril": (LARGEST, lambda b: b, "tril({0})"),
}
# Functions of torch.nn.functional.
ACTIVATIONS = {
    "softplus": (LARGEST, lambda b: b + 1, "softplus({0})"),
    "silu": (LARGEST, lambda b: b, "silu({0})"),
    "gelu": (LARGEST, lambda b: b, "gelu({0})"),
    "mish": (LARGEST, lambda b: b, "mish({0})"),
    "elu": (LARGEST, lambda b: max(b, 1), "elu({0})"),
    "leaky_relu": (LARGEST, lambda b: b, "leaky_relu({0}, negative_slope=0.1)"),
    "logsigmoid": (LARGEST, lambda b: b + 1, "logsigmoid({0})"),
}
BINARY = {
    "add": (lambda a, b: a + b, "{0} + {1}"),
    "sub": (lambda a, b: a + b, "{0} - {1}"),
    "mul": (lambda a, b: a * b, "{0} * {1}"),
    "div": (lambda a, b: 2 * a if b < 15 else math.inf, "{0} / ({1} * {1} + 0.5)"),
    "maximum": (max, "maximum({0}, {1})"),
    "minimum": (max, "minimum({0}, {1})"),
    "atan2": (lambda a, b: 3.2 if b < 15 else math.inf, "atan2({0}, {1} * {1} + 0.5)"),
    "where": (max, "where({0} > 0.1, {0}, {1})"),
    "lerp": (lambda a, b: a + b, "lerp({0}, {1}, 0.3)"),
}
REDUCTIONS = {
    "sum": (lambda b, n: b * n, "sum({0}, axes={axes}, keepdims={keep})", "sum"),
    "mean": (lambda b, n: b, "mean({0}, axes={axes}, keepdims={keep})", "mean"),
    "max": (lambda b, n: b, "max({0}, axes={axes}, keepdims={keep})", "amax"),
    "min": (lambda b, n: b, "min({0}, axes={axes}, keepdims={keep})", "amin"),
    "logsumexp": (
        lambda b, n: b + math.log(n),
        "logsumexp({0}, axes={axes}, keepdims={keep})",
        "logsumexp",
    ),
    "var": (
        lambda b, n: b * b,
        "var({0}, axes={axes}, keepdims={keep}, correction=0.0)",
        "var",
    ),
}


def size_of(shape):
    return math.prod(shape)


def broadcast(*shapes):
    """Their common shape, or None."""
    rank = max(map(len, shapes))
    sizes = []
    for lengths in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes), strict=True):
        wide = {length for length in lengths if length != 1}
        if len(wide) > 1:
            return None
        sizes.append(wide.pop() if wide else 1)
    return tuple(sizes)


def both(text):
    """An op's call in Tenon and in PyTorch, where they are one; infix operators stay."""
    infix = text.startswith("{0} ")
    return (text, text) if infix else ("tenon." + text, "torch." + text)


class Drawing:
    """Draws one graph: `pick` chooses an operand, `rule` methods give a node or None."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        dtype = self.rng.choice(["float64", "float64", "float32"])
        self.graph = Graph(seed, dtype)
        self.large = self.rng.random() < 0.06
        self.sizes = {}  # name: (shape, bound) of what operands are drawn from
        self.rules = [getattr(self, name) for name in dir(self) if name.startswith("draw_")]

    def draw(self):
        rng, graph = self.rng, self.graph
        for k in range(rng.randint(1, 4)):
            graph.leaves[f"w{k}"] = self.new_shape()
        if rng.random() < 0.6:
            graph.leaves["table"] = (rng.randint(2, 6), rng.randint(1, 4))
        for k in range(rng.randint(1, 3)):
            shape = self.new_shape()
            graph.inputs[f"x{k}"] = (shape, len(shape) > 1 and rng.random() < 0.3)
        count = 0
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            given = {name: shape for name, (shape, _) in graph.inputs.items()}
            self.sizes = {name: (shape, 1.5) for name, shape in {**graph.leaves, **given}.items()}
            self.nodes = nodes = []
            for _ in range(rng.randint(2, 16)):
                node = None
                while node is None:
                    node = rng.choice(self.rules)()
                node.name, count = f"n{count}", count + 1
                nodes.append(node)
                self.sizes[node.name] = (node.shape, node.bound)
            self.add_part(nodes)
        self.draw_life()
        return graph

    def add_part(self, nodes):
        used = {arg for node in nodes for arg in node.args}
        roots = [node for node in nodes if node.name not in used or self.rng.random() < 0.15]
        self.graph.parts.append(nodes)
        self.graph.roots.append({root.name: self.number(-1, 1) for root in roots})

    def draw_life(self):
        """What happens to gradients: in the step, and from round to round."""
        rng, graph = self.rng, self.graph
        if rng.random() < 0.25:
            # A gradient that is held as rows alone is not there to be read.
            graph.updates = [name for name in graph.leaves if name != "table"]
        else:
            graph.held = rng.random() < 0.4
            graph.cleared = [
                [name for name in graph.leaves if rng.random() < 0.35] for _ in range(ROUNDS)
            ]

    def number(self, low, high):
        return round(self.rng.uniform(low, high), 3)

    def new_shape(self):
        shape = tuple(self.rng.choice([1, 2, 3, 4, 5]) for _ in range(self.rng.randint(0, 3)))
        if self.large and shape:
            shape = (self.rng.choice([257, 1025]), *shape[1:])
        return shape

    def pick(self, fits=lambda shape, bound: True):
        """An operand, later ones first; leaves are used again and again."""
        names = [name for name, (shape, bound) in self.sizes.items() if fits(shape, bound)]
        if not names:
            return None
        leaves = [name for name in names if name in self.graph.leaves]
        if leaves and self.rng.random() < 0.25:
            return self.rng.choice(leaves)
        return names[-1 - int(self.rng.random() ** 2 * len(names))]

    def node(self, op, args, ours, theirs, shape, bound):
        if not bound <= LARGEST or size_of(shape) > MOST_ELEMENTS or len(shape) > 5:
            return None
        return Node("", op, args, ours, theirs, tuple(shape), max(bound, 1.0))

    # -- elementwise

    def draw_unary(self):
        op, (most, bound, text) = self.rng.choice(list(UNARY.items()))
        rank = 2 if op == "tril" else 0
        x = self.pick(lambda shape, b: b <= most and len(shape) >= rank)
        return x and self.node(op, [x], *both(text), self.sizes[x][0], bound(self.sizes[x][1]))

    draw_unary_too = draw_unary  # twice as often as others

    def draw_activation(self):
        op, (most, bound, text) = self.rng.choice(list(ACTIVATIONS.items()))
        x = self.pick(lambda shape, b: b <= most)
        shape, b = self.sizes[x]
        theirs = "torch.nn.functional." + text
        return self.node(op, [x], "tenon." + text, theirs, shape, bound(b))

    def draw_binary(self):
        op, (bound, text) = self.rng.choice(list(BINARY.items()))
        a = self.pick()
        b = self.pick(lambda shape, _: broadcast(shape, self.sizes[a][0]) is not None)
        pair = [a, b] if self.rng.random() < 0.5 else [b, a]
        shape = broadcast(self.sizes[a][0], self.sizes[b][0])
        return self.node(op, pair, *both(text), shape, bound(*(self.sizes[x][1] for x in pair)))

    draw_binary_too = draw_binary

    def draw_number(self):
        x = self.pick()
        text = "{0} * " + str(self.number(-2, 2)) + " + " + str(self.number(-1, 1))
        return self.node("scalar", [x], text, text, self.sizes[x][0], 2 * self.sizes[x][1] + 1)

    def draw_addcmul(self):
        x = self.pick()
        fits = lambda shape, _: broadcast(shape, self.sizes[x][0]) == self.sizes[x][0]  # noqa: E731
        a, b = self.pick(fits), self.pick(fits)
        bound = self.sizes[x][1] + self.sizes[a][1] * self.sizes[b][1]
        text = "addcmul({0}, {1}, {2}, value=0.5)"
        return self.node("addcmul", [x, a, b], *both(text), self.sizes[x][0], bound)

    # -- along axes

    def draw_reduction(self):
        op, (bound, text, theirs) = self.rng.choice(list(REDUCTIONS.items()))
        x = self.pick(lambda shape, _: len(shape) > 0)
        if x is None:
            return None
        shape, b = self.sizes[x]
        axes = sorted(self.rng.sample(range(len(shape)), self.rng.randint(1, len(shape))))
        keep = self.rng.random() < 0.4
        new = [1 if k in axes else n for k, n in enumerate(shape) if keep or k not in axes]
        more = ", correction=0" if op == "var" else ""
        return self.node(
            op, [x], "tenon." + text.format("{0}", axes=axes, keep=keep),
            f"torch.{theirs}({{0}}, dim={axes}, keepdim={keep}{more})",
            new, bound(b, size_of(shape[k] for k in axes)),
        )  # fmt: skip

    draw_reduction_too = draw_reduction

    def draw_along(self):
        op = self.rng.choice(["softmax", "log_softmax", "cumsum", "flip", "prod"])
        x = self.pick(lambda shape, _: len(shape) > 0)
        if x is None:
            return None
        shape, b = self.sizes[x]
        axis = self.rng.randrange(len(shape))
        n = shape[axis]
        bound = {"softmax": 1, "log_softmax": 2 * b + math.log(n), "cumsum": b * n, "flip": b}
        bound["prod"] = b**n if n < 6 else math.inf
        ours = "[axis]" if op in ("flip", "prod") else "axis"
        call = {"prod": "axes=", "flip": "axes="}.get(op, "axis=") + ours.replace("axis", str(axis))
        theirs = f"[{axis}]" if op == "flip" else str(axis)
        new = shape[:axis] + shape[axis + 1 :] if op == "prod" else shape
        return self.node(
            op, [x], f"tenon.{op}({{0}}, {call})", f"torch.{op}({{0}}, {theirs})", new, bound[op]
        )

    def draw_norm(self):
        x = self.pick(lambda shape, b: len(shape) > 0 and b < 15)
        if x is None:
            return None
        shape = self.sizes[x][0]
        op = self.rng.choice(["layer_norm", "rms_norm"])
        theirs = f"torch.nn.functional.{op}({{0}}, {{0}}.shape[-1:], eps=0.1)"
        return self.node(op, [x], f"tenon.{op}({{0}}, eps=0.1)", theirs, shape, 4 * shape[-1])

    # -- products

    def draw_matmul(self):
        x = self.pick(lambda shape, _: len(shape) >= 2)
        if x is None:
            return None
        shape, b = self.sizes[x]
        y = self.pick(
            lambda other, _: len(other) == 1 and other[0] == shape[-1]
            or len(other) >= 2 and other[-2] == shape[-1]
            and broadcast(other[:-2], shape[:-2]) is not None
        )  # fmt: skip
        if y is None:
            return self.node(
                "matmul", [x], "tenon.matmul({0}, {0}.mT)",
                "torch.matmul({0}, {0}.mT)", (*shape[:-1], shape[-2]), b * b * shape[-1],
            )  # fmt: skip
        other, c = self.sizes[y]
        if len(other) == 1:
            new = shape[:-1]
        else:
            new = (*broadcast(other[:-2], shape[:-2]), shape[-2], other[-1])
        return self.node("matmul", [x, y], *both("matmul({0}, {1})"), new, b * c * shape[-1])

    def draw_linear(self):
        x = self.pick(lambda shape, _: len(shape) > 0)
        if x is None:
            return None
        shape, b = self.sizes[x]
        w = self.pick(lambda other, _: len(other) == 2 and other[1] == shape[-1])
        if w is None:
            return None
        (rows, columns), c = self.sizes[w]
        theirs = "torch.nn.functional.linear({0}, {1})"
        return self.node(
            "linear", [x, w], "tenon.linear({0}, {1})", theirs, (*shape[:-1], rows), b * c * columns
        )

    # -- views and copies

    def draw_view(self):
        x = self.pick(lambda shape, _: len(shape) > 0)
        if x is None:
            return None
        shape, b = self.sizes[x]
        axis = self.rng.randrange(len(shape))
        n, before, behind = shape[axis], shape[:axis], shape[axis + 1 :]
        dots = "{0}[" + ":, " * axis
        order = self.rng.sample(range(len(shape)), len(shape))
        shift, wide = self.rng.randint(1, 3), (self.rng.randint(2, 3), *shape)
        choices = {
            "first": (f"{dots}:{(n + 1) // 2}]",) * 2 + ((*before, (n + 1) // 2, *behind),),
            "stepped": (f"{dots}::2]",) * 2 + ((*before, (n + 1) // 2, *behind),),
            "reversed": (f"{dots}::-1]", f"torch.flip({{0}}, [{axis}])", shape),
            "taken": (f"{dots}{n - 1}]",) * 2 + ((*before, *behind),),
            "permute": (f"tenon.permute({{0}}, axes={order})", f"{{0}}.permute({order})",
                        [shape[k] for k in order]),
            "reshape": ("{0}.reshape(-1)",) * 2 + ((size_of(shape),),),
            "unsqueeze": (f"{{0}}.unsqueeze({axis})",) * 2 + ((*before, 1, n, *behind),),
            "expand": (f"tenon.expand({{0}}, shape={list(wide)})", f"{{0}}.expand({list(wide)})",
                       wide),
            "roll": (f"tenon.roll({{0}}, shifts=[{shift}], axes=[{axis}])",
                     f"torch.roll({{0}}, {shift}, {axis})", shape),
            "unfold": (f"tenon.unfold({{0}}, axis={axis}, size={(n + 1) // 2})",
                       f"{{0}}.unfold({axis}, {(n + 1) // 2}, 1)",
                       (*before, n - (n + 1) // 2 + 1, *behind, (n + 1) // 2)),
        }  # fmt: skip
        if len(shape) > 1:
            new = (*shape[:-2], min(shape[-2:]))
            choices["diagonal"] = (
                "tenon.diagonal({0})", "torch.diagonal({0}, dim1=-2, dim2=-1)", new
            )  # fmt: skip
        op = self.rng.choice(list(choices))
        return self.node(op, [x], *choices[op], b)

    draw_view_too = draw_view

    def draw_joined(self):
        x = self.pick()
        shape = self.sizes[x][0]
        y = self.pick(lambda other, _: other == shape)
        bound = max(self.sizes[x][1], self.sizes[y][1])
        if shape and self.rng.random() < 0.6:
            new = (2 * shape[0], *shape[1:])
            texts = "tenon.concat([{0}, {1}])", "torch.cat([{0}, {1}])"
            return self.node("concat", [x, y], *texts, new, bound)
        return self.node("stack", [x, y], *both("stack([{0}, {1}])"), (2, *shape), bound)

    def draw_cast(self):
        """Up and back: down, a last bit that differs becomes a large difference."""
        x = self.pick()
        if self.graph.dtype != "float32":
            return None
        ours = 'tenon.sin({0}.astype("float64")).astype("float32")'
        return self.node("cast", [x], ours, "torch.sin({0}.double()).float()", self.sizes[x][0], 1)

    def draw_slope(self):
        """A gradient that is differentiated itself."""
        x = self.pick(lambda shape, b: b < 15 and size_of(shape) < 1000)
        leaves = self.leaves_of(x) if x else []
        if not leaves:
            return None
        w = self.rng.choice(leaves)
        return self.node("slope", [x, w], *both("tanh(slope({0}, {1}))"), self.sizes[w][0], 1)

    def leaves_of(self, name):
        """The leaves that a gradient of a node of this part reaches."""
        if name in self.graph.leaves:
            return [name]
        node = next((each for each in self.nodes if each.name == name), None)
        if node is None or node.op in ("detach", "into", "assigned", "averaged"):
            return []
        args = node.args[:1] if node.op == "scaled" else node.args
        return sorted({leaf for arg in args for leaf in self.leaves_of(arg)})

    def draw_detached(self):
        x = self.pick()
        op, text = self.rng.choice([("detach", "{0}.detach()"), ("clone", "{0}.clone()")])
        return self.node(op, [x], text, text, *self.sizes[x])

    # -- by indices, whose numbers change from round to round

    def new_index(self, shape, limit):
        name = f"i{len(self.graph.indices)}"
        self.graph.indices[name] = (tuple(shape), limit)
        return name

    def draw_embedding(self):
        if "table" not in self.graph.leaves:
            return None
        rows, width = self.graph.leaves["table"]
        shape = [self.rng.randint(1, 5) for _ in range(self.rng.randint(0, 2))]
        index = self.new_index(shape, rows)
        theirs = "torch.nn.functional.embedding({1}, {0})"
        ours = "tenon.embedding({0}, {1})"
        return self.node("embedding", ["table", index], ours, theirs, (*shape, width), 1.5)

    draw_embedding_too = draw_embedding

    def draw_indexed(self):
        x = self.pick(lambda shape, _: len(shape) > 0)
        if x is None:
            return None
        shape, b = self.sizes[x]
        axis, count = self.rng.randrange(len(shape)), self.rng.randint(1, 5)
        new = (*shape[:axis], count, *shape[axis + 1 :])
        kind = self.rng.choice(["index_select", "gather", "index", "scatter_add"])
        if kind == "index_select":
            index = self.new_index([count], shape[axis])
            texts = (f"tenon.index_select({{0}}, {{1}}, axis={axis})",
                     f"torch.index_select({{0}}, {axis}, {{1}})")  # fmt: skip
            return self.node(kind, [x, index], *texts, new, b)
        if kind == "index":
            index = self.new_index([count, 2], shape[0])
            return self.node(
                kind, [x, index], "{0}[{1}]", "{0}[{1}]", (count, 2, *shape[1:]), b
            )
        if size_of(new) > MOST_ELEMENTS:
            return None
        index = self.new_index(new, shape[axis])
        if kind == "gather":
            texts = (f"tenon.gather({{0}}, {{1}}, axis={axis})",
                     f"torch.gather({{0}}, {axis}, {{1}})")  # fmt: skip
            return self.node(kind, [x, index], *texts, new, b)
        source = self.pick(lambda other, _: other == new)
        if source is None:
            return None
        texts = (f"tenon.scatter_add({{0}}, {{1}}, {{2}}, axis={axis})",
                 f"torch.scatter_add({{0}}, {axis}, {{1}}, {{2}})")  # fmt: skip
        return self.node(kind, [x, index, source], *texts, shape, b + count * self.sizes[source][1])

    # -- in place, into given memory, into what outlives the step

    def draw_written(self):
        x = self.pick()
        shape, b = self.sizes[x]
        kind = self.rng.choice(["added", "scaled", "assigned", "into", "averaged"])
        y = self.pick(lambda other, _: broadcast(other, shape) == shape)
        c = self.sizes[y][1]
        if kind == "assigned":
            if not shape:
                return None
            y = self.pick(lambda other, _: broadcast(other, shape[1:]) == shape[1:])
            if y is None:
                return None
            c = self.sizes[y][1]
        if kind == "averaged":
            buffer = f"b{len(self.graph.buffers)}"
            self.graph.buffers[buffer] = shape
            text = "averaged({0}, {1})"
            return self.node(kind, [buffer, x], text, text, shape, 1.5 + b)
        bound = {"added": b + c, "scaled": b * c, "assigned": max(b, c), "into": b * c}[kind]
        text = f"{kind}({{0}}, {{1}})"
        return self.node(kind, [x, y], text, text, shape, bound)


def draw(seed):
    return Drawing(seed).draw()
