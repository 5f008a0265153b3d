# SPDX-License-Identifier: Apache-2.0
# tests/python/shared_training_run.py: trains real models as one of several processes, and prints
# what came of it; shared_training.py starts it and compares.
"""usage: shared_training_run.py ENGINE ARITHMETIC FOLDER

Trains each of MODELS with each of OPTIMIZERS. Rank 0 prints a line of JSON: for each run a digest
of parameters, buffers, optimizer state and norms in every process, and what was sent. It writes the
parameters and buffers into FOLDER, named after the run."""

import hashlib
import json
import os
import pathlib
import sys

from support import ROOT, tenon

nn = tenon.nn
SHARDS = 8
STEPS = 4
MAX_NORM = 0.1


# ---- Models -------------------------------------------------------------------------------------


class Mlp(nn.Module):
    """H1, 784-128-32-10, or a wider one: the digits of MNIST, if TENON_DATA has them."""

    samples = 32

    def __init__(self, sizes=(784, 128, 32, 10)):
        layers = []
        for before, after in zip(sizes, sizes[1:]):
            layers += [nn.linear(inputs=before, outputs=after), nn.activation(op="tenon.relu")]
        self.body = nn.sequential(*layers[:-1])

    @classmethod
    def batches(cls):
        folder = pathlib.Path(os.environ.get("TENON_DATA", "none")) / "mnist"
        if (folder / "train-images-idx3-ubyte.gz").exists():
            digits = tenon.data.idx(
                images=str(folder / "train-images-idx3-ubyte.gz"),
                labels=str(folder / "train-labels-idx1-ubyte.gz"),
            )
            pixels, labels = digits[: STEPS * cls.samples]
            pixels = tenon.reshape(pixels.astype(tenon.float32), (-1, 784)) / 255.0
        else:
            pixels = tenon.uniform(shape=[STEPS * cls.samples, 784])
            labels = tenon.random_integers(shape=[STEPS * cls.samples], low=0, high=10)
        return cut(pixels, cls.samples), cut(labels.astype(tenon.int64), cls.samples)

    def loss(self, x, y):
        return tenon.softmax_cross_entropy(self.body(x), y)


class Wide(Mlp):
    """More than a million parameters."""

    def __init__(self):
        super().__init__((784, 1024, 256, 10))


