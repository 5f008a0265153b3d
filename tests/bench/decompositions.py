# SPDX-License-Identifier: Apache-2.0
"""tests/bench/decompositions.py: one matrix of 512 x 512, and 64 of 32 x 32, taken apart by Tenon
and by PyTorch in turn; writes a table in Markdown.

usage    PYTHON decompositions.py [--rounds N] [--threads N] BUILD

PYTHON has PyTorch and NumPy. Each round times both for a while, and the best call counts; of
rounds it is the median. Nothing here is a test: machines differ and are busy.
"""

import statistics

import numpy as np
import torch
from timing import begin, in_turns, medians

SHAPES = ((512, 512), (64, 32, 32))


def operands_of(name, shape, dtype):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    turned = np.swapaxes(x, -1, -2)
    if name == "eigh":
        return (x + turned,)
    if name == "cholesky":
        return (x @ turned + shape[-1] * np.eye(shape[-1], dtype=dtype),)
    return (x, x[..., ::-1].copy()) if name == "solve" else (x,)


def compare(name, shape, dtype, rounds, tenon):
    arrays = operands_of(name, shape, dtype)
    options = {"full_matrices": False} if name == "svd" else {}
    calls = []
    for library, make in ((tenon, tenon.tensor), (torch, torch.from_numpy)):
        function = getattr(library.linalg, name)
        tensors = [make(each) for each in arrays]
        calls.append(lambda f=function, t=tensors: f(*t, **options))
    seconds = in_turns(calls, rounds)
    ours, theirs = medians(seconds)
    ratio = statistics.median(a / b for a, b in seconds)
    size = " x ".join(map(str, shape))
    return f"| {name} | {size} | {dtype} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ratio:.2f} |"


def main():
    arguments, tenon = begin(__doc__, rounds=7)
    print("| what | matrices | dtype | Tenon, ms | PyTorch, ms | Tenon / PyTorch |")
    print("|---|---|---|---:|---:|---:|")
    for shape in SHAPES:
        for name in ("eigh", "qr", "svd", "solve", "cholesky", "slogdet"):
            for dtype in ("float32", "float64"):
                print(compare(name, shape, dtype, arguments.rounds, tenon), flush=True)


if __name__ == "__main__":
    main()
