# SPDX-License-Identifier: Apache-2.0
"""tests/bench/python_calls.py: what a call costs from Python, beside NumPy and PyTorch, one thread
each, in one run; writes a table in Markdown.

usage    PYTHON python_calls.py [--rounds N] [--output FILE] BUILD

PYTHON has PyTorch and NumPy. Those that stand beside each other are timed in turn, and the median
of the rounds counts. Nothing here is a test: machines differ and are busy.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import timeit

import numpy as np
import ops
import torch

BATCH = 64
LAYERS = ((784, 128), (128, 32), (32, 10))




def our_step(optimizer, pixels, labels, **hypers):
    """A training step of the perceptron; the loss is returned."""
    layers = [tenon.nn.linear(inputs=a, outputs=b) for a, b in LAYERS]
    params = [param for layer in layers for param in layer.parameters()]
    update = getattr(tenon.optim, optimizer)(params, **hypers)
    x, y = tenon.tensor(pixels), tenon.tensor(labels)

    def step():
        hidden = layers[1](layers[0](x).relu()).relu()
        loss = tenon.softmax_cross_entropy(layers[2](hidden), y)
        loss.backward()
        update.step(clear_grad=True)
        return loss

    return step


def torch_step(optimizer, pixels, labels, **hypers):
    layers = [torch.nn.Linear(a, b) for a, b in LAYERS]
    relu = torch.nn.ReLU()
    model = torch.nn.Sequential(layers[0], relu, layers[1], relu, layers[2])
    update = getattr(torch.optim, optimizer)(model.parameters(), fused=True, **hypers)
    x, y = torch.from_numpy(pixels), torch.from_numpy(labels)

    def step():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        update.zero_grad()
        loss.backward()
        update.step()
        return loss

    return step


def add():
    a, b = tenon.full([64], 1.5), tenon.full([64], 2.5)
    recorded = tenon.tensor(a, requires_grad=True)
    x, y = np.full(64, 1.5, np.float32), np.full(64, 2.5, np.float32)
    s, t = torch.full((64,), 1.5), torch.full((64,), 2.5)
    gradient = torch.full((64,), 1.5, requires_grad=True)
    yield "add of 64 elements", 20_000, lambda: a + b, {
        "NumPy": lambda: x + y,
        "PyTorch": lambda: s + t,
    }
    yield "the same, recorded", 20_000, lambda: recorded + b, {"PyTorch": lambda: gradient + t}


def indexing():
    ours = tenon.full([8, 8], 1.5)
    arrays = {"NumPy": np.full((8, 8), 1.5, np.float32), "PyTorch": torch.full((8, 8), 1.5)}

    def write(x):
        x[0] = 1.0

    for name, function in (
        ("x[0]", lambda x: x[0]),
        ("x[:, 1:3]", lambda x: x[:, 1:3]),
        ("x[0] = 1.0", write),
    ):
        yield f"{name} of 8 x 8", 20_000, lambda f=function: f(ours), {
            peer: lambda f=function, x=x: f(x) for peer, x in arrays.items()
        }


def scan():
    values = np.random.default_rng(0).random(1_000_000, np.float32)
    ours, theirs = tenon.tensor(values), torch.from_numpy(values)
    yield "cumsum of 1,000,000", 20, lambda: ours.cumsum(0), {
        "NumPy": lambda: values.cumsum(0),
        "PyTorch": lambda: theirs.cumsum(0),
    }


def steps():
    rng = np.random.default_rng(0)
    pixels = rng.normal(size=(BATCH, 784)).astype(np.float32)
    labels = rng.integers(0, 10, BATCH)
    for ours, theirs, hypers in (
        ("sgd", "SGD", {"lr": 0.01, "momentum": 0.9}),
        ("adam", "Adam", {"lr": 0.001}),
    ):
        ours_step = our_step(ours, pixels, labels, **hypers)
        yield f"MLP 784-128-32-10, batch {BATCH}, step of {ours}", 50, ours_step, {
            "PyTorch": torch_step(theirs, pixels, labels, **hypers)
        }


def epoch():
    pixels = np.zeros((6400, 784), np.float32)
    labels = np.arange(6400)
    ours = tenon.data.tensors(tenon.tensor(pixels), tenon.tensor(labels))
    theirs = torch.utils.data.TensorDataset(torch.from_numpy(pixels), torch.from_numpy(labels))
    mine = tenon.data.batches(ours, BATCH, shuffle=True)
    other = torch.utils.data.DataLoader(theirs, BATCH, shuffle=True)
    yield f"100 batches of {BATCH}, shuffled", 1, lambda: sum(1 for _ in mine), {
        "PyTorch": lambda: sum(1 for _ in other)
    }


def imports(package):
    """Starting Python and importing the packages, over starting Python alone."""

    def start(code):
        environment = {**os.environ, "PYTHONPATH": str(package)}
        return lambda: subprocess.run([sys.executable, "-c", code], env=environment, check=True)

    yield "start of Python and `import`", 1, start("import tenon"), {
        "Python alone": start("pass"),
        "NumPy": start("import numpy"),
        "PyTorch": start("import torch"),
    }


def medians(calls, number, rounds):
    """Seconds of one call of each, in rounds of one after the other."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(min(timeit.repeat(call, number=number, repeat=3)) / number)
    return {name: statistics.median(each) for name, each in times.items()}


def main():
    global tenon
    parser = argparse.ArgumentParser(description="calls from Python, beside NumPy and PyTorch")
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    package = args.build.resolve() / "python"
    if not (package / "tenon").is_dir():
        parser.error(f"{package} has no package `tenon`: build it first (./dev build --all)")
    sys.path.insert(0, str(package))
    import tenon

    tenon.configure(threads=1)
    torch.set_num_threads(1)
    lines = [
        f"PyTorch {torch.__version__}, NumPy {np.__version__}; one thread; median of "
        f"{args.rounds} rounds. The ratio is the peer's time over Tenon's.",
        "",
        "| what | Tenon | beside |",
        "|---|---:|---|",
    ]
    rows = [*add(), *indexing(), *scan(), *steps(), *epoch(), *imports(package)]
    for number, (what, count, ours, peers) in enumerate(rows):
        if sys.stderr.isatty():
            print(f"{number + 1} of {len(rows)}: {what}", file=sys.stderr)
        found = medians({"Tenon": ours, **peers}, count, args.rounds)
        beside = ", ".join(
            f"{name} {ops.shown(found[name])} ({found[name] / found['Tenon']:.2f} x)"
            for name in peers
        )
        lines.append(f"| {what} | {ops.shown(found['Tenon'])} | {beside} |")
    text = "\n".join(lines)
    print(text)
    if args.output:
        args.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
