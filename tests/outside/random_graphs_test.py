# SPDX-License-Identifier: Apache-2.0
# tests/outside/random_graphs_test.py: steps of random ops: Tenon's values and gradients against
# PyTorch's, and replays of captured steps bit by bit against the steps themselves.
"""The graphs are those of tests/python/random_graphs.py. TENON_TEST_SEED is the first seed,
TENON_TEST_GRAPHS how many are drawn. A graph that fails is made small, and printed as a program of
Tenon beside PyTorch's text of the step."""

import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import random_graphs
from random_graphs_run import HELPERS, Ours, compare_captured, numbers, step_text
from random_graphs_shrink import program, shrink

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

SEED = int(os.environ.get("TENON_TEST_SEED", "20261121"))
GRAPHS = int(os.environ.get("TENON_TEST_GRAPHS", "1000"))
# Of the largest number of a tensor. Sums of f32 in another order, functions rounded otherwise; what
# a graph makes of such a difference is bounded by random_graphs.LARGEST.
TOLERANCES = {"float64": 1e-10, "float32": 2e-3}
MOST_FAILURES = 3


THEIRS = """
def dense(leaf):
    return leaf.grad

def gradient(x, leaf):
    return torch.autograd.grad(x.sum(), [leaf], create_graph=True, allow_unused=True)[0]

def into(a, b):
    return a.detach() * b.detach()
"""


class Theirs:
    """The graph in PyTorch."""

    def __init__(self, graph):
        self.graph = graph
        space = {"torch": torch}
        self.leaves = {
            name: self.tensor(name, shape, "start") for name, shape in graph.leaves.items()
        }
        for leaf in self.leaves.values():
            leaf.requires_grad_(True)
        self.buffers = {
            name: self.tensor(name, shape, "start") for name, shape in graph.buffers.items()
        }
        space |= self.leaves | self.buffers
        exec(HELPERS.replace("LIBRARY", "torch") + THEIRS + step_text(graph, "theirs"), space)
        self.step = space["step"]

    def tensor(self, name, shape, turn, limit=None):
        dtype = torch.int64 if limit is not None else getattr(torch, self.graph.dtype)
        values = numbers(self.graph, name, shape, turn, limit)
        return torch.tensor(values, dtype=dtype).reshape(shape)

    def operands(self, turn):
        graph = self.graph
        made = [self.tensor(name, shape, turn) for name, (shape, _) in graph.inputs.items()]
        return made + [
            self.tensor(name, shape, turn, limit) for name, (shape, limit) in graph.indices.items()
        ]

    def prepare(self):
        if self.graph.held:
            self.step(*self.operands("before"))

    def run(self, turn):
        """As Ours.run, with tensors in place of bits."""
        results = self.step(*self.operands(turn))
        found = {f"result {k}": each for k, each in enumerate(results)}
        found |= {f"gradient of {name}": leaf.grad for name, leaf in self.leaves.items()}
        found |= {f"leaf {name}": leaf for name, leaf in self.leaves.items()}
        found |= {f"buffer {name}": buffer for name, buffer in self.buffers.items()}
        found = {
            name: each if each is None else each.detach().clone() for name, each in found.items()
        }
        if turn < len(self.graph.cleared):
            for name in self.graph.cleared[turn]:
                self.leaves[name].grad = None
        return found


def difference(dtype, expected, found):
    """Between a tensor and Tenon's bits and shape, in words; None: they agree."""
    if expected is None or found is None:
        return None if expected is found else f"PyTorch {expected}, Tenon {found}"
    data, shape = found
    if shape != tuple(expected.shape):
        return f"PyTorch has shape {tuple(expected.shape)}, Tenon {shape}"
    if not data:
        return None
    found = torch.frombuffer(bytearray(data), dtype=getattr(torch, dtype)).reshape(shape)
    largest = max(1.0, expected.abs().max().item())
    apart = (found - expected).abs().max().item()
    if apart <= TOLERANCES[dtype] * largest:  # false if either is NaN
        return None
    return f"{apart:.3g} apart of {largest:.3g}"


def compare_torch(graph):
    """What Tenon computes otherwise than PyTorch, in words; None: nothing."""
    theirs, ours = Theirs(graph), Ours(graph, False)
    # Of what has no slope at all PyTorch has zeros where Tenon has no gradient.
    twice = any(node.op == "slope" for nodes in graph.parts for node in nodes)
    theirs.prepare()
    ours.prepare()
    for turn in range(random_graphs.ROUNDS):
        expected, found = theirs.run(turn), ours.run(turn)
        for name in expected:
            words = difference(graph.dtype, expected[name], found[name])
            none = found[name] is None and expected[name] is not None
            if words and not (twice and none and not expected[name].any()):
                return f"round {turn}: {name}: {words}"
    return None


def check(graph):
    """The comparison that fails and its words, or None."""
    for compare in (compare_torch, compare_captured):
        try:
            words = compare(graph)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
        if words:
            return compare, words
    return None


def told(graph, compare, words):
    """A failure with a graph that is as small as it gets."""
    kind = words.partition(":")[0]

    def fails(each):
        try:
            return compare(each)
        except Exception as error:
            return type(error).__name__ == kind

    small = shrink(graph, fails)
    return (
        f"FAILED seed {graph.seed}, {compare.__name__}: {words}\n{program(small)}\n"
        f"# PyTorch's\n{step_text(small, 'theirs')}"
    )


def main():
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, seeds {SEED} to {SEED + GRAPHS - 1}")
    counts, failures = collections.Counter(), 0
    for seed in range(SEED, SEED + GRAPHS):
        graph = random_graphs.draw(seed)
        counts.update(node.op for nodes in graph.parts for node in nodes)
        failed = check(graph)
        if failed:
            failures += 1
            print(told(graph, *failed), flush=True)
        if failures == MOST_FAILURES:
            break
    print(f"{sum(counts.values())} nodes of {len(counts)} ops; {failures} graphs failed")
    for op, count in sorted(counts.items()):
        print(f"{op:16} {count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
