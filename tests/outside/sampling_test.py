# SPDX-License-Identifier: Apache-2.0
# tests/outside/sampling_test.py: filter_logits, sample and repetition_penalty beside PyTorch.
"""The filters are those of Hugging Face's `generate`, written anew in PyTorch from what its logits
warpers do, in their order: temperature, top_k, top_p, min_p. Logits are random, so none are equal:
of equal ones Tenon keeps fewer. Where a sum lies at the border of top_p, f32 and Tenon's masses may
decide otherwise; so the sums are done in f64, and a row is left out if it is that close."""

import itertools
import pathlib
import sys

try:
    import numpy
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from support import tenon

SEED = 20261127
ROWS, VOCABULARY = 6, 1500
GRID = {
    "temperature": (1.0, 0.7, 1.6),
    "top_k": (0, 1, 50, 4000),
    "top_p": (1.0, 0.9, 0.3),
    "min_p": (0.0, 0.02, 1.0),
}
MARGIN = 1e-7


def remove(scores, mask):
    return scores.masked_fill(mask, -torch.inf)


def warp(scores, temperature, top_k, top_p, min_p):
    """The warped scores, and for each row how close its border of top_p is."""
    close = torch.full(scores.shape[:-1], torch.inf, dtype=torch.float64)
    scores = scores / temperature
    if top_k > 0:
        least = scores.topk(min(top_k, scores.shape[-1])).values[..., -1:]
        scores = remove(scores, scores < least)
    if top_p < 1.0:
        ascending, order = scores.sort(descending=False)
        sums = ascending.double().softmax(dim=-1).cumsum(dim=-1)
        mask = sums <= 1 - top_p
        mask[..., -1:] = False
        close = (sums - (1 - top_p)).abs().min(dim=-1).values
        scores = remove(scores, mask.scatter(-1, order, mask))
    if min_p > 0.0:
        probabilities = scores.double().softmax(dim=-1)
        least = min_p * probabilities.max(dim=-1, keepdim=True).values
        scores = remove(scores, probabilities < least)
    return scores, close


def penalise(scores, tokens, penalty):
    picked = scores.gather(1, tokens)
    picked = torch.where(picked < 0, picked * penalty, picked / penalty)
    return scores.scatter(1, tokens, picked)


def judge_filters(logits):
    """How many rows were compared, and the words of those that differ."""
    compared, failures = 0, []
    for values in itertools.product(*GRID.values()):
        options = dict(zip(GRID, values, strict=True))
        expected, close = warp(torch.from_numpy(logits), **options)
        found = tenon.filter_logits(tenon.tensor(logits), **options).numpy()
        drawn = tenon.sample(tenon.tensor(logits), **options).numpy()
        for row in range(len(logits)):
            if close[row] < MARGIN:
                continue
            compared += 1
            same = numpy.allclose(found[row], expected[row].numpy(), rtol=3e-7, atol=0)
            if not same or numpy.isneginf(found[row, drawn[row]]):
                failures.append(f"row {row} of {options}")
    return compared, failures


def judge_penalty(logits, random):
    tokens = random.integers(0, VOCABULARY, (ROWS, 90))
    tokens[:, 60:] = tokens[:, :30]
    failures = []
    for penalty in (1.3, 1.0, 0.5):
        expected = penalise(torch.from_numpy(logits), torch.from_numpy(tokens), penalty)
        arrays = tenon.tensor(logits), tenon.tensor(tokens)
        found = tenon.repetition_penalty(*arrays, penalty=penalty).numpy()
        if not numpy.allclose(found, expected.numpy(), rtol=3e-7, atol=0):
            failures.append(f"penalty {penalty}")
    return failures


def main():
    random = numpy.random.default_rng(SEED)
    tenon.manual_seed(SEED)
    logits = (3 * random.standard_normal((ROWS, VOCABULARY))).astype(numpy.float32)
    compared, failures = judge_filters(logits)
    failures += judge_penalty(logits, random)
    everything = ROWS * len(list(itertools.product(*GRID.values())))
    print(f"{compared} of {everything} rows compared, {len(failures)} differ")
    if compared < 0.95 * everything:
        failures.append("too many rows were left out")
    for words in failures:
        print(f"FAILED: {words}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
