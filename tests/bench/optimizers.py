# SPDX-License-Identifier: Apache-2.0
"""tests/bench/optimizers.py: steps of optimizers over 10.6 million numbers, Tenon beside PyTorch.

usage    optimizers.py [--rounds N] [--threads 1,2] [--output FILE] BUILD

The parameters are the 24 matrices of a decoder of six layers, 384 wide, in f32, each with a
gradient; hyper-parameters are PyTorch's defaults, SGD with momentum 0.9. PyTorch takes part with
each of its implementations (one by one, foreach, fused where it has one), and the fastest of them
counts. Rounds go from one to the other, and a ratio is taken round by round, as in ops.py. Nothing
here is a test: machines differ and are busy.
"""

import argparse
import os
import pathlib
import platform
import statistics
import sys

import numpy as np
import ops
import torch

LAYERS, WIDTH = 6, 384
SHAPES = [(3 * WIDTH, WIDTH), (WIDTH, WIDTH), (4 * WIDTH, WIDTH), (WIDTH, 4 * WIDTH)]
# By name: PyTorch's class, its settings, and Tenon's where the name or the default is another.
OPTIMIZERS = {
    "sgd": ("SGD", {"momentum": 0.9}, "momentum=0.9 lr=0.001"),
    "adam": ("Adam", {}, ""),
    "adamw": ("AdamW", {}, ""),
    "nadam": ("NAdam", {}, ""),
    "rmsprop": ("RMSprop", {}, ""),
    "adagrad": ("Adagrad", {}, ""),
    "adadelta": ("Adadelta", {}, ""),
    "adafactor": ("Adafactor", {}, ""),
    "muon": ("Muon", {}, ""),
    "lion": (None, {}, ""),
    "lamb": (None, {}, ""),
}
WAYS = {"one by one": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}


def parameters():
    draw = np.random.default_rng(1)
    for shape in SHAPES * LAYERS:
        weight = torch.nn.Parameter(torch.from_numpy(draw.uniform(-0.1, 0.1, shape)).float())
        weight.grad = torch.from_numpy(draw.uniform(-0.01, 0.01, shape)).float()
        yield weight


def peers_of(name):
    """PyTorch's implementations of it, by name."""
    kind, settings, _ = OPTIMIZERS[name]
    peers = {}
    for way, choice in WAYS.items() if kind else ():
        try:
            peer = getattr(torch.optim, kind)(list(parameters()), **settings, **choice)
            peer.step()
        except (TypeError, RuntimeError, NotImplementedError):
            continue  # an implementation that this optimizer, or this device, does not have
        peers[way] = peer
    if kind and not peers:
        peers["its own"] = getattr(torch.optim, kind)(list(parameters()), **settings)
    return peers


def line_of(name, tenon, args, threads):
    peers = peers_of(name)
    times = {"Tenon": [], **{way: [] for way in peers}}
    for _ in range(args.rounds):
        answer = tenon.ask(f"tenon.{name} {OPTIMIZERS[name][2]}".strip())
        if "missing" in answer:
            return None
        times["Tenon"].append(answer["step"])
        for way, peer in peers.items():
            times[way].append(ops.seconds_of(peer.step, args.seconds))
    medians = {way: statistics.median(each) for way, each in times.items()}
    best = min(peers, key=medians.get, default="")
    cells = [name, threads, ops.shown(medians["Tenon"])]
    if best:
        ratios = sorted(t / p for t, p in zip(times["Tenon"], times[best], strict=True))
        cells += [f"{ops.shown(medians[best])} ({best})", f"{statistics.median(ratios):.2f}",
                  f"{ratios[0]:.2f} to {ratios[-1]:.2f}"]  # fmt: skip
    else:
        cells += ["", "", ""]
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each figure of a round")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--output", default="-")
    args = parser.parse_args()
    lines = []
    for threads in map(int, args.threads.split(",")):
        torch.set_num_threads(threads)
        tenon = ops.Program(args.build, "bench_optimizers", threads, args.seconds)
        for name in OPTIMIZERS:
            line = line_of(name, tenon, args, threads)
            lines += [line] if line else []
            if line and sys.stderr.isatty():
                print(line, file=sys.stderr)
        tenon.close()
    text = "\n".join([
        f"- machine: {ops.processor()}, {os.cpu_count()} threads, Linux {platform.release()}; load "
        f"{os.getloadavg()[0]:.1f} when it ended",
        f"- PyTorch {torch.__version__}, the fastest of its implementations",
        f"- medians of {args.rounds} rounds; the ratio is the median of the rounds' ratios",
        "",
        "| optimizer | threads | Tenon | PyTorch | Tenon / PyTorch | all rounds |",
        "|---|---|---|---|---|---|",
        *lines,
    ]) + "\n"  # fmt: skip
    if args.output == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(args.output).write_text(text)


if __name__ == "__main__":
    main()
