# SPDX-License-Identifier: Apache-2.0
"""tests/bench/ops.py: common ops at a thousand and a million elements, Tenon beside PyTorch and
NumPy, forward and backward, in one run; writes a table in Markdown.

usage    PYTHON ops.py [--rounds N] [--seconds S] [--threads 1,2] [--ops a,b] [--output FILE] BUILD

PYTHON has PyTorch and NumPy. The three are asked in turn (A B C A B C) for each row, and the median
of the rounds counts. Tenon is called by a C++ program (bench_ops), the others by Python through
timeit: what a call from Python costs, about half a microsecond, is in their figures. A row in which
Tenon takes more than 1.1 times as long as PyTorch says why (REASONS), or that nobody has said it
yet. Nothing here is a test: machines differ and are busy.

Busy ones are noticed, as their figures say nothing of an op. Where a neighbour takes a processor,
PyTorch's threads wait a time slice (8 ms) for each other and Tenon's pool works alone: rows of
several threads count only where bench_limits finds the processors free before and after. A ratio is
taken round by round, so that both sides had the same neighbours; where the middle rounds lie on
both sides of 1.1 it stands in brackets and judges nobody.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time
import timeit

import numpy as np
import torch
import torch.nn.functional as F

SIZES = {1_000: (10, 100, 32), 1_000_000: (1000, 1000, 1000)}  # rows, columns, side of a matrix
SLOWER = 1.1
BATCH_SECONDS = 1e-3
# PyTorch's threads spin for a while after a call: a pool that finds them there works alone.
AFTER_PEER_SECONDS = 0.02
FREE = 1.85  # times the FMA peak of one thread that two must reach, as in compare.py
DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "bool": np.bool_}

# Why Tenon is slower, by op, "op backward", or either with the number of elements after it
# ("sum 1000"): causes that were looked at, not guesses. The backwards of several ops were
# timed: the ops of the rule, called alone, take 0.9 of its time together.
PASSES = "the rule is {} ops, each a pass through memory, where PyTorch has one fused kernel"
REASONS = {
    "gelu": "f32 is computed in f64, with half the lanes, and rounded once: within 0.51 ULP, the "
    "same bits on every instruction set (backends/cpu/kernels/math_wide-inl.h)",
    "gelu backward": "gelu_grad is computed in f64 like gelu",
    "sigmoid": "exponential and quotient are carried in two parts, to be within 1 ULP with the "
    "same bits on every instruction set (backends/cpu/kernels/math-inl.h)",
    "sigmoid backward": PASSES.format("sub, mul, mul: 3"),
    "tanh backward": PASSES.format("mul, sub, mul: 3"),
    "softmax backward": PASSES.format("mul, sum, sub, mul: 4"),
    "log_softmax backward": PASSES.format("exp, sum, mul, sub: 4"),
    "slice, copied": "elements that lie apart are gathered into tiles on the stack first, one at a "
    "time, so that there is one loop per op (backends/cpu/kernels/element_walk.h)",
    "silu": "its sigmoid is carried in two parts, to be within 1 ULP far left of 0 too",
    "silu backward": PASSES.format("two sigmoids, neg, mul, add, mul: 6"),
    "floor backward": "its zeros are a where over dy, so that every shape of dy serves: one read "
    "more than a fill",
    "clamp": "either limit is a comparison, a test for NaN and a blend, so that NaN and limits in "
    "the wrong order have one result on every instruction set (backends/cpu/kernels/limits.cc)",
    "prod": "multiplied in f64, in a fixed order of 64 lanes: the same bits for any number of "
    "threads, and no overflow on the way (backends/cpu/kernels/fold.h)",
    "prod backward": "two scans and a recurrence in f64 instead of quotients, which fail at zeros",
    "cumsum": "one element after another in f64, rounded where it is stored "
    "(backends/cpu/kernels/scan.cc); PyTorch adds in f32",
    "cumsum backward": "a reversed cumsum: the same",
    "layer_norm backward": "sums of rows by the fixed tree, and those of weight and bias in a "
    "second pass over rows (backends/cpu/kernels/norm_grad.cc)",
    "gather": "indices are read twice, because nothing is written before all of them are checked",
    "gather backward": "zeros, then a scatter that reads its indices twice",
    "topk": "a selection that is stable, ties to the first, whose values come in order",
    "topk backward": "zeros, then a scatter that reads its indices twice",
    "sort backward": "zeros, then a scatter that reads its indices twice",
}
UNKNOWN = "nobody has said why yet"


@dataclasses.dataclass
class Row:
    """`operands` are in the grammar of samples, with {n} elements as {r} rows and {c} columns, or a
    matrix of side {m}; `torch` and `numpy` take them as their own."""

    name: str
    operands: str
    torch: object
    numpy: object
    op: str = ""
    attrs: str = ""

    def sample(self, n):
        r, c, m = SIZES[n]
        names = {"n": n, "r": r, "c": c, "m": m, "half": r // 2, "k": c // 10}
        text = f"{self.operands} | {self.attrs}" if self.attrs else self.operands
        return text.format(**names)

    def ops(self):
        names = (self.op or self.name).split("+")
        return "+".join(f"tenon.{name}" for name in names)


def unary(name, torch_function, numpy_function, span="(-2,2)", op=""):
    return Row(name, "f32[{n}]" + span, torch_function, numpy_function, op)


def binary(name, torch_function, numpy_function, span="(0.5,2)"):
    operand = "f32[{n}]" + span
    return Row(name, f"{operand}, {operand}", torch_function, numpy_function)


def rows_of(name, torch_function, numpy_function, attrs="", more="", op=""):
    return Row(name, "f32[{r},{c}]" + more, torch_function, numpy_function, op, attrs)


def np_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


ROWS = [
    binary("add", torch.add, np.add),
    binary("sub", torch.sub, np.subtract),
    binary("mul", torch.mul, np.multiply),
    binary("div", torch.div, np.divide),
    binary("pow", torch.pow, np.power),
    binary("maximum", torch.maximum, np.maximum),
    binary("minimum", torch.minimum, np.minimum),
    unary("exp", torch.exp, np.exp),
    unary("log", torch.log, np.log, "(0.5,2)"),
    unary("sqrt", torch.sqrt, np.sqrt, "(0.5,2)"),
    unary("tanh", torch.tanh, np.tanh),
    unary("sigmoid", torch.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    unary("relu", torch.relu, lambda x: np.maximum(x, 0)),
    unary("gelu", F.gelu, None),
    unary("silu", F.silu, lambda x: x / (1 + np.exp(-x))),
    unary("erf", torch.erf, None),
    unary("sin", torch.sin, np.sin),
    unary("cos", torch.cos, np.cos),
    unary("abs", torch.abs, np.abs),
    unary("floor", torch.floor, np.floor),
    Row("where", "bool[{n}], f32[{n}], f32[{n}]", torch.where, np.where),
    Row("clamp", "f32[{n}], -0.5, 0.5", torch.clamp, np.clip),
    unary("sum", torch.sum, np.sum),
    unary("mean", torch.mean, np.mean),
    unary("max", torch.amax, np.max),
    unary("min", torch.amin, np.min),
    unary("prod", torch.prod, np.prod, "(0.99,1.01)"),
    unary("var", lambda x: torch.var(x, correction=0), np.var),
    rows_of("argmax", lambda x: x.argmax(1), lambda x: x.argmax(1), "axis=1"),
    rows_of("cumsum", lambda x: x.cumsum(1), lambda x: x.cumsum(1), "axis=1"),
    rows_of("softmax", lambda x: x.softmax(-1), np_softmax),
    rows_of("log_softmax", lambda x: x.log_softmax(-1), None),
    rows_of("logsumexp", lambda x: x.logsumexp(1), None, "axes=[1]"),
    rows_of(
        "layer_norm",
        lambda x, w, b: F.layer_norm(x, w.shape, w, b),
        None,
        more=", f32[{c}], f32[{c}]",
    ),
    Row("matmul", "f32[{m},{m}], f32[{m},{m}]", torch.matmul, np.matmul),
    rows_of(
        "transpose, copied",
        lambda x: x.t().contiguous(),
        lambda x: np.ascontiguousarray(x.T),
        op="transpose+copy",
    ),
    Row(
        "concat",
        "[f32[{half},{c}], f32[{half},{c}]]",
        lambda *xs: torch.cat(xs),
        lambda *xs: np.concatenate(xs),
        attrs="axis=0",
    ),
    rows_of(
        "slice, copied",
        lambda x: x[:, ::2].contiguous(),
        lambda x: x[:, ::2].copy(),
        "axis=1, step=2",
        op="slice+copy",
    ),
    rows_of(
        "gather",
        lambda x, i: x.gather(1, i),
        lambda x, i: np.take_along_axis(x, i, 1),
        "axis=1",
        ", i64[{r},{c}](0,{c})",
    ),
    Row("embedding", "f32[1000,{c}], i64[{r}](0,1000)", lambda x, i: F.embedding(i, x),
        lambda x, i: x[i]),
    rows_of("sort", lambda x: x.sort(-1).values, lambda x: np.sort(x, -1)),
    rows_of("topk", lambda x: x.topk(x.shape[-1] // 10).values, None, "k={k}"),
    unary("cast", lambda x: x.to(torch.float64), lambda x: x.astype(np.float64)),
]  # fmt: skip
ROWS[-1].attrs = "dtype=f64"


def operands_of(text):
    """The arrays and numbers of a sample's inputs; a list is given as its items."""
    generator = np.random.default_rng(20261122)
    found = []
    pattern = r"(\w+)\[([\d,]*)\](?:\(([^,]+),([^)]+)\))?|(-?[\d.]+)"
    for dtype, shape, low, high, number in re.findall(pattern, text.split("|")[0]):
        if number:
            found.append(float(number))
            continue
        dims = [int(each) for each in shape.split(",") if each]
        if dtype == "bool":
            found.append(generator.integers(0, 2, dims).astype(np.bool_))
        elif dtype == "i64":
            found.append(generator.integers(int(low), int(high), dims))
        else:
            span = (float(low), float(high)) if low else (-1.0, 1.0)
            found.append(generator.uniform(*span, dims).astype(DTYPES[dtype]))
    return found


