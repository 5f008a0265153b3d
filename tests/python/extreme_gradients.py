# SPDX-License-Identifier: Apache-2.0
# tests/python/extreme_gradients.py: gradients of f32 and bf16 at numbers near the ends of their
# range, with large means, zeros and ties, against the same rule in f64.
"""`python extreme_gradients.py` prints the table; test_extreme_gradients.py judges it."""

import collections
import json
import math
import random
import sys

import support
from support import tenon

sys.path.append(str(support.ROOT / "tests" / "goldens"))
from sample_text import Dtype, TensorText, parse

from tenon import _core

OPS = {each["name"]: each for each in json.loads(_core.query("ops"))}
SAMPLES = collections.defaultdict(list)
for _each in json.loads(_core.query("samples")):
    if _each["expect"] == 0:
        SAMPLES[_each["op"]].append(_each["text"])

NARROW = (tenon.float32, tenon.bfloat16)
FLOATS = ("f16", "bf16", "f32", "f64")
MOST = {"f32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38}
LEAST = {"f32": 1.1754943508222875e-38, "bf16": 1.1754943508222875e-38}
# Of the largest element of a gradient, and of an element itself.
WITHIN = {"f32": 3e-5, "bf16": 3e-2}

# Numbers for element i of a tensor, from what the sample would draw; `low` and `high` are its
# range, which an op may need (roots, logarithms).
PATTERNS = {
    "as drawn": lambda i, x: x,
    "large": lambda i, x: x * 1e30,
    "small": lambda i, x: x * 1e-30,
    "largest": lambda i, x: math.copysign(1e38, x) if i % 2 else x,
    "smallest": lambda i, x: math.copysign(2e-38, x) if i % 2 else x,
    "large and small": lambda i, x: x * (1e30 if i % 4 < 2 else 1e-30),
    "large mean": lambda i, x: 1e7 + round(8 * x),
    "zeros": lambda i, x: 0.0 if i % 3 == 0 else x,
    "large and zeros": lambda i, x: 0.0 if i % 3 == 2 else x * 1e30,
    "ties": lambda i, x: 0.75,
    "large ties": lambda i, x: 1e4,
}


def drawn(text, generator):
    """The elements of a tensor of a sample."""
    count = math.prod(text.shape)
    if text.given is not None:
        return list(text.given)
    return [text.low + generator.random() * (text.high - text.low) for _ in range(count)]


def shaped(numbers, shape, dtype):
    return tenon.tensor(numbers, dtype=dtype).reshape(shape)


class Call:
    """One call of an op, whose floats are rounded to `narrow`; those of operand `only`, or of all,
    are of a pattern."""

    def __init__(self, op, text, pattern, narrow, only=None):
        self.op, self.narrow = op, narrow
        inputs, attributes = parse(text)
        self.attributes = {
            name: value.name if isinstance(value, Dtype) else value
            for name, value in attributes.items()
        }
        self.generator = random.Random(20261129)
        self.inputs = [
            self.operand(each, pattern if only in (None, i) else "as drawn")
            for i, each in enumerate(inputs)
        ]

    def operand(self, given, pattern):
        if isinstance(given, list):
            return [self.operand(each, pattern) for each in given]
        if not isinstance(given, TensorText):
            return given
        numbers = drawn(given, self.generator)
        if given.dtype not in FLOATS:
            if given.dtype == "bool":
                numbers = [bool(x) if given.given else x < 0.5 for x in numbers]
            else:
                numbers = [math.floor(x) for x in numbers]
            return shaped(numbers, given.shape, given.dtype)
        most = MOST[self.narrow]
        numbers = [PATTERNS[pattern](i, x) for i, x in enumerate(numbers)]
        numbers = [min(max(x, -most), most) for x in numbers]
        return shaped(numbers, given.shape, "f64").astype(self.narrow)

    def gradients(self, dtype, moved=0.0):
        """The outputs and the gradients of all floats, computed in `dtype`, as lists of numbers. A
        gradient that is absent is None. With `moved` all numbers are another by that share."""
        leaves, shift = [], random.Random(3)

        def near(x):
            if not moved:
                return x
            shares = [1 + moved * shift.choice((-1, 1)) for _ in range(math.prod(x.shape))]
            return x * shaped(shares, x.shape, x.dtype)

        def leaf(given):
            if isinstance(given, list):
                return [leaf(each) for each in given]
            if not isinstance(given, tenon.Tensor) or given.dtype not in NARROW:
                return given
            made = near(given.astype(dtype)).detach()
            made.requires_grad = True
            leaves.append(made)
            return made

        inputs = [leaf(each) for each in self.inputs]
        if not leaves:
            return None
        name = self.op.removeprefix("tenon.")
        found = getattr(tenon.op.tenon, name)(*inputs, **self.attributes)
        found = found if isinstance(found, (list, tuple)) else [found]
        outputs = [x for x in found if isinstance(x, tenon.Tensor) and x.requires_grad]
        if not outputs:
            return None
        seeds = random.Random(7)
        total = []
        for output in outputs:
            numbers = [1.0 + round(seeds.random() * 8) / 8 for _ in range(math.prod(output.shape))]
            total.append(near(shaped(numbers, output.shape, "f64").astype(output.dtype)))
        got = tenon.grad(outputs, leaves, total)
        values = [x for output in outputs for x in output.detach().astype("f64").flatten().tolist()]
        return values, [
            None if each is None else each.astype("f64").flatten().tolist() for each in got
        ]


# These take a mean off, which is exact enough for any mean.
CENTRED = {
    "tenon." + name
    for name in (
        "var",
        "std",
        "layer_norm",
        "layer_norm_grad",
        "group_norm",
        "instance_norm",
        "batch_norm",
        "batch_norm_grad",
    )
}


def leaves_range(narrow, wide):
    """Is a result not finite that is so in f64? Its gradient says nothing then."""
    return any(
        math.isfinite(right) and not math.isfinite(found) for found, right in zip(narrow, wide)
    )


MOVED = 2.0**-46
EPSILON = {"f32": 2.0**-23, "bf16": 2.0**-7}


def judged(narrow, wide, near, dtype):
    """What is wrong with a gradient, and how much: of its worst element. `near` is that of
    operands moved a little, or None: how far rounding may take it."""
    largest = max((abs(x) for x in wide if math.isfinite(x)), default=0.0)
    worst = ("", 0.0)
    loose = 0.0
    if near:
        loose = max((abs(a - b) for a, b in zip(near, wide) if math.isfinite(a - b)), default=0.0)
        loose *= 32 * EPSILON[dtype] / MOVED
    for found, right in zip(narrow, wide):
        if not math.isfinite(right) or abs(right) >= MOST[dtype]:
            continue
        if not math.isfinite(found):
            return "not finite", math.inf
        apart = abs(found - right)
        if apart <= max(LEAST[dtype], loose):
            continue
        if apart > WITHIN[dtype] * largest and apart > worst[1] * largest:
            worst = ("wrong", apart / largest if largest else math.inf)
        elif not worst[0] and apart > 50 * WITHIN[dtype] * abs(right):
            worst = ("small ones", 0.0)
    return worst


def small_samples(op, most):
    """The first samples of an op, none with many elements, each with other attributes."""
    seen, chosen = set(), []
    for text in SAMPLES[op]:
        inputs, _ = parse(text)
        flat = [y for x in inputs for y in (x if isinstance(x, list) else [x])]
        tensors = [x for x in flat if isinstance(x, TensorText)]
        counts = [math.prod(x.shape) for x in tensors]
        if not counts or min(counts) == 0 or max(counts) > 96:
            continue
        if any(x.given is not None and x.dtype in FLOATS for x in tensors):
            continue
        key = text.partition("|")[2]
        if key in seen or len(chosen) == most:
            continue
        seen.add(key)
        chosen.append(text)
    return chosen


def rows(ops=None, dtypes=("f32", "bf16"), most=4):
    """What is not within tolerance, each as (op, sample, pattern, dtype, operand with the pattern,
    which gradient, what, how much), and how many gradients were compared."""
    found, compared = [], collections.Counter()
    for op, entry in OPS.items():
        if ops and op not in ops:
            continue
        if "random" in entry["flags"] or any(each["mutated"] for each in entry["inputs"]):
            continue
        for text in small_samples(op, most):
            for pattern in PATTERNS:
                for dtype in dtypes:
                    for only in operands_of(text):
                        case = (op, text, pattern, dtype, only)
                        judge(case, found, compared)
    return found, compared


def operands_of(text):
    """Those that a pattern is tried in, and all at once."""
    inputs, _ = parse(text)
    floats = [i for i, x in enumerate(inputs) if is_float(x)]
    return [None] if len(floats) < 2 else [*floats, None]


def is_float(given):
    if isinstance(given, list):
        return any(is_float(each) for each in given)
    return isinstance(given, TensorText) and given.dtype in FLOATS


def judge(case, found, compared):
    op, text, pattern, dtype, only = case
    try:
        call = Call(op, text, pattern, dtype, only)
        wide = call.gradients("f64")
        if wide is None:
            return
        narrow = call.gradients(dtype)
        exact = pattern == "large mean" and op in CENTRED
        near = (None, None) if exact else call.gradients("f64", MOVED)
    except (tenon.Error, ValueError) as error:
        compared[f"refused: {op}: {str(error)[:60]}"] += 1
        return
    if leaves_range(narrow[0], wide[0]):
        compared["left"] += 1
        return
    for i, (ours, right) in enumerate(zip(narrow[1], wide[1])):
        if ours is None or right is None:
            continue
        compared[op] += 1
        what, much = judged(ours, right, near[1] and near[1][i], dtype)
        if what:
            found.append((op, text, pattern, dtype, only, i, what, much))


# What is not within tolerance, and why: ops, patterns (none: any), kinds, the reason.
STEPS = (
    "gru gru_steps gru_steps_grad lstm lstm_cell lstm_steps lstm_steps_grad rnn rnn_cell rnn_steps"
)
REASONS = [
    (
        "addcdiv addcmul attention attention_grad attention_weights bmm conv conv_input_grad "
        "conv_weight_grad geglu_grad group_norm instance_norm layer_norm layer_norm_grad linear "
        "rms_norm rms_norm_grad batch_norm batch_norm_grad outer einsum matmul glu_grad " + STEPS,
        "largest",
        "not finite",
        "sums of products of 1e38 pass the largest number on their way, in the dtype of the sum",
    ),
    (
        "attention attention_grad attention_weights",
        "",
        "wrong",
        "weights less their mean: what is left where they cancel is rounding, as are logits of 1e7",
    ),
    (
        "batch_norm_grad",
        "",
        "wrong small ones",
        "second order is a composition in f32, whose squares end at 1e19",
    ),
    (
        "ctc_loss ctc_nll",
        "",
        "wrong not finite",
        "not logarithms of probabilities: sums of as many as there are steps have no digits left",
    ),
    (
        "gru_steps",
        "large and small|large and zeros",
        "not finite",
        "a state of 1e30 times weights of 1e30",
    ),
    (
        "lstm_steps_grad",
        "",
        "not finite",
        "gates that no forward step gives: 1e30 where it has numbers between -1 and 1",
    ),
    (
        "linear",
        "as drawn|zeros|small|ties|smallest",
        "wrong",
        "bf16: a sum that is rounded to 0 before its activation, a kink there",
    ),
    (
        "rnn rnn_cell",
        "",
        "wrong small ones",
        "bf16: 1 - y^2 of a y with 8 bits, which is near 1 or 1",
    ),
]


def reason_of(op, pattern, what):
    """Why, or nothing."""
    for ops, patterns, kinds, reason in REASONS:
        if op.removeprefix("tenon.") not in ops.split() or what not in kinds:
            continue
        if not patterns or pattern in patterns.split("|"):
            return reason
    return ""


def table(found):
    """Lines of `reason: op (how many)`, most first."""
    counted = collections.Counter()
    for op, _, pattern, _, _, _, what, _ in found:
        counted[reason_of(op, pattern, what) or "NO REASON", op.removeprefix("tenon.")] += 1
    lines = collections.defaultdict(list)
    for (reason, op), count in sorted(counted.items()):
        lines[reason].append(f"{op} {count}")
    return [f"{reason}: {', '.join(ops)}" for reason, ops in lines.items()]


if __name__ == "__main__":
    bad, counted = rows(set(sys.argv[1:]) or None)
    for row in bad:
        print(*row, sep=" ; ")
    print(*table(bad), sep="\n")
    for key, count in counted.items():
        if key.startswith("refused") or key == "left":
            print(count, key)
    ops = [key for key in counted if key in OPS]
    print(
        sum(counted[op] for op in ops),
        "gradients of",
        len(ops),
        "ops;",
        len(bad),
        "not within tolerance",
    )
