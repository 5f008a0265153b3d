#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/peers.py: the rows of gpu_bench for PyTorch, eager and as CUDA graphs, on one card, and
where gpu_bench has left its figures the ratios that the targets ask for.

usage    PYTHON peers.py [--ours FILE] [--device DEVICE] [--quick] [--output FILE]

PYTHON has PyTorch; without it, or without such a device, one line says so and the exit status is
77. --ours is what `gpu_bench --json` wrote. --device cpu with --quick shows that the script itself
works. PyTorch gets its best: fused optimizers, CUDA graphs where they fit, and for the product its
own call of cuBLASLt with bias and gelu in the epilogue, which is the bare library's figure here.
Times are the host's clock around calls and a wait for the device; the median of rounds counts.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

ROUNDS = 5
PIXELS, CLASSES = 784, 10


class Timer:
    def __init__(self, device, quick):
        self.device, self.quick = device, quick

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def total(self, body, calls):
        start = time.perf_counter()
        for _ in range(calls):
            body()
        self.wait()
        return time.perf_counter() - start

    def seconds(self, body):
        """Of one call: as many in a row as hide the wait behind them."""
        self.total(body, 2)
        calls = 1
        while self.total(body, calls) < (0 if self.quick else 0.02):
            calls *= 2
        return statistics.median(self.total(body, calls) / calls for _ in range(ROUNDS))

    def random(self, *shape, dtype=None):
        return torch.rand(*shape, device=self.device, dtype=dtype or torch.float32) * 2 - 1


def as_graph(body):
    """The same work as one CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            body()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()
    return graph.replay


def products(timer, rows):
    for side in (32, 64) if timer.quick else (4096, 8192):
        x, w = (timer.random(side, side, dtype=torch.bfloat16) for _ in range(2))
        bias = timer.random(side, dtype=torch.bfloat16)
        name = f"G1 bf16 linear+gelu {side}^3"

        def eager(x=x, w=w, bias=bias):
            return F.gelu(F.linear(x, w, bias), approximate="tanh")

        def library(x=x, w=w, bias=bias):
            return torch._addmm_activation(bias, x, w.t(), use_gelu=True)

        with torch.no_grad():
            rows.append((name, "PyTorch eager", timer.seconds(eager), 1.1))
            rows.append((name, "cuBLASLt through PyTorch", timer.seconds(library), 0.98))


def attention(timer, rows):
    heads, positions, depth = (2, 20, 64) if timer.quick else (12, 1024, 64)
    q, k, v = (timer.random(1, heads, positions, depth, dtype=torch.bfloat16) for _ in range(3))
    for causal in (False, True):
        name = f"attention bf16 {heads}x{positions}x{depth}{', causal' if causal else ''}"

        def body(causal=causal):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        with torch.no_grad():
            rows.append((name, "PyTorch", timer.seconds(body), None))


def training_step(timer, batch):
    """The step of tests/bench/programs/mlp_network.h."""
    model = torch.nn.Sequential(
        torch.nn.Linear(PIXELS, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, 32), torch.nn.ReLU(), torch.nn.Linear(32, CLASSES),
    ).to(timer.device)  # fmt: skip
    fused = timer.device == "cuda"
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=fused)
    images = timer.random(batch, PIXELS)
    labels = torch.randint(CLASSES, (batch,), device=timer.device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def steps(timer, rows):
    for batch in (64, 128 if timer.quick else 1024):
        name = f"G2 step of batch {batch}, replayed"
        rows.append((name, "PyTorch eager", timer.seconds(training_step(timer, batch)), 15))
        if timer.device == "cuda":
            replay = as_graph(training_step(timer, batch))
            rows.append((name, "PyTorch, CUDA graph", timer.seconds(replay), 2))


def gpt_shapes(width):
    ends = [(50257 if width == 768 else 500, width), (1024, width), (width,), (width,)]
    layer = [
        (width,), (width,), (width, 3 * width), (3 * width,), (width, width), (width,),
        (width,), (width,), (width, 4 * width), (4 * width,), (4 * width, width), (width,),
    ]  # fmt: skip
    return ends + 12 * layer


def optimizers(timer, rows):
    params = []
    for shape in gpt_shapes(16 if timer.quick else 768):
        params.append(torch.nn.Parameter(timer.random(*shape)))
        params[-1].grad = timer.random(*shape)
    cuda = timer.device == "cuda"
    optimizer = torch.optim.AdamW(params, fused=cuda, capturable=cuda)
    name = "G5 AdamW of GPT-2 124M"
    rows.append((f"{name}, eager", "PyTorch fused", timer.seconds(optimizer.step), None))
    if cuda:
        replay = as_graph(optimizer.step)
        rows.append((f"{name}, replayed", "PyTorch, CUDA graph", timer.seconds(replay), None))


def streams(timer, rows):
    height, width = (16, 64) if timer.quick else (16384, 4096)
    for dtype, suffix in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        x, y = (timer.random(height, width, dtype=dtype) for _ in range(2))
        weight, bias = (timer.random(width, dtype=dtype) for _ in range(2))
        bodies = {
            "add": lambda x=x, y=y: x + y,
            "mul": lambda x=x, y=y: x * y,
            "relu": lambda x=x: F.relu(x),
            "gelu": lambda x=x: F.gelu(x),
            "exp": lambda x=x: x.exp(),
            "layer_norm": lambda x=x, w=weight, b=bias: F.layer_norm(x, x.shape[-1:], w, b),
            "rms_norm": lambda x=x, w=weight: F.rms_norm(x, x.shape[-1:], w),
            "softmax": lambda x=x: F.softmax(x, -1),
            "log_softmax": lambda x=x: F.log_softmax(x, -1),
        }
        with torch.no_grad():
            for name, body in bodies.items():
                rows.append((f"G6 {name} {suffix}", "PyTorch eager", timer.seconds(body), None))


def read_ours(path):
    if not path or not pathlib.Path(path).is_file():
        return {}
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return {row["name"]: row["seconds"] for row in map(json.loads, lines)}


def table(rows, ours, judged):
    """Text, and how many targets were met of how many there are."""
    lines = [f"{'row':36} {'peer':26} {'peer us':>11} {'ours us':>11} {'ratio':>7}  target"]
    met = targets = 0
    for name, peer, seconds, target in rows:
        own = ours.get(name)
        ratio = seconds / own if own else None
        words = ""
        if target:
            words = f">= {target}"
            if ratio and judged:
                targets += 1
                met += ratio >= target
                words += " met" if ratio >= target else " not met"
        lines.append(
            f"{name:36} {peer:26} {seconds * 1e6:11.2f} {own * 1e6 if own else float('nan'):11.2f} "
            f"{ratio if ratio else float('nan'):7.2f}  {words}".rstrip()
        )
    lines.append(f"peers: {met} of {targets} targets met")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output")
    options = parser.parse_args()
    if torch is None:
        print(f"peers: {sys.executable} has no PyTorch")
        return 77
    if options.device == "cuda" and not torch.cuda.is_available():
        print(f"peers: PyTorch {torch.__version__} sees no CUDA device")
        return 77
    timer, rows, failed = Timer(options.device, options.quick), [], 0
    for part in (steps, products, attention, streams, optimizers):
        try:
            part(timer, rows)
        except (RuntimeError, AttributeError, TypeError) as error:
            print(f"peers: {part.__name__}: {error}", file=sys.stderr)
            failed = 1
    text = table(rows, read_ours(options.ours), not options.quick)
    text = f"PyTorch {torch.__version__}\n{text}"
    print(text)
    if options.output:
        pathlib.Path(options.output).write_text(text + "\n", encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