def seconds_of(call, seconds):
    timer = timeit.Timer(call)
    timer.timeit(1)
    one = max(timer.timeit(1), 1e-9)
    batch = max(1, int(BATCH_SECONDS / one))
    each = []
    while sum(each) * batch < seconds or len(each) < 3:
        each.append(timer.timeit(batch) / batch)
    return statistics.median(each)


class Program:
    """One of Tenon's programs, asked line by line."""

    def __init__(self, build, name, threads, seconds):
        program = pathlib.Path(build).resolve() / "bin" / name
        environment = {**os.environ, "TENON_THREADS": str(threads)}
        self.process = subprocess.Popen(
            [str(program), str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, line):
        time.sleep(AFTER_PEER_SECONDS)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the program ended at {line}")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ask_torch(row, operands, seconds):
    given = [torch.from_numpy(x) if isinstance(x, np.ndarray) else x for x in operands]
    with torch.no_grad():
        forward = seconds_of(lambda: row.torch(*given), seconds)
    leaves = [x for x in given if torch.is_tensor(x) and x.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    root = row.torch(*given)
    if not root.requires_grad:
        return {"forward": forward, "backward": None}
    seed = root.detach().clone()
    backward = seconds_of(
        lambda: torch.autograd.grad(root, leaves, seed, retain_graph=True), seconds
    )
    return {"forward": forward, "backward": backward}


def measure(tenon, row, n, rounds, seconds):
    """For "Tenon forward", ...: the figure of each round; or the name of an op that is missing."""
    operands = operands_of(row.sample(n))
    times = {}
    for _ in range(rounds):
        answer = tenon.ask(f"{row.ops()} {row.sample(n)}")
        if "missing" in answer:
            return answer["missing"]
        peers = {"Tenon": answer, "PyTorch": ask_torch(row, operands, seconds)}
        if row.numpy:
            peers["NumPy"] = {"forward": seconds_of(lambda: row.numpy(*operands), seconds)}
        for peer, figures in peers.items():
            for way, figure in figures.items():
                if figure is not None:
                    times.setdefault(f"{peer} {way}", []).append(figure)
    return times


def shown(seconds):
    if seconds is None:
        return ""
    unit, scale = next(
        (u, s) for u, s in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)) if seconds >= s or u == "ns"
    )
    digits = max(0, 2 - int(math.log10(max(seconds / scale, 1))))
    return f"{seconds / scale:.{digits}f} {unit}"


