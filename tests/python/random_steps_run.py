# SPDX-License-Identifier: Apache-2.0
# tests/python/random_steps_run.py: runs random steps eagerly and captured, and compares the bits.
import contextlib
import math
import random
import struct
import threading

import random_steps_samples
from random_graphs_run import OURS, numbers
from random_steps import ROUNDS
from support import tenon

MOST_THREADS = 7
SEEDS = 3  # of the random numbers: any


# ---- Text ---------------------------------------------------------------------------------------

HELPERS = (
    OURS
    + '''
def twice(loss):
    if loss.requires_grad:
        loss.backward(retain_graph=True)
        loss.backward()

def gradient_alone(loss, leaf):
    found = tenon.grad(loss, leaf) if loss.requires_grad else None
    return tenon.zeros_like(leaf) if found is None else found

def read_gradient(leaf):
    return leaf.grad.clone()

def scale_gradient(leaf):
    with tenon.no_grad:
        leaf.grad *= 0.5

def keep_gradient(leaf, kept):
    kept.append(leaf.grad)

def set_gradient(leaf, value):
    leaf.grad = value.clone()

def drop_gradient(leaf):
    leaf.grad = None

def fit(x, shape, low, high, dtype):
    """Another tensor of numbers in a range, made of x."""
    size = 1
    for each in shape:
        size *= each
    flat = x.reshape(-1).astype("float64" if dtype == "float64" else "float32")
    flat = tenon.concat([flat] * (size // x.size + 1))[:size].reshape(shape)
    return (tenon.sin(flat) * ((high - low) * 0.49) + (high + low) * 0.5).astype(dtype)

def tame(x):
    """Without NaN and large numbers."""
    if not isinstance(x, tenon.Tensor):
        return tuple(tame(each) for each in x)
    if "float" not in x.dtype.name:
        return x
    return tenon.where(tenon.abs(x) < 100, x, 0.5)

def total(found, dtype):
    """A number that depends on every result."""
    found = (found,) if isinstance(found, tenon.Tensor) else found
    floats = [tame(x).astype(dtype) for x in found if "float" in x.dtype.name]
    return sum(tenon.tanh(x).sum() for x in floats) * 0.01
'''
)


def step_text(step):
    lines = [f"def step({', '.join([*step.inputs, *step.indices])}):"]
    if step.buffers:
        lines.append(f"    global {', '.join(step.buffers)}")
    lines += ["    kept.clear(), pending.clear()", "    results = []"]
    for node in step.statements:
        text = node.ours.format(*node.args)
        lines.append(f"    {node.name} = {text}" if node.name else f"    {text}")
    return "\n".join([*lines, "    return results"]) + "\n"


# ---- Running ------------------------------------------------------------------------------------


def bits(tensor):
    whole = tensor.detach()
    if whole.dtype.name == "bfloat16":
        whole = whole.astype("float32")  # which every bfloat16 is
    return bytes(memoryview(whole.contiguous())), tuple(tensor.shape), tensor.dtype.name


