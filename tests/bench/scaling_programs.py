#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/bench/scaling_programs.py: what scaling.py measures, as one of some processes.
"""usage    scaling_programs.py transfers ENGINE
         scaling_programs.py step ENGINE NETWORK alone|together STEPS
         scaling_programs.py gradients NETWORK

Rank 0 prints JSON. `transfers`: seconds of each collective, by the bytes that all processes' data
has together; of agreement alone; bytes a second that one thread adds. `step`: seconds of forward,
backward (with the sums of all processes if `together`) and update, for each step, in the slowest
process. `gradients`: for each parameter, in the order in which backward makes their gradients, its
size and when it is there, as a share of backward. One thread of a process computes."""

import json
import statistics
import sys
import time

import tenon

nn = tenon.nn
KIB = 1024
SIZES = [KIB * 4**power for power in range(9)]  # 1 KiB to 64 MiB
SECONDS = 0.15  # for each size and collective
WARM = 3  # steps: buckets have their order from the third on


# ---- Networks -----------------------------------------------------------------------------------


def whole_numbers(count, limit, factor):
    return [i * factor % limit for i in range(count)]


def mlp():
    """1024-1024-1024-10, 128 samples."""
    sizes = (1024, 1024, 1024, 10)
    layers = []
    for before, after in zip(sizes, sizes[1:]):
        layers += [nn.linear(inputs=before, outputs=after), nn.activation(op="tenon.relu")]
    model = nn.sequential(*layers[:-1])
    x, y = tenon.normal(shape=[128, 1024]), tenon.tensor(whole_numbers(128, 10, 3))
    return model, lambda: tenon.softmax_cross_entropy(model(x), y), sgd, 1