def reason_of(row, way, n):
    name = row.name if way == "forward" else f"{row.name} {way}"
    return REASONS.get(f"{name} {n}") or REASONS.get(name) or UNKNOWN


def ratios_of(times, way):
    """Ours by theirs in each round, in rising order, without the best and the worst round where
    there are enough of them."""
    pairs = zip(times[f"Tenon {way}"], times[f"PyTorch {way}"], strict=True)
    each = sorted(ours / theirs for ours, theirs in pairs)
    return each[1:-1] if len(each) >= 5 else each


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.1g}"


def line_of(row, n, threads, times):
    """The line, and for each way its ratio, reason and doubt: (ratio, words, doubtful)."""
    medians = {name: statistics.median(each) for name, each in times.items()}
    cells = [row.name, f"{n:,}".replace(",", " "), threads]
    ways, spans = {}, []
    for way in ("forward", "backward"):
        ours, theirs = medians.get(f"Tenon {way}"), medians.get(f"PyTorch {way}")
        cells += [shown(ours), shown(theirs)]
        cells += [shown(medians.get("NumPy forward"))] if way == "forward" else []
        if not ours or not theirs:
            cells.append("")
            continue
        ratios = ratios_of(times, way)
        ratio, doubtful = statistics.median(ratios), ratios[0] <= SLOWER < ratios[-1]
        ways[way] = ratio, reason_of(row, way, n) if ratio > SLOWER else "", doubtful
        cells.append(f"({ratio_text(ratio)})" if doubtful else ratio_text(ratio))
        spans.append(f"{ratio_text(ratios[0])} to {ratio_text(ratios[-1])}")
    reasons = [f"{way}: {words}" for way, (_, words, doubtful) in ways.items() if words]
    cells += ["; ".join(spans), "; ".join(reasons)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |", ways


HEAD = [
    "| op | elements | threads | Tenon | PyTorch | NumPy | Tenon / PyTorch | Tenon backward | "
    "PyTorch backward | Tenon / PyTorch | middle rounds | why slower |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
]


def processors_free(build, threads):
    """True if so many threads get what they should; None: it cannot be measured here."""
    program = pathlib.Path(build).resolve() / "bin/bench_limits"
    if threads == 1:
        return True
    if not program.exists():
        return None
    done = subprocess.run([str(program), str(threads)], capture_output=True, text=True, check=True)
    limits = json.loads(done.stdout)
    return limits["fma_all"] >= FREE / 2 * threads * limits["fma_1"]


def rows_for(args, rows, threads, absent):
    """Lines, and what line_of says of each."""
    torch.set_num_threads(threads)
    tenon = Program(args.build, "bench_ops", threads, args.seconds)
    lines, judged = [], []
    for row in rows:
        for n in SIZES:
            times = measure(tenon, row, n, args.rounds, args.seconds)
            if isinstance(times, str):
                absent[row.name] = times
                break
            line, ways = line_of(row, n, threads, times)
            lines.append(line)
            judged += ways.values()
            if sys.stderr.isatty():
                print(line, file=sys.stderr)
    tenon.close()
    return lines, judged


def table_of(args, rows):
    lines, judged, absent, notes = [], [], {}, []
    for threads in args.threads:
        if processors_free(args.build, threads) is False:
            notes.append(f"- {threads} threads: not measured, the processors were not free")
            continue
        found, verdicts = rows_for(args, rows, threads, absent)
        if processors_free(args.build, threads) is False:
            notes.append(f"- {threads} threads: thrown away, the processors were not free after it")
            continue
        lines += found
        judged += verdicts
    clear = [(ratio, words) for ratio, words, doubtful in judged if not doubtful]
    slower = [words for ratio, words in clear if ratio > SLOWER]
    notes.append(
        f"- {len(slower)} of {len(clear)} figures more than {SLOWER} times PyTorch's, "
        f"{slower.count(UNKNOWN)} of them without a reason; {len(judged) - len(clear)} more were "
        "now above, now below"
    )
    if absent:
        notes.append("- not in the registry yet: " + ", ".join(absent.values()))
    return notes, lines


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.02, help="for each figure of a round")
    parser.add_argument("--ops", default="", help="names of rows, comma separated")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--output", default="-")
    args = parser.parse_args()
    args.threads = [int(each) for each in args.threads.split(",")]
    wanted = set(filter(None, args.ops.split(",")))
    rows = [row for row in ROWS if not wanted or row.name in wanted]
    if not rows:
        sys.exit(f"ops.py: no row is named {args.ops}")
    summary, lines = table_of(args, rows)
    text = "\n".join([
        f"- machine: {processor()}, {os.cpu_count()} threads, Linux {platform.release()}; load "
        f"{os.getloadavg()[0]:.1f} when it ended",
        f"- PyTorch {torch.__version__}, NumPy {np.__version__}",
        f"- medians of {args.rounds} rounds, the three in turn; a ratio is the median of those of "
        "the rounds, of which the middle ones lie as the last but one column says; (in brackets): "
        f"some above {SLOWER}, some below",
        "- forward makes its result and records nothing; backward is all gradients of float "
        "operands, the graph kept",
        "- Tenon is called from C++, PyTorch and NumPy from Python by timeit, which costs them "
        "about half a microsecond a call; NumPy uses one thread but for matmul",
        *summary,
        "",
        *HEAD,
        *lines,
    ]) + "\n"  # fmt: skip
    if args.output == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(args.output).write_text(text)


if __name__ == "__main__":
    main()
