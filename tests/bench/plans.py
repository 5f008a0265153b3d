# SPDX-License-Identifier: Apache-2.0
"""tests/bench/plans.py: what captured training steps need: the arena of their temporaries beside
what no arrangement can avoid, the peak of memory beside that of the eager step, the time of a
capture beyond one eager step, and of a replay; writes a table in Markdown.

usage    PYTHON plans.py [--threads N] [--networks A,B] [--random N] BUILD

With --random it is the arenas of the first N random steps of tests/python instead. Each figure is
of a process of its own. A step is forward, backward, an update by AdamW and giving up the
gradients. Nothing here is a test: machines differ and are busy.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = 2.0**20
REPEATS = 7


def tokens(tenon, rows, length, vocabulary, factor):
    numbers = [[(i * factor + row) % vocabulary for i in range(length)] for row in range(rows)]
    return tenon.tensor(numbers, dtype="i64")


def mlp(tenon):
    nn = tenon.nn
    model = nn.sequential(
        nn.linear(inputs=784, outputs=128),
        nn.activation(op="relu"),
        nn.linear(inputs=128, outputs=10),
    )
    return model, tenon.randn([64, 784]), tokens(tenon, 1, 64, 10, 3).reshape([64])


def resnet(tenon):
    sys.path.insert(0, str(ROOT / "examples/python"))
    from resnet import ResNet

    return ResNet(32), tenon.randn([128, 1, 28, 28]), tokens(tenon, 1, 128, 10, 3).reshape([128])


def transformer(tenon, layers, width, heads, vocabulary, length, **options):
    nn = tenon.nn
    blocks = [
        nn.transformer_block(width=width, heads=heads, causal=True, positions=length, **options)
        for _ in range(layers)
    ]
    model = nn.sequential(
        nn.embedding(rows=vocabulary, width=width),
        *blocks,
        nn.layer_norm(sizes=[width]),
        nn.linear(inputs=width, outputs=vocabulary, bias=False),
        nn.flatten(start_axis=0, end_axis=1),
    )
    x, y = (tokens(tenon, 1, length, vocabulary, factor) for factor in (7, 11))
    return model, x, y.reshape([length])


def decoder(tenon):
    return transformer(
        tenon, 1, 256, 8, 1024, 128, kv_heads=4, hidden=1024, activation="swiglu", norm="rms",
        qk_norm=True, packed=False,
    )  # fmt: skip


def gpt4(tenon):
    return transformer(tenon, 4, 256, 8, 256, 128, hidden=1024, activation="gelu")


def gpt12(tenon):
    return transformer(tenon, 12, 768, 12, 1024, 128, hidden=3072, activation="gelu")


def lstm(tenon):
    nn = tenon.nn

    class Model(nn.Module):
        def __init__(self):
            self.lstm = nn.lstm(inputs=64, hidden=256, layers=2)
            self.head = nn.linear(inputs=256, outputs=64)

        def forward(self, x):
            return self.head(self.lstm(x)[0]).reshape([32 * 32, 64])

    return Model(), tenon.randn([32, 32, 64]), tokens(tenon, 1, 1024, 64, 5).reshape([1024])


def autoencoder(tenon):
    """That of examples/06: sparse by its largest units, the encoder's weight transposed."""
    nn, rows, width, features = tenon.nn, 256, 384, 1536

    class Model(nn.Module):
        def __init__(self):
            self.decoder = nn.linear(inputs=features, outputs=width)
            turned = self.decoder.weight.detach().mT.clone(layout="preserve")
            self.encoder = turned.requires_grad_()
            self.bias = tenon.zeros([features]).requires_grad_()

        def loss(self, x, y):
            units = (x - self.decoder.bias) @ self.encoder.mT + self.bias
            values, places = tenon.topk(units, k=64)
            sparse = tenon.scatter(tenon.zeros([rows, features]), places, values, axis=1)
            return tenon.mse_loss(self.decoder(sparse), y)

    x = tenon.randn([rows, width])
    return Model(), x, x.clone()


NETWORKS = (mlp, resnet, decoder, lstm, gpt4, gpt12, autoencoder)


