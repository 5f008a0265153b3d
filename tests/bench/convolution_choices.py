# SPDX-License-Identifier: Apache-2.0
"""tests/bench/convolution_choices.py: for convolution.py: what earlier systems planned as
optimisations, each as it is here beside the same work without it.

Nothing here can be switched off for a benchmark: what is "without" is written in other ops, is the
plain kernel of tenon.ref, or runs in a check mode that keeps nothing for the next call.
"""

import math
import re
import time

import numpy as np

# Name, op and call; by tenon.cpu, and by the plain loops of tenon.ref.
ELEMENTWISE = (
    (
        "vector kernel of add [64,32,28,28], against a plain loop",
        "tenon.add",
        "f32[64,32,28,28], f32[64,32,28,28]",
    ),
    ("vector kernel of gelu [64,32,28,28], against a plain loop", "tenon.gelu", "f32[64,32,28,28]"),
)
RECORDED = (
    "graph nodes and resolved calls kept for the next (add of 64, recorded, from Python), "
    "against each made anew (check mode threads)"
)
ARENA = "one arena for a captured step's temporaries (H2, batch 64), against memory for each"
REPLAY = "that step replayed, against the eager one"


def pairs(tenon, rounds, least, in_fast_arithmetic):
    """Seconds of each choice, with it and without."""
    rng = np.random.default_rng(0)

    def numbers(*shape):
        return tenon.tensor(rng.normal(size=shape).astype(np.float32))

    x, bias, scale = numbers(64, 32, 28, 28), numbers(32), numbers(32)
    x64, w64 = numbers(32, 64, 56, 56), numbers(64, 64, 3, 3)
    w, wide = numbers(32, 32, 3, 3), numbers(64, 32, 28, 28)
    flat = w.reshape(32, 288)
    line = bias.reshape(32, 1, 1)
    heads, turned = numbers(64, 128, 4, 64), numbers(64, 128, 4, 64)

    def columns():
        y = tenon.matmul(flat, tenon.im2col(x, kernel=[3, 3], padding=[1]))
        return y.reshape(64, 32, 28, 28)

    def norm():
        mean = x.mean(axes=[0, 2, 3], keepdims=True)
        far = x - mean
        variance = (far * far).mean(axes=[0, 2, 3], keepdims=True)
        return far * (variance + 1e-5).rsqrt() * scale.reshape(32, 1, 1) + line

    def products(copied):
        a, b = heads.permute([0, 2, 1, 3]), turned.permute([0, 2, 3, 1])
        return tenon.matmul(*((each.contiguous() for each in (a, b)) if copied else (a, b)))

    xw, ww = numbers(32, 512, 7, 7), numbers(512, 512, 3, 3)
    images = [xw[i : i + 1].contiguous() for i in range(32)]

    def gradient(dy):
        return tenon.conv_input_grad(dy, ww, size=[7, 7], padding=[1])

    choices = {
        "broadcast: bias [32,1,1] added to [64,32,28,28], against a whole tensor": (
            lambda: x + line,
            lambda: x + tenon.broadcast_to(line, shape=[64, 32, 28, 28]).contiguous(),
        ),
        "bias within the convolution, against an op of its own": (
            lambda: tenon.conv(x, w, bias, padding=[1]),
            lambda: tenon.conv(x, w, padding=[1]) + line,
        ),
        "windows packed for each tile, against im2col and a product": (
            lambda: tenon.conv(x, w, padding=[1]),
            columns,
        ),
        "tiles of 4x4 by Winograd (fast arithmetic), against windows as written": (
            in_fast_arithmetic(tenon, lambda: tenon.conv(x64, w64, padding=[1])),
            lambda: tenon.conv(x64, w64, padding=[1]),
        ),
        "batch norm in two passes, against the ops of its formula": (
            lambda: tenon.batch_norm(x, scale, bias),
            norm,
        ),
        "batched products of strided operands, against copies": (
            lambda: products(False),
            lambda: products(True),
        ),
        "dx without columns (by windows over dy), against a product and col2im": (
            lambda: tenon.conv_input_grad(wide, w, size=[28, 28], padding=[1]),
            lambda: tenon.col2im(
                tenon.matmul(flat.T, wide.reshape(64, 32, 784)),
                size=[28, 28],
                kernel=[3, 3],
                padding=[1],
            ),
        ),
        "weights packed once for 32 images of 512 channels, against 32 calls of one": (
            lambda: tenon.conv(xw, ww, padding=[1]),
            lambda: [tenon.conv(each, ww, padding=[1]) for each in images],
        ),
        "the same of dx, whose weights are turned": (
            lambda: gradient(xw),
            lambda: [gradient(each) for each in images],
        ),
    }
    return {
        name: list(least({"with": ours, "without": plain}, rounds).values())
        for name, (ours, plain) in choices.items()
    }


def least_of(call, rounds):
    best = math.inf
    for number in range(rounds + 1):
        start = time.perf_counter()
        call()
        if number:  # the first of all prepares
            best = min(best, time.perf_counter() - start)
    return best


def recorded(tenon, rounds):
    """Seconds of a small op that is recorded for backward."""
    count = 2000
    a, b = tenon.randn([64]).requires_grad_(), tenon.randn([64])

    def calls():
        for _ in range(count):
            tenon.add(a, b)

    return least_of(calls, rounds) / count


def col2im(tenon, rounds):
    columns = tenon.randn([64, 288, 784])
    here = {"size": [28, 28], "kernel": [3, 3], "padding": [1]}
    return least_of(lambda: tenon.col2im(columns, **here), rounds)


def arena(tenon, rounds, least, step, batch):
    """Bytes of the arena, and of all temporaries; seconds of a replay, and of an eager step."""
    plan = tenon.capture(step, *batch)
    listing = str(plan)
    arena, together = re.search(r"arena of \S+ (\d+) bytes for .*, (\d+) in", listing).groups()
    found = least({"with": plan, "without": lambda: step(*batch).item()}, rounds)
    return {"bytes": [int(arena), int(together)], "seconds": list(found.values())}