def conv(inputs, outputs, kernel, stride=1):
    return nn.conv(
        in_channels=inputs, out_channels=outputs, kernel_size=[kernel, kernel], stride=[stride],
        padding=[kernel // 2], bias=False,
    )  # fmt: skip


def block(inputs, outputs, stride):
    made = nn.residual(shortcut=stride != 1, activation="relu")
    for place, (before, step) in enumerate(((inputs, stride), (outputs, 1))):
        made.append(conv(before, outputs, 3, step))
        made.append(nn.batch_norm(features=outputs))
        if place == 0:
            made.append(nn.activation(op="tenon.relu"))
    if stride != 1:
        shortcut = conv(inputs, outputs, 1, stride), nn.batch_norm(features=outputs)
        made.append(nn.sequential(*shortcut), "downsample")
    return made


def h2():
    """H2, the residual network, 64 images."""
    model = nn.sequential(
        conv(1, 32, 3), nn.batch_norm(features=32), nn.activation(op="tenon.relu"),
        block(32, 32, 1), block(32, 64, 2), nn.adaptive_avg_pool(output_size=[1]),
        nn.flatten(start_axis=1), nn.linear(inputs=64, outputs=10),
    )  # fmt: skip
    x, y = tenon.normal(shape=[64, 1, 28, 28]), tenon.tensor(whole_numbers(64, 10, 3))
    return model, lambda: tenon.softmax_cross_entropy(model(x), y), sgd, 1


def h4():
    """H4, the decoder of one layer, 8 sequences of 128 tokens, one after the other."""
    model = nn.sequential(
        nn.embedding(rows=1024, width=256),
        nn.transformer_block(
            width=256, heads=8, kv_heads=4, hidden=1024, activation="swiglu", norm="rms", eps=1e-6,
            qk_norm=True, causal=True, packed=False, positions=128,
        ),
        nn.rms_norm(sizes=[256], eps=1e-6),
        nn.linear(inputs=256, outputs=1024, bias=False),
    )  # fmt: skip
    x, y = (tenon.tensor(whole_numbers(128, 1024, factor)) for factor in (7, 11))
    return model, lambda: tenon.softmax_cross_entropy(model(x), y), adamw, 8


class Gpt2(nn.Module):
    """GPT-2 124M: learned positions, a table that is the head, too."""

    def __init__(self):
        self.table = nn.embedding(rows=50257, width=768, gain=0.02)
        self.places = tenon.zeros([1024, 768]).requires_grad_()
        self.blocks = nn.sequential(
            *(
                nn.transformer_block(
                    width=768, heads=12, hidden=3072, activation="gelu", norm="layer",
                    causal=True, positions=64,
                )
                for _ in range(12)
            )
        )  # fmt: skip
        self.norm = nn.layer_norm(sizes=[768])

    def forward(self, tokens):
        x = self.table(tokens) + self.places[: tokens.shape[-1]]
        x = tenon.reshape(self.norm(self.blocks(x)), (-1, 768))
        return tenon.linear(x, self.table.weight)


def h5():
    """H5, GPT-2 124M, 4 sequences of 64 tokens."""
    model = Gpt2()
    x, y = (tenon.tensor(whole_numbers(256, 50257, factor)) for factor in (7, 11))
    x = tenon.reshape(x, (4, 64))
    return model, lambda: tenon.softmax_cross_entropy(model(x), y), adamw, 1


NETWORKS = {"mlp": mlp, "H2": h2, "H4": h4, "H5": h5}


def sgd(model):
    optimizer = tenon.optim.sgd(model.parameters(), lr=0.01, momentum=0.9)
    return lambda: optimizer.step()


def adamw(model):
    optimizer = tenon.optim.adamw(model.parameters(), lr=1e-4, weight_decay=0.01)

    def update():
        tenon.clip_grad_norm(model.parameters(), 1.0)
        optimizer.step()

    return update


# ---- What is measured ---------------------------------------------------------------------------


def seconds_of(world, call):
    """Of one call, the mean of as many as fit into SECONDS, the same number in all processes."""
    call()
    start = time.perf_counter()
    call()
    one = world.all_reduce(tenon.tensor([time.perf_counter() - start]), "max").item()
    count = max(3, min(200, int(SECONDS / one)))
    world.barrier()
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def transfers(engine):
    world = tenon.processes.join(engine)
    n = world.size
    found = {name: {} for name in ("all_to_all", "all_gather", "all_reduce", "all_reduce, fast")}
    for size in SIZES:
        whole = tenon.zeros([n, size // 4 // n])
        other, part = tenon.zeros_like(whole), tenon.zeros([size // 4 // n])
        operands = {
            "all_to_all": (whole, other), "all_gather": (part, other), "all_reduce": (whole, whole)
        }  # fmt: skip
        for name, (x, y) in operands.items():
            call = lambda: world.begin(name, x, y).end()  # noqa: E731
            found[name][size] = seconds_of(world, call)
        found["all_reduce, fast"][size] = seconds_of(world, lambda: add_fast(world, whole))
    nothing, rows = tenon.zeros([0]), tenon.zeros([n, 0])
    found["agreement"] = seconds_of(world, lambda: world.begin("all_gather", nothing, rows).end())
    x, y = tenon.zeros([1 << 18]), tenon.zeros([1 << 18])
    adds = seconds_of(world, lambda: tenon.add(x, y, out=x))
    found["added"] = 4 * (1 << 18) / adds
    return world.rank, found


def add_fast(world, x):
    """As the engine adds."""
    tenon.fast_arithmetic(True)
    world.begin("all_reduce", x, x).end()
    tenon.fast_arithmetic(False)


def step(engine, network, mode, steps):
    tenon.seed(1)
    world = tenon.processes.join(engine)
    model, loss_of, update, accumulated = NETWORKS[network]()
    update = update(model)
    group = world if mode == "together" else None
    buffers = [each for _, each in model.named_buffers() if each.dtype == tenon.float32]
    shards = accumulated * (world.size if group else 1)
    parallel = tenon.processes.DataParallel(
        model.parameters(), group, shards=shards, buffers=buffers if network == "H2" else ()
    )
    times = []
    for number in range(WARM + steps):
        world.barrier()
        before = world.info()
        start, forward = time.perf_counter(), 0.0
        for shard in parallel.shards():
            begin = time.perf_counter()
            loss = loss_of()
            forward += time.perf_counter() - begin
            shard.backward(loss)
        end = time.perf_counter()
        after = world.info()
        update()
        done = time.perf_counter()
        if number >= WARM:
            parts = tenon.tensor([forward, end - start - forward, done - end], dtype="f64")
            times.append(max(world.all_gather(parts).tolist(), key=sum))
    return world.rank, {
        "times": times,
        "transfers": after["transfers"] - before["transfers"],
        "bytes": after["bytes_sent"] - before["bytes_sent"],
        "peak": tenon.stats()["bytes_peak"],
    }


def gradients(network):
    """A hook would make gradients of rows dense: those are left alone, and listed apart."""
    tenon.seed(1)
    model, loss_of, _, accumulated = NETWORKS[network]()
    parameters = dict(model.named_parameters())
    loss_of().backward()
    rows = {name for name, each in parameters.items() if each.has_grad_rows}
    seen = {name: [] for name in parameters if name not in rows}
    shares = {name: [] for name in seen}
    for name in seen:
        hook = lambda gradient, name=name: seen[name].append(time.perf_counter())  # noqa: E731
        parameters[name].register_hook(hook)
    for number in range(7):
        for each in parameters.values():
            each.grad = None
        loss = loss_of()
        start = time.perf_counter()
        loss.backward()
        whole = time.perf_counter() - start
        for name, times in seen.items():
            if number >= 2:
                shares[name].append((times[-1] - start) / whole)
    dense = sorted((statistics.median(share), name) for name, share in shares.items())
    buffers = [each for _, each in model.named_buffers() if each.dtype == tenon.float32]
    return 0, {
        "dense": [[parameters[name].numel(), round(share, 4)] for share, name in dense],
        "rows": [list(parameters[name].shape) for name in sorted(rows)],
        "buffers": [each.numel() for each in buffers] if network == "H2" else [],
        "accumulated": accumulated,
    }


def main():
    tenon.configure(threads=1)
    task, *rest = sys.argv[1:]
    if task == "transfers":
        rank, found = transfers(*rest)
    elif task == "step":
        rank, found = step(*rest[:3], int(rest[3]))
    else:
        rank, found = gradients(*rest)
    if rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