class Side:
    """The step, eager or captured. Both have the same random numbers, each its own counter."""

    def __init__(self, step, captured):
        self.step, self.captured, self.plan = step, captured, None
        self.random = (SEEDS, 0, 0)
        self.kept, self.pending, self.operands, self.given = [], [], {}, None
        self.leaves = {name: self.start(name, shape) for name, shape in step.leaves.items()}
        for leaf in self.leaves.values():
            leaf.requires_grad = True
        self.buffers = {}
        for name, shape in step.buffers.items():
            if isinstance(shape, str):
                self.buffers[name] = eval(shape, dict(self.buffers))
            else:
                self.buffers[name] = self.start(name, shape)
        self.optimizer = None
        if step.optimizer:
            name, hypers, leaves = step.optimizer
            params = [self.leaves[leaf] for leaf in leaves]
            self.optimizer = getattr(tenon.optim, name)(params, **hypers)
        space = {"tenon": tenon, "kept": self.kept, "pending": self.pending}
        space["optimizer"] = self.optimizer
        space |= self.leaves | self.buffers
        exec(HELPERS + step_text(step), space)
        self.function, self.dense = space["step"], space["dense"]

    def start(self, name, shape):
        made = numbers(self.step, name, shape, "start")
        return tenon.tensor(made, self.step.dtype).reshape(shape)

    def input(self, name, wanted, turn):
        rng = random.Random(f"{self.step.seed}/{name}/{turn}")
        made = random_steps_samples.tensor(wanted, rng)
        if wanted.layout == "transposed":
            made = made.mT.clone().mT
        elif wanted.layout == "offset":
            n, at = made.size, rng.randint(0, 3)
            whole = tenon.zeros([n + 4], dtype=wanted.dtype)
            whole[at : at + n] = made.reshape(-1)
            made = whole[at : at + n].reshape(wanted.shape)
        elif wanted.layout == "reversed":
            made = made[::-1].clone()[::-1]
        elif wanted.layout == "expanded":
            made = tenon.expand(made.clone(), shape=[2, *wanted.shape])[0]
        made.requires_grad = wanted.leaf
        return made

    def make_operands(self, turn, events):
        """Those of a round; some stay as they are, or are one tensor."""
        step = self.step
        made = {name: self.input(name, each, turn) for name, each in step.inputs.items()}
        for name, (shape, limit) in step.indices.items():
            values = numbers(step, name, shape, turn, limit)
            made[name] = tenon.tensor(values, "int64").reshape(shape)
        self.given = len(made)
        for kind, *what in events:
            if kind == "fewer" and self.operands:
                self.given = what[0]
                made |= dict(list(self.operands.items())[self.given :])
            elif kind == "same" and turn:
                pair = self.alike()
                if pair and list(made).index(pair[1]) < self.given:
                    made[pair[1]] = made[pair[0]]
        self.operands = made

    def alike(self):
        """Two inputs that may be one tensor."""
        forms = {}
        for name, each in self.step.inputs.items():
            if each.values is None and not each.leaf and name not in self.step.written:
                other = forms.setdefault((each.shape, each.dtype, each.layout), name)
                if other != name:
                    return other, name
        return None

    def prepare(self):
        if self.step.held:
            self.turn("before", [])

    def turn(self, turn, events):
        """One run of the step; what can be seen after it, by name."""
        tenon.set_rng_state(self.random)
        self.make_operands(turn, events)
        watched = tenon.profile() if ("profile",) in events else contextlib.nullcontext()
        if not self.captured or turn == "before":
            results = self.function(*self.operands.values())
        elif self.plan is None:
            tenon.set_threads(self.step.threads)
            self.pending.clear()
            self.plan = tenon.capture(self.function, *self.operands.values())
            results = self.plan.results
        else:
            tenon.set_threads(self.step.threads)
            if ("refused",) in events:
                self.be_refused()
            with watched:
                results = self.replay(("thread",) in events)
        tenon.set_threads(1)
        found = self.seen(results)
        self.random = tenon.get_rng_state()
        found["random numbers"] = self.random
        if turn == 0:
            found |= self.walk_back()
        self.pending.clear()
        return found

    def replay(self, elsewhere):
        """Perhaps in another thread, whose context has memory and random numbers of its own."""
        operands = list(self.operands.values())[: self.given]
        if not elsewhere:
            return self.plan(*operands)

        def run():
            tenon.set_rng_state(self.random)
            try:
                found.append(self.plan(*operands))
            except Exception as error:
                found.append(error)
            self.random = tenon.get_rng_state()

        found = []
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        tenon.set_rng_state(self.random)
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    def walk_back(self):
        """From what the step has recorded and left. A run would change what it was made of."""
        found = {}
        for number, loss in enumerate(self.pending):
            for name, leaf in self.leaves.items():
                try:
                    made = tenon.grad(loss, leaf, retain_graph=True)
                    found[f"late {number} of {name}"] = None if made is None else bits(made)
                except tenon.Error as error:
                    found[f"late {number} of {name}"] = type(error).__name__
        return found

    def be_refused(self):
        """A call with a wrong input changes nothing."""
        operands = list(self.operands.values())[: self.given]
        if not operands:
            return
        operands[-1] = tenon.zeros([2, 1, 2, 1, 2, 1])
        try:
            self.plan(*operands)
        except tenon.PlanShapeError:
            return
        raise AssertionError("a wrong input was not refused")

    def seen(self, results):
        found = {f"result {k}": each for k, each in enumerate(results)}
        found |= {f"kept {k}": each for k, each in enumerate(self.kept)}
        for name, leaf in self.leaves.items():
            found |= {f"gradient of {name}": self.dense(leaf), f"leaf {name}": leaf}
        found |= {f"buffer {name}": each for name, each in self.buffers.items()}
        for name, operand in self.operands.items():
            found[f"operand {name}"] = operand
            if operand.requires_grad:
                found[f"gradient of {name}"] = self.dense(operand)
        if self.optimizer:
            state = self.optimizer.state_dict()["state"]
            found |= {f"state {name}": each for name, each in state.items()}
        return {name: each if each is None else bits(each) for name, each in found.items()}

    def after(self, events, turn):
        """What the program does between two runs."""
        tenon.set_rng_state(self.random)
        for kind, *what in events:
            if kind == "clear" and what[0] in self.leaves:
                self.leaves[what[0]].grad = None
            elif kind == "lr" and self.optimizer:
                self.optimizer.lr = what[0]
            elif kind == "draw":
                tenon.uniform([what[0]])
            elif kind == "drop kept":
                self.kept.clear()
                self.drops = True
            elif kind == "captured again":
                self.plan, self.drops = None, False
            elif kind == "eager backward" and what[0] in self.leaves:
                leaf = self.leaves[what[0]]
                if leaf.grad is not None:
                    tenon.sin(leaf).sum().backward()
        self.random = tenon.get_rng_state()

    drops = False


