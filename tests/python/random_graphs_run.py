# SPDX-License-Identifier: Apache-2.0
# tests/python/random_graphs_run.py: runs random graphs eagerly and captured, and compares the bits.
import random

from random_graphs import ROUNDS, size_of
from support import tenon

# ---- Numbers ------------------------------------------------------------------------------------


def numbers(graph, name, shape, turn, limit=None):
    """The elements of an operand in one round, row by row; `limit`: indices below it."""
    rng = random.Random(f"{graph.seed}/{name}/{turn}")
    if limit is not None:
        return [rng.randrange(limit) for _ in range(size_of(shape))]
    return [round(rng.uniform(-1.5, 1.5), 4) for _ in range(size_of(shape))]


# ---- Text ---------------------------------------------------------------------------------------


def step_text(graph, kind):
    """`def step(...)` of the graph; kind: "ours" or "theirs"."""
    lines = [f"def step({', '.join([*graph.inputs, *graph.indices])}):"]
    for nodes, roots in zip(graph.parts, graph.roots, strict=True):
        for node in nodes:
            lines.append(f"    {node.name} = {getattr(node, kind).format(*node.args)}")
        terms = " + ".join(f"({name} * {weight}).sum()" for name, weight in roots.items())
        lines.append(f"    backward({terms})")
    # Of a leaf that is updated a view would change with it.
    own = ".clone()" if graph.updates else ""
    names = [f"{name}.detach(){own}" for roots in graph.roots for name in roots]
    lines.append(f"    results = [{', '.join(names)}]")
    lines += [f"    update({name})" for name in graph.updates]
    lines.append("    return results")
    return "\n".join(lines) + "\n"


HELPERS = '''
def backward(loss):
    if loss.requires_grad:
        loss.backward()

def update(leaf):
    gradient = dense(leaf)
    if gradient is not None:
        with LIBRARY.no_grad():
            leaf -= 0.05 * LIBRARY.tanh(gradient)  # the bounds of values stay
        leaf.grad = None

def added(a, b):
    a = a.clone()
    a += b
    return a

def scaled(a, b):
    a = a.clone()
    a *= b.detach()
    return a

def assigned(a, b):
    a = a.detach().clone()
    a[0] = b.detach()
    return a

def slope(x, leaf):
    found = gradient(x, leaf) if x.requires_grad else None
    return leaf.detach() * 0.0 if found is None else found

def averaged(buffer, x):
    with LIBRARY.no_grad():
        buffer *= 0.9
        buffer += x.detach() * 0.1
    return buffer.clone()
'''
OURS = HELPERS.replace("LIBRARY", "tenon") + '''
def dense(leaf):
    """The gradient of a leaf, rows put into zeros."""
    if not leaf.has_grad_rows:
        return leaf.grad
    indices, values = leaf.grad_rows()
    out = tenon.full(leaf.shape, 0.0, leaf.dtype)
    for row, place in enumerate(indices.tolist()):
        out[place] += values[row].detach()
    return out

def gradient(x, leaf):
    return tenon.grad(x.sum(), leaf, create_graph=True)

def into(a, b):
    out = tenon.full(a.shape, 0.0, a.dtype)
    return tenon.mul(a.detach(), b.detach(), out=out)
'''


# ---- Running ------------------------------------------------------------------------------------


def bits(tensor):
    return bytes(memoryview(tensor.detach().contiguous()))


class Ours:
    """The graph in Tenon."""

    def __init__(self, graph, captured):
        self.graph, self.captured, self.plan = graph, captured, None
        space = {"tenon": tenon}
        self.leaves = {
            name: self.tensor(name, shape, "start") for name, shape in graph.leaves.items()
        }
        for leaf in self.leaves.values():
            leaf.requires_grad = True
        self.buffers = {
            name: self.tensor(name, shape, "start") for name, shape in graph.buffers.items()
        }
        space |= self.leaves | self.buffers
        exec(OURS + step_text(graph, "ours"), space)
        self.step, self.dense = space["step"], space["dense"]

    def tensor(self, name, shape, turn, limit=None):
        dtype = self.graph.dtype if limit is None else "int64"
        made = tenon.tensor(numbers(self.graph, name, shape, turn, limit), dtype)
        return made.reshape(shape)

    def operands(self, turn):
        graph = self.graph
        made = []
        for name, (shape, transposed) in graph.inputs.items():
            x = self.tensor(name, shape, turn)
            made.append(x.mT.clone().mT if transposed else x)
        for name, (shape, limit) in graph.indices.items():
            made.append(self.tensor(name, shape, turn, limit))
        return made

    def prepare(self):
        if self.graph.held:
            self.step(*self.operands("before"))

    def run(self, turn):
        """Results, gradients and buffers after a round, by name."""
        operands = self.operands(turn)
        if not self.captured:
            results = self.step(*operands)
        elif self.plan is None:
            self.plan = tenon.capture(self.step, *operands)
            results = self.plan.results
        else:
            results = self.plan(*operands)
        found = {f"result {k}": each for k, each in enumerate(results)}
        found |= {f"gradient of {name}": self.dense(leaf) for name, leaf in self.leaves.items()}
        found |= {f"leaf {name}": leaf for name, leaf in self.leaves.items()}
        found |= {f"buffer {name}": buffer for name, buffer in self.buffers.items()}
        found = {
            name: each if each is None else (bits(each), tuple(each.shape))
            for name, each in found.items()
        }
        if turn < len(self.graph.cleared):
            for name in self.graph.cleared[turn]:
                self.leaves[name].grad = None
        return found


def compare_captured(graph, rounds=ROUNDS):
    """What replays do otherwise than the step itself, in words; None: nothing."""
    eager, captured = Ours(graph, False), Ours(graph, True)
    eager.prepare()
    captured.prepare()
    for turn in range(rounds):
        expected, found = eager.run(turn), captured.run(turn)
        for name in expected:
            if expected[name] != found[name]:
                return f"round {turn}: {name} has other bits when captured"
    return None
