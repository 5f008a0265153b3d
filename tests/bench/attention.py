# SPDX-License-Identifier: Apache-2.0
"""tests/bench/attention.py: attention by Tenon and by PyTorch's scaled_dot_product_attention in
turn, forward and with its gradients, then one query over a cache of keys against the bytes that it
must read; writes tables in Markdown.

usage    PYTHON attention.py [--rounds N] [--threads N] BUILD

PYTHON has PyTorch and NumPy. Each round times both for a while, and the best call counts; of
rounds it is the median. Nothing here is a test: machines differ and are busy.
"""

import statistics

import numpy as np
import torch
from timing import begin, best, in_turns, medians

SHAPES = ((8, 128, 32), (12, 1024, 64), (8, 4096, 128))
POSITIONS = (16, 256, 1024, 16384)
HEADS, GROUPS, SIZE = 32, 8, 128  # of a query over a cache, as in Llama 3's layers


def compared(calls, rounds):
    """Seconds of each call and their ratio, medians of rounds."""
    seconds = in_turns(calls, rounds)
    ours, theirs = medians(seconds)
    return ours, theirs, statistics.median(b / a for a, b in seconds)


def calls_of(tenon, shape, causal, backward):
    arrays = [
        np.random.default_rng(i).standard_normal((1, *shape)).astype(np.float32) for i in range(4)
    ]
    peers = [torch.from_numpy(array) for array in arrays]
    own = [tenon.tensor(array) for array in arrays]
    for x in (*peers[:3], *own[:3]):
        x.requires_grad_(backward)
    peer = torch.nn.functional.scaled_dot_product_attention

    def ours():
        y = tenon.attention(*own[:3], causal=causal)
        if backward:
            y.backward(own[3])
            for x in own[:3]:
                x.grad = None

    def theirs():
        y = peer(*peers[:3], is_causal=causal)
        if backward:
            torch.autograd.grad(y, peers[:3], peers[3])

    return ours, theirs


def compare(tenon, rounds):
    print("| heads x rows x size | causal | what | Tenon, ms | PyTorch, ms | PyTorch / Tenon |")
    print("|---|---|---|---:|---:|---:|")
    for shape in SHAPES:
        for causal in (False, True):
            for backward in (False, True):
                ours, theirs, ratio = compared(calls_of(tenon, shape, causal, backward), rounds)
                print(
                    f"| {' x '.join(map(str, shape))} | {'yes' if causal else 'no'} "
                    f"| {'and gradients' if backward else 'forward'} | {ours * 1e3:.3f} "
                    f"| {theirs * 1e3:.3f} | {ratio:.2f} |",
                    flush=True,
                )


def memory_rate(tenon):
    """Bytes a second of a = b + c over 400 MB, which has STREAM's triad's reads and writes."""
    b, c = (tenon.ones((1 << 25,), dtype="f32") for _ in range(2))
    a = tenon.empty((1 << 25,), dtype="f32")
    seconds = best(lambda: tenon.add(b, c, out=a))
    return 3 * 4 * (1 << 25) / seconds


def over_cache(tenon, peak):
    print("\n| position | time of a query, us | its keys and values, KB | GB/s | of triad |")
    print("|---:|---:|---:|---:|---:|")
    longest = POSITIONS[-1]
    q = tenon.randn(1, HEADS, 1, SIZE)
    k, v = (tenon.randn(1, GROUPS, longest, SIZE) for _ in range(2))
    for position in POSITIONS:
        start = tenon.tensor([position - 1], dtype="i64")
        seconds = best(lambda: tenon.attention(q, k, v, start=start, causal=True))
        read = 2 * GROUPS * position * SIZE * 4
        rate = read / seconds
        print(
            f"| {position} | {seconds * 1e6:.1f} | {read / 1e3:.0f} | {rate / 1e9:.1f} "
            f"| {100 * rate / peak:.0f} % |",
            flush=True,
        )


def main():
    arguments, tenon = begin(__doc__)
    compare(tenon, arguments.rounds)
    peak = memory_rate(tenon)
    print(f"\ntriad: {peak / 1e9:.1f} GB/s")
    over_cache(tenon, peak)


if __name__ == "__main__":
    main()