class Refused(Exception):
    """The step itself fails: nothing can be said of its capture."""


def same(one, other):
    """Have two values the same bits, but for the sign and the payload of a NaN?"""
    if one == other:
        return True
    if not (isinstance(one, tuple) and isinstance(other, tuple)) or one[1:] != other[1:]:
        return False
    form = {"float16": "e", "float32": "f", "bfloat16": "f", "float64": "d"}.get(one[2])
    if form is None:
        return False
    size = struct.calcsize(form)
    for at in range(0, len(one[0]), size):
        pair = [each[0][at : at + size] for each in (one, other)]
        if pair[0] != pair[1]:
            if not all(math.isnan(struct.unpack("=" + form, each)[0]) for each in pair):
                return False
    return True


def difference(expected, found, drops):
    """The name of something that is not as it ought to be, or None."""
    for name in sorted({*expected, *found}):
        if name.startswith("kept") and drops:  # the captured program holds it no longer
            continue
        if name not in expected or name not in found or not same(expected[name], found[name]):
            return name
    return None


def compare(*steps, rounds=ROUNDS):
    """What replays do otherwise than the steps themselves, in words; None: nothing. The plans of
    several steps run in turn."""
    pairs = [(Side(step, False), Side(step, True)) for step in steps]
    try:
        for turn in ["before", *range(rounds)]:
            for number, (eager, captured) in enumerate(pairs):
                words = one_turn(turn, eager, captured)
                if words:
                    return f"step {number}, {words}" if len(steps) > 1 else words
            if turn == rounds - 2 and len(pairs) > 1:
                pairs.pop()  # what it holds goes, and the others run on
    finally:
        tenon.set_threads(1)
    return None


def one_turn(turn, eager, captured):
    step = eager.step
    if turn == "before":
        for side in (eager, captured) if step.held else ():
            run_eager(side, turn, [])
        return None
    events = step.events[turn] if turn < len(step.events) else []
    expected = run_eager(eager, turn, events)
    found = captured.turn(turn, events)
    name = difference(expected, found, captured.drops)
    if name:
        return f"round {turn}: {name} has other bits when captured"
    for side in (eager, captured):
        side.after(events, turn)
    return None


def run_eager(side, turn, events):
    try:
        return side.turn(turn, events)
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def judge(*steps):
    """As `compare`; what a capture or a replay raises is a difference, too."""
    try:
        return compare(*steps)
    except Refused:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"
