# SPDX-License-Identifier: Apache-2.0
"""tests/bench/convolution.py: convolution networks, Tenon beside PyTorch in one run: single layers
of known networks, forward and both gradients, and steps of residual networks with what memory they
take; writes tables in Markdown.

usage    PYTHON convolution.py [--rounds N] [--threads 1,2] [--seeds 0,1,2] [--epochs 5]
                               [--parts layers,provider,steps,memory,choices,accuracy]
                               [--output FILE] BUILD

`provider` has oneDNN in the same process, by `tenon bench`: the plugin tenon.onednn, pinned.
`accuracy`, which takes an hour, trains on MNIST in $TENON_DATA/mnist, and is left out unless named.

PYTHON has PyTorch, whose convolutions are oneDNN's, and NumPy. The two are called by turns, and the
least time of each counts: of what disturbs a machine nothing makes a call faster. Nothing here is a
test: machines differ and are busy.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy as np
import ops
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples/python"), str(ROOT / "tests/support")]
import convolution_choices
from torch_blocks import TorchBlock

# Name, images, groups, channels in and out of a group, size, kernel, stride, padding.
LAYERS = (
    ("3x3 64, 56 (P22)", 32, 1, 64, 64, 56, 3, 1, 1),
    ("3x3 32 to 64 /2, 28", 64, 1, 32, 64, 28, 3, 2, 1),
    ("3x3 32, 28", 64, 1, 32, 32, 28, 3, 1, 1),
    ("ResNet-18 7x7 3 to 64 /2, 224", 1, 1, 3, 64, 224, 7, 2, 3),
    ("ResNet-18 3x3 64, 56", 1, 1, 64, 64, 56, 3, 1, 1),
    ("ResNet-18 3x3 128, 28", 1, 1, 128, 128, 28, 3, 1, 1),
    ("ResNet-18 3x3 256, 14", 1, 1, 256, 256, 14, 3, 1, 1),
    ("ResNet-18 3x3 512, 7", 1, 1, 512, 512, 7, 3, 1, 1),
    ("ResNet-18 3x3 128, 28", 32, 1, 128, 128, 28, 3, 1, 1),
    ("ResNet-18 3x3 128 to 256 /2, 28", 32, 1, 128, 256, 28, 3, 2, 1),
    ("ResNet-18 3x3 256, 14", 32, 1, 256, 256, 14, 3, 1, 1),
    ("ResNet-18 3x3 512, 7", 32, 1, 512, 512, 7, 3, 1, 1),
    ("ResNet-18 1x1 64 to 128 /2, 56", 32, 1, 64, 128, 56, 1, 2, 0),
    ("MobileNetV2 1x1 16 to 96, 112", 1, 1, 16, 96, 112, 1, 1, 0),
    ("MobileNetV2 1x1 144 to 24, 56", 32, 1, 144, 24, 56, 1, 1, 0),
    ("MobileNetV2 1x1 160 to 960, 7", 32, 1, 160, 960, 7, 1, 1, 0),
    ("MobileNetV2 depthwise 32, 112", 1, 32, 1, 1, 112, 3, 1, 1),
    ("MobileNetV2 depthwise 96 /2, 112", 32, 96, 1, 1, 112, 3, 2, 1),
    ("MobileNetV2 depthwise 144, 56", 32, 144, 1, 1, 56, 3, 1, 1),
    ("MobileNetV2 depthwise 960, 7", 32, 960, 1, 1, 7, 3, 1, 1),
)
WAYS = ("forward", "dx", "dw")

# Channels of the first convolution; channels in and out and stride of each block.
NETWORKS = {
    "H2": (32, ((32, 32, 1), (32, 64, 2))),
    "512 channels": (64, ((64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2))),
}
STEPS = (("H2", 64), ("H2", 128), ("512 channels", 32))
HYPERS = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4}


def least(calls, rounds):
    """Seconds of one call of each, by turns. PyTorch's threads spin for a while after a call, and
    whoever comes next finds one processor less: so a pause before each."""
    best = dict.fromkeys(calls, math.inf)
    for number in range(rounds + 1):
        for name, call in calls.items():
            time.sleep(ops.AFTER_PEER_SECONDS)
            start = time.perf_counter()
            call()
            if number:  # the first of all prepares
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def layer(tenon, shape, rounds):
    """For each way its operations and seconds of both."""
    _, images, groups, inputs, outputs, size, kernel, stride, padding = shape
    rng = np.random.default_rng(0)
    x = rng.normal(size=(images, groups * inputs, size, size)).astype(np.float32)
    w = rng.normal(size=(groups * outputs, inputs, kernel, kernel)).astype(np.float32)
    tx, tw = torch.from_numpy(x), torch.from_numpy(w)
    ax, aw = tenon.tensor(x), tenon.tensor(w)
    here = {"stride": [stride], "padding": [padding], "groups": groups}
    y = tenon.conv(ax, aw, **here)
    dy = rng.normal(size=y.shape).astype(np.float32)
    tdy, ady = torch.from_numpy(dy), tenon.tensor(dy)

    def backward(*wanted):
        return torch.ops.aten.convolution_backward(
            tdy, tx, tw, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups, wanted
        )

    def forward():
        return F.conv2d(tx, tw, stride=stride, padding=padding, groups=groups)

    far = np.abs(y.numpy() - forward().numpy()).max()
    assert far < 1e-4 * math.sqrt(inputs) * kernel * 10, far
    calls = {
        "forward": (lambda: tenon.conv(ax, aw, **here), forward),
        "dx": (
            lambda: tenon.conv_input_grad(ady, aw, size=[size, size], **here),
            lambda: backward(True, False, False),
        ),
        "dw": (
            lambda: tenon.conv_weight_grad(ady, ax, kernel=[kernel, kernel], **here),
            lambda: backward(False, True, False),
        ),
    }
    operations = 2 * w.size * images * y.shape[2] * y.shape[3]
    return operations, {
        way: least({"Tenon": ours, "PyTorch": theirs}, rounds)
        for way, (ours, theirs) in calls.items()
    }


def torch_network(width, blocks):
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, width, 3, 1, 1, bias=False),
        torch.nn.BatchNorm2d(width),
        torch.nn.ReLU(inplace=True),
        *(TorchBlock(*block) for block in blocks),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(blocks[-1][1], 10),
    )


def tenon_network(tenon, width, blocks):
    import resnet  # examples/python

    return tenon.nn.sequential(
        resnet.conv(1, width, 3),
        tenon.nn.batch_norm(features=width),
        tenon.nn.activation(op="relu"),
        *(resnet.block(*each) for each in blocks),
        tenon.nn.adaptive_avg_pool(output_size=[1]),
        tenon.nn.flatten(),
        tenon.nn.linear(inputs=blocks[-1][1], outputs=10),
    )


def batch_of(size):
    rng = np.random.default_rng(0)
    pixels = rng.normal(size=(size, 1, 28, 28)).astype(np.float32)
    return pixels, rng.integers(0, 10, size)


def tenon_training(tenon, network, size):
    """A step, and the batch that it takes."""
    batch = [tenon.tensor(each) for each in batch_of(size)]
    model = tenon_network(tenon, *NETWORKS[network])
    update = tenon.optim.sgd(model.parameters(), **HYPERS)

    def step(x, y):
        loss = tenon.softmax_cross_entropy(model(x), y)
        loss.backward()
        update.step(clear_grad=True)
        return loss

    return step, batch


def tenon_step(tenon, network, size, captured):
    step, batch = tenon_training(tenon, network, size)
    run = tenon.captured(step) if captured else step
    return lambda: run(*batch).item()


def torch_step(network, size):
    pixels, labels = (torch.from_numpy(each) for each in batch_of(size))
    model = torch_network(*NETWORKS[network])
    update = torch.optim.SGD(model.parameters(), fused=True, **HYPERS)

    def step():
        update.zero_grad()
        loss = F.cross_entropy(model(pixels), labels)
        loss.backward()
        update.step()
        return loss.item()

    return step


def in_fast_arithmetic(tenon, call):
    def fast():
        tenon.fast_arithmetic()
        try:
            return call()
        finally:
            tenon.fast_arithmetic(False)

    return fast


def growth(make, *options):
    """Most resident bytes in four steps, less those before the network was made."""

    def resident(name):
        text = pathlib.Path("/proc/self/status").read_text()
        fields = dict(line.split(":", 1) for line in text.splitlines())
        return int(fields[name].split()[0]) * 1024

    before = resident("VmRSS")
    step = make(*options)
    for _ in range(4):
        step()
    return resident("VmHWM") - before


def work(task, rounds, threads):
    """What a child process measures."""
    kind, *rest = task
    torch.set_num_threads(threads)
    if kind == "torch train":
        return train_torch(*rest)
    if kind == "torch memory":  # Tenon's package is not even loaded
        return growth(torch_step, *rest)
    import tenon

    tenon.configure(threads=threads, check=rest[0] if kind == "recorded" else "")
    if kind == "train":
        return train_tenon(tenon, *rest)
    if kind == "choices":
        return convolution_choices.pairs(tenon, rounds, least, in_fast_arithmetic)
    if kind == "arena":
        return convolution_choices.arena(tenon, rounds, least, *tenon_training(tenon, *rest))
    if kind in ("recorded", "col2im"):
        return getattr(convolution_choices, kind)(tenon, rounds)
    if kind == "layer":
        return layer(tenon, rest, rounds)
    if kind == "memory":
        return growth(tenon_step, tenon, *rest)
    calls = {
        "Tenon": tenon_step(tenon, *rest, False),
        "captured": tenon_step(tenon, *rest, True),
        "fast": in_fast_arithmetic(tenon, tenon_step(tenon, *rest, False)),
        "PyTorch": torch_step(*rest),
    }
    return least(calls, rounds)


def ask(args, task, threads):
    """`work` in a process of its own, whose pool has so many threads."""
    done = subprocess.run(
        [sys.executable, __file__, "--work", json.dumps(task), "--rounds", str(args.rounds)]
        + ["--threads", str(threads), str(args.build)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"convolution.py: {task}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def add_row(args, lines, cells):
    lines.append("| " + " | ".join(map(str, cells)) + " |")
    if args.output != "-" and sys.stderr.isatty():
        print(lines[-1], file=sys.stderr)


def chosen(args):
    lines = ["| choice | threads | with | without | times |", "|---|---:|---:|---:|---:|"]

    def add(name, threads, ours, plain, shown=ops.shown):
        cells = [name, threads, shown(ours), shown(plain), f"{plain / ours:.2f}"]
        add_row(args, lines, cells)

    for threads in args.threads:
        for name, op, sample in convolution_choices.ELEMENTWISE:
            add(name, threads, *pinned(args, op, sample, threads, ("tenon.cpu", "tenon.ref")))
        for name, both in ask(args, ("choices",), threads).items():
            add(name, threads, *both)
        recorded = [ask(args, ("recorded", mode), threads) for mode in ("", "threads")]
        add(convolution_choices.RECORDED, threads, *recorded)
        found = ask(args, ("arena", "H2", 64), threads)
        add(convolution_choices.ARENA, threads, *found["bytes"], lambda n: f"{n / 1e6:.1f} MB")
        add(convolution_choices.REPLAY, threads, *found["seconds"])
        if threads > 1:
            halves = [ask(args, ("col2im",), count) for count in (threads, 1)]
            add("col2im by all threads, against one", threads, *halves)
    return lines


def means(name, ratios):
    """Geometric ones, in words."""
    ways = ", ".join(f"{way} {math.exp(np.log(found).mean()):.2f}" for way, found in ratios.items())
    every = [ratio for found in ratios.values() for ratio in found]
    return f"Geometric means of {name}: {ways}, all {math.exp(np.log(every).mean()):.2f}."


def layers(args):
    lines = [
        "| layer | images | threads | "
        + " | ".join(f"{way} | GFLOP/s, of the peak | PyTorch / Tenon" for way in WAYS)
        + " |",
        "|---|---:|---:|" + "---:|---:|---:|" * len(WAYS),
    ]
    ratios = {way: [] for way in WAYS}
    for threads in args.threads:
        peak = args.limits.get("fma_1", math.nan) * threads
        for shape in LAYERS:
            operations, found = ask(args, ("layer", *shape), threads)
            cells = [shape[0], shape[1], threads]
            for way in WAYS:
                ours, ratio = found[way]["Tenon"], found[way]["PyTorch"] / found[way]["Tenon"]
                ratios[way].append(ratio)
                speed = operations / ours
                cells += [ops.shown(ours), f"{speed / 1e9:.1f}, {100 * speed / peak:.0f} %"]
                cells += [f"{ratio:.2f}"]
            add_row(args, lines, cells)
    return [*lines, "", means("PyTorch / Tenon", ratios)]


def pinned(args, op, sample, threads, plugins=("tenon.cpu", "tenon.onednn")):
    """Least seconds of a call by each."""
    best = dict.fromkeys(plugins, math.inf)
    for turn in range(4):
        plugin = plugins[turn % 2]
        done = subprocess.run(
            [args.build / "bin/tenon", "bench", "--json", "--min-time", "0.3"]
            + ["--plugins", plugin, op, sample],
            env={**os.environ, "TENON_THREADS": str(threads)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"convolution.py: {op} {sample}: {done.stderr.strip()}")
        (found,) = json.loads(done.stdout)["providers"]
        best[plugin] = min(best[plugin], found["best_s"])
    return best.values()


def provider(args):
    lines = [
        "| layer | images | threads | "
        + " | ".join(f"{way} | oneDNN / Tenon" for way in WAYS)
        + " |",
        "|---|---:|---:|" + "---:|---:|" * len(WAYS),
    ]
    ratios = {way: [] for way in WAYS}
    for threads in args.threads:
        for name, images, groups, inputs, outputs, size, kernel, stride, padding in LAYERS:
            windows = (size + 2 * padding - kernel) // stride + 1
            x = f"f32[{images},{groups * inputs},{size},{size}]"
            w = f"f32[{groups * outputs},{inputs},{kernel},{kernel}]"
            dy = f"f32[{images},{groups * outputs},{windows},{windows}]"
            here = f"stride=[{stride}], padding=[{padding}], groups={groups}"
            samples = {
                "forward": ("tenon.conv", f"{x}, {w} | {here}"),
                "dx": ("tenon.conv_input_grad", f"{dy}, {w} | size=[{size},{size}], {here}"),
                "dw": (
                    "tenon.conv_weight_grad",
                    f"{dy}, {x} | kernel=[{kernel},{kernel}], {here}",
                ),
            }
            cells = [name, images, threads]
            for way, (op, sample) in samples.items():
                ours, theirs = pinned(args, op, sample, threads)
                ratios[way].append(theirs / ours)
                cells += [ops.shown(ours), f"{theirs / ours:.2f}"]
            add_row(args, lines, cells)
    return [*lines, "", means("oneDNN / Tenon", ratios)]


def steps(args):
    lines = [
        "| network | batch | threads | Tenon | captured | fast arithmetic | PyTorch "
        "| PyTorch / Tenon | / captured | / fast |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for threads in args.threads:
        for network, size in STEPS:
            found = ask(args, ("step", network, size), threads)
            cells = [network, size, threads, *map(ops.shown, found.values())]
            ours = [found[way] for way in found if way != "PyTorch"]
            cells += [f"{found['PyTorch'] / each:.2f}" for each in ours]
            add_row(args, lines, cells)
    return lines


def memory(args):
    lines = [
        "| network | batch | Tenon | captured | PyTorch |",
        "|---|---:|---:|---:|---:|",
    ]
    for network, size in STEPS:
        tasks = (
            ("memory", network, size, False),
            ("memory", network, size, True),
            ("torch memory", network, size),
        )
        cells = [f"{ask(args, task, 1) / 1e6:.0f} MB" for task in tasks]
        add_row(args, lines, [network, size, *cells])
    return lines


def mnist(part):
    """Pixels, normalised, and labels."""
    folder = pathlib.Path(os.environ["TENON_DATA"]) / "mnist"
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8)[16:]
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8)[8:].astype(np.int64)
    pixels = (pixels.astype(np.float32) / 255 - np.float32(0.1307)) / np.float32(0.3081)
    return pixels.reshape(-1, 1, 28, 28), labels


def batches(seed, count):
    """Places of the images of each batch; the same for both."""
    order = np.random.default_rng(seed).permutation(count)
    return [order[i : i + 128] for i in range(0, count - 127, 128)]


def rate(epoch, epochs):
    """Of an epoch: half a cosine from H2's 0.1, as examples/python/resnet.py. At 0.1 to the end
    neither framework comes to 99.2 % in five epochs."""
    return HYPERS["lr"] * (1 + math.cos(math.pi * epoch / epochs)) / 2


def train_tenon(tenon, seed, epochs):
    pixels, labels = mnist("train")
    tenon.seed(seed)
    model = tenon_network(tenon, *NETWORKS["H2"])
    update = tenon.optim.sgd(model.parameters(), **HYPERS)

    @tenon.captured
    def step(x, y):
        loss = tenon.softmax_cross_entropy(model(x), y)
        loss.backward()
        update.step(clear_grad=True)
        return loss

    for epoch in range(epochs):
        update.lr = rate(epoch, epochs)
        for chosen in batches(1000 * seed + epoch, len(labels)):
            step(tenon.tensor(pixels[chosen]), tenon.tensor(labels[chosen]))
    model.eval()
    pixels, labels = mnist("t10k")
    right = 0
    with tenon.no_grad:
        for i in range(0, len(labels), 500):
            guess = model(tenon.tensor(pixels[i : i + 500])).argmax(axis=1).numpy()
            right += int((guess == labels[i : i + 500]).sum())
    return right / len(labels)


def train_torch(seed, epochs):
    pixels, labels = (torch.from_numpy(each) for each in mnist("train"))
    torch.manual_seed(seed)
    model = torch_network(*NETWORKS["H2"])
    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            torch.nn.init.kaiming_uniform_(module.weight, nonlinearity="relu")
    update = torch.optim.SGD(model.parameters(), fused=True, **HYPERS)
    for epoch in range(epochs):
        for group in update.param_groups:
            group["lr"] = rate(epoch, epochs)
        for chosen in batches(1000 * seed + epoch, len(labels)):
            update.zero_grad()
            F.cross_entropy(model(pixels[chosen]), labels[chosen]).backward()
            update.step()
    model.eval()
    pixels, labels = (torch.from_numpy(each) for each in mnist("t10k"))
    with torch.no_grad():
        guesses = torch.cat([model(part).argmax(1) for part in pixels.split(500)])
    return (guesses == labels).double().mean().item()


def accuracy(args):
    lines = ["| seed | Tenon | took | PyTorch | took |", "|---|---:|---:|---:|---:|"]
    found = {"train": [], "torch train": []}
    for seed in args.seeds:
        cells = [seed]
        for kind in found:
            start = time.monotonic()
            found[kind].append(ask(args, (kind, seed, args.epochs), max(args.threads)))
            cells += [f"{100 * found[kind][-1]:.2f} %", f"{time.monotonic() - start:.0f} s"]
        add_row(args, lines, cells)
    cells = [f"{100 * np.median(each):.2f} % | " for each in found.values()]
    return [*lines, "| median | " + " | ".join(cells) + "|"]


PARTS = {
    "layers": ("Layers, f32: least time of a call", layers),
    "provider": ("Layers beside oneDNN in the same process, f32: least time of a call", provider),
    "steps": ("Steps of residual networks on images of 28x28, SGD with momentum", steps),
    "memory": ("Most resident bytes in four steps, less those before the network was made", memory),
    "choices": ("What single choices bring, f32", chosen),
    "accuracy": ("Accuracy of H2 on the 10,000 test images, batch 128", accuracy),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--parts", default="layers,steps,memory,choices")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--output", default="-")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.seeds = [int(each) for each in args.seeds.split(",")]
    args.threads = [int(each) for each in args.threads.split(",")]
    unknown = set(args.parts.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}: {', '.join(PARTS)}")
    sys.path.insert(0, str(args.build / "python"))
    if args.work:
        print(json.dumps(work(json.loads(args.work), args.rounds, args.threads[0])))
        return
    limits = subprocess.run(
        [args.build / "bin/bench_limits"], capture_output=True, text=True, check=True
    )
    args.limits = json.loads(limits.stdout)
    lines = [
        f"- machine: {ops.processor()}, {os.cpu_count()} threads, Linux {platform.release()}; "
        f"multiply-adds of a core {args.limits['fma_1'] / 1e9:.0f} GFLOP/s",
        f"- PyTorch {torch.__version__}; the least of {args.rounds} rounds",
    ]
    for part in args.parts.split(","):
        title, table = PARTS[part]
        lines += ["", f"{title}:", "", *table(args)]
    text = "\n".join(lines) + "\n"
    if args.output == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(args.output).write_text(text)


if __name__ == "__main__":
    main()