def conv(inputs, outputs, kernel, stride=1):
    return nn.conv(
        in_channels=inputs, out_channels=outputs, kernel_size=[kernel, kernel], stride=[stride],
        padding=[kernel // 2], bias=False,
    )  # fmt: skip


class ResNet(nn.Module):
    """H2 with fewer channels: batch norms, whose running statistics are buffers. The digits of
    examples/data, 8 x 8."""

    samples = 32

    def __init__(self, width=8):
        self.stem = nn.sequential(
            conv(1, width, 3), nn.batch_norm(features=width), nn.activation(op="tenon.relu")
        )
        self.blocks = nn.sequential(self.block(width, width, 1), self.block(width, 2 * width, 2))
        self.head = nn.linear(inputs=2 * width, outputs=10)

    @staticmethod
    def block(inputs, outputs, stride):
        made = nn.residual(shortcut=stride != 1, activation="relu")
        made.append(conv(inputs, outputs, 3, stride))
        made.append(nn.batch_norm(features=outputs))
        made.append(nn.activation(op="tenon.relu"))
        made.append(conv(outputs, outputs, 3))
        made.append(nn.batch_norm(features=outputs))
        if stride != 1:
            shortcut = conv(inputs, outputs, 1, stride), nn.batch_norm(features=outputs)
            made.append(nn.sequential(*shortcut), "downsample")
        return made

    @classmethod
    def batches(cls):
        folder = ROOT / "examples/data/digits"
        digits = tenon.data.idx(
            images=str(folder / "train-images-idx3-ubyte"),
            labels=str(folder / "train-labels-idx1-ubyte"),
        )
        pixels, labels = digits[: STEPS * cls.samples]
        pixels = tenon.unsqueeze(pixels.astype(tenon.float32) / 16.0, axes=[1])
        return cut(pixels, cls.samples), cut(labels.astype(tenon.int64), cls.samples)

    def loss(self, x, y):
        x = self.blocks(self.stem(x)).mean(axis=[2, 3])
        return tenon.softmax_cross_entropy(self.head(x), y)


class Decoder(nn.Module):
    """H4 with less width: a table whose gradient is rows, dropout, targets that are left out."""

    samples = 16
    window = 16

    def __init__(self, width=32):
        self.table = nn.embedding(rows=256, width=width, gain=0.02)
        self.block = nn.transformer_block(
            width=width, heads=4, kv_heads=2, hidden=2 * width, activation="swiglu", norm="rms",
            qk_norm=True, packed=False, causal=True, positions=self.window, dropout=0.1,
        )  # fmt: skip
        self.norm = nn.rms_norm(sizes=[width])
        self.dropout = nn.dropout(p=0.2)
        self.head = nn.linear(inputs=width, outputs=256, bias=False)

    @classmethod
    def batches(cls):
        text = tenon.data.text(
            path=str(ROOT / "examples/data/text/coriolanus.txt"),
            tokenizer="byte", window=cls.window, stride=11,
        )  # fmt: skip
        tokens, targets = text[: STEPS * cls.samples]
        spaces = targets == 32
        targets = tenon.where(spaces, tenon.full_like(targets, -100), targets)
        return cut(tokens.astype(tenon.int64), cls.samples), cut(targets, cls.samples)

    def loss(self, x, y):
        x = self.head(self.dropout(self.norm(self.block(self.table(x)))))
        return tenon.softmax_cross_entropy(tenon.reshape(x, (-1, 256)), tenon.reshape(y, (-1,)))


class Tied(Decoder):
    """As in H5 the table is the head's weight, too: a dense gradient and rows add up."""

    def __init__(self, width=32):
        super().__init__(width)
        self.head = None

    def loss(self, x, y):
        x = self.dropout(self.norm(self.block(self.table(x)))) @ self.table.weight.T
        return tenon.softmax_cross_entropy(tenon.reshape(x, (-1, 256)), tenon.reshape(y, (-1,)))


def cut(samples, rows):
    return [samples[i * rows : (i + 1) * rows] for i in range(STEPS)]


def sgd(parameters):
    return tenon.optim.sgd(parameters, lr=0.05, momentum=0.9, weight_decay=1e-4)


def adamw(parameters):
    return tenon.optim.adamw(parameters, lr=1e-3, weight_decay=0.01)


RUNS = [(model, way) for model in (Mlp, ResNet, Decoder, Tied) for way in (sgd, adamw)]
RUNS.append((Wide, sgd))


# ---- A run --------------------------------------------------------------------------------------


def bits(tensors):
    found = hashlib.sha256()
    for each in tensors:
        found.update(bytes(memoryview(each.detach().contiguous()).cast("B")))
    return found.hexdigest()


def everywhere(world, digest):
    """The digests of all processes."""
    numbers = world.all_gather(tenon.tensor(list(bytes.fromhex(digest)), dtype="u8"))
    return [bytes(row).hex() for row in numbers.tolist()]


def state_of(optimizer):
    state = optimizer.state_dict()["state"]
    return [state[name] for name in sorted(state)]


def check_that_sums_are_fast(world):
    """An engine's own sums may have the bits of canonical ones: that they are asked for shows when
    one process does not."""
    tenon.fast_arithmetic(world.rank != 0)
    try:
        world.all_reduce(tenon.tensor([1.0]))
    except tenon.Error as error:
        assert "adds in another order" in str(error), error
    else:
        raise AssertionError("a canonical sum and a fast one were taken for the same")
    tenon.fast_arithmetic(True)


def train(world, kind, way):
    """Trains, and says what came of it."""
    tenon.seed(17)
    model = kind()
    xs, ys = kind.batches()
    optimizer = way(model.parameters())
    buffers = [each for _, each in model.named_buffers() if each.dtype == tenon.float32]
    parallel = tenon.processes.DataParallel(
        model.parameters(), world, shards=SHARDS, buffers=buffers
    )
    first = [bits(model.parameters()), bits(buffers)]
    norms, sent, rows = [], [], 0
    for x, y in zip(xs, ys):
        before = world.info()
        for shard in parallel.shards():
            shard.backward(model.loss(shard.part(x), shard.part(y)))
        after = world.info()
        sent.append({key: after[key] - before[key] for key in after})
        rows = sum(each.has_grad_rows for each in model.parameters())
        if way is adamw:
            norms.append(tenon.clip_grad_norm(model.parameters(), MAX_NORM))
        optimizer.step()
    named = dict(model.named_parameters()) | {
        f"buffer {place}": each for place, each in enumerate(buffers)
    }
    state = state_of(optimizer)
    digests = {
        "parameters": everywhere(world, bits(model.parameters())),
        "buffers": everywhere(world, bits(buffers)),
        "state": everywhere(world, bits(state)),
        "norms": everywhere(world, bits(norms)),
    }
    counts = {
        "buffers": len(buffers),
        "state": len(state),
        "rows": rows,
        "clipped": sum(norm.item() > MAX_NORM for norm in norms),
        "parameters": len(model.parameters()),
        "numbers": sum(each.numel() for each in model.parameters()),
        "buckets": parallel.buckets,
        "changed": [first[0] != bits(model.parameters()), first[1] != bits(buffers)],
    }
    return named, {"digests": digests, "counts": counts, "sent": sent}


def main():
    engine, arithmetic, folder = sys.argv[1:]
    tenon.configure(threads=1)
    tenon.fast_arithmetic(arithmetic == "fast")
    world = tenon.processes.join(engine, timeout=120)
    if arithmetic == "fast" and world.size > 1:
        check_that_sums_are_fast(world)
    found = {}
    for kind, way in RUNS:
        name = f"{kind.__name__} {way.__name__}"
        named, found[name] = train(world, kind, way)
        if world.rank == 0:
            tenon.save(f"{folder}/{name}.safetensors", named)
    if world.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