def measure(tenon, network, captured):
    tenon.seed(0)
    model, x, y = network(tenon)
    adamw = tenon.optim.adamw(model.parameters(), lr=1e-3)

    def cross_entropy(x, y):
        return tenon.softmax_cross_entropy(model(x), y)

    def step(x, y):
        loss = model.loss(x, y) if hasattr(model, "loss") else cross_entropy(x, y)
        loss.backward()
        adamw.step()
        adamw.zero_grad()
        return loss.detach()

    def seconds(call):
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    result = {"eager": [seconds(lambda: step(x, y)) for _ in range(3 if captured else REPEATS)]}
    if captured:
        plans = []
        result["capture"] = seconds(lambda: plans.append(tenon.capture(step, x, y)))
        result["peak"] = tenon.stats()["bytes_peak"]
        result["replay"] = [seconds(plans[0]) for _ in range(REPEATS)]
        listing = str(plans[0])
        arena = re.search(r"arena of \S+ (\d+) bytes for (\d+) .*; (\d+) are .*, (\d+) in", listing)
        result["arena"], result["count"], result["least"], result["all"] = map(int, arena.groups())
        result["launches"] = int(re.match(r"plan: (\d+)", listing)[1])
    else:
        result["peak"] = tenon.stats()["bytes_peak"]
    print(json.dumps(result))


def arenas(listing):
    """Of each arena with temporaries: its bytes, and those in use at once."""
    found = re.findall(r"arena of \S+ (\d+) bytes for \d+ .*; (\d+) are", listing)
    return [(int(size), int(least)) for size, least in found if int(least)]


def measure_random(tenon, count):
    """How far above what is in use at once the arenas of random steps are."""
    sys.path.insert(0, str(ROOT / "tests/python"))
    import random_steps
    from random_steps_run import Side

    found = []
    for seed in range(count):
        side = Side(random_steps.draw(seed), captured=True)
        side.prepare()
        side.turn(0, [])
        found += [(size / least, seed, size) for size, least in arenas(str(side.plan))]
    above = [ratio for ratio, *_ in found if ratio > 1.05]
    print(
        f"{count} random steps, {len(found)} arenas of at most {max(x[2] for x in found)} bytes: "
        f"{sum(x[0] for x in found) / len(found):.4f} x what is in use at once in the mean, "
        f"at most {max(found)[0]:.3f} (seed {max(found)[1]}); {len(above)} above 1.05"
    )


def row(arguments, name):
    def child(mode):
        command = [sys.executable, __file__, "--child", mode, "--networks", name]
        command += ["--threads", str(arguments.threads), str(arguments.build)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    eager, captured = child("eager"), child("captured")
    step, replay = min(eager["eager"][1:]), min(captured["replay"])
    beyond = captured["capture"] - step
    return (
        f"| {name} | {captured['launches']} | {captured['all'] / MIB:.1f} | "
        f"{captured['least'] / MIB:.2f} | {captured['arena'] / MIB:.2f} "
        f"({captured['arena'] / captured['least']:.3f}) | {eager['peak'] / MIB:.1f} | "
        f"{captured['peak'] / MIB:.1f} ({captured['peak'] / eager['peak']:.3f}) | "
        f"{step * 1e3:.2f} | {beyond * 1e3:.2f} | {replay * 1e3:.2f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--networks", default=",".join(each.__name__ for each in NETWORKS))
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--child", choices=("eager", "captured"), help=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    names = arguments.networks.split(",")
    if arguments.child or arguments.random:
        # Random steps are run by up to 7.
        os.environ["TENON_THREADS"] = "7" if arguments.random else str(arguments.threads)
        os.environ.setdefault("TENON_LIBRARY", str(arguments.build.resolve() / "lib/libtenon.so"))
        sys.path.insert(0, str(arguments.build.resolve() / "python"))
        import tenon

        if arguments.random:
            return measure_random(tenon, arguments.random)
        network = next(each for each in NETWORKS if each.__name__ == names[0])
        return measure(tenon, network, arguments.child == "captured")
    print(
        "| step | launches | temporaries, MiB | in use at once | arena (ratio) | peak eager, MiB | "
        "peak of the capture (ratio) | eager, ms | capture beyond it, ms | replay, ms |\n"
        "|---|---|---|---|---|---|---|---|---|---|"
    )
    for name in names:
        print(row(arguments, name), flush=True)
    return None


if __name__ == "__main__":
    main()
