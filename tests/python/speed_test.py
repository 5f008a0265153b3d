# SPDX-License-Identifier: Apache-2.0
# tests/python/speed_test.py: what a call costs from Python, beside NumPy and PyTorch.
"""Prints the figures of one run; fails if a peer is faster."""

import statistics
import timeit
import unittest

from support import is_sanitized, skip, tenon

if is_sanitized():
    skip("a sanitizer slows all of it down")

try:
    import numpy as np
    import torch
except ImportError as error:
    skip(str(error))

BATCH = 64
LAYERS = ((784, 128), (128, 32), (32, 10))


def medians(calls, number, rounds=7):
    """Seconds of one call of each, in rounds of one after the other."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(min(timeit.repeat(call, number=number, repeat=3)) / number)
    found = {name: statistics.median(each) for name, each in times.items()}
    print({name: f"{seconds * 1e9:,.0f} ns" for name, seconds in found.items()})
    return found


def our_step(optimizer, pixels, labels, **hypers):
    """A training step of the perceptron; the loss is returned."""
    layers = [tenon.nn.linear(inputs=a, outputs=b) for a, b in LAYERS]
    params = [param for layer in layers for param in layer.parameters()]
    update = getattr(tenon.optim, optimizer)(params, **hypers)
    x, y = tenon.tensor(pixels), tenon.tensor(labels)

    def step():
        hidden = layers[1](layers[0](x).relu()).relu()
        loss = tenon.softmax_cross_entropy(layers[2](hidden), y)
        loss.backward()
        update.step(clear_grad=True)
        return loss

    return step


def torch_step(optimizer, pixels, labels, **hypers):
    layers = [torch.nn.Linear(a, b) for a, b in LAYERS]
    relu = torch.nn.ReLU()
    model = torch.nn.Sequential(layers[0], relu, layers[1], relu, layers[2])
    update = getattr(torch.optim, optimizer)(model.parameters(), fused=True, **hypers)
    x, y = torch.from_numpy(pixels), torch.from_numpy(labels)

    def step():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        update.zero_grad()
        loss.backward()
        update.step()
        return loss

    return step


class Speed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tenon.configure(threads=1)
        torch.set_num_threads(1)

    def test_add_of_64_elements(self):
        a, b = tenon.full([64], 1.5), tenon.full([64], 2.5)
        recorded = tenon.tensor(a, requires_grad=True)
        x, y = np.full(64, 1.5, np.float32), np.full(64, 2.5, np.float32)
        s, t = torch.full((64,), 1.5), torch.full((64,), 2.5)
        found = medians(
            {
                "tenon": lambda: a + b,
                "tenon, recorded": lambda: recorded + b,
                "NumPy": lambda: x + y,
                "PyTorch": lambda: s + t,
            },
            20_000,
        )
        self.assertLess(found["tenon"], found["NumPy"])
        self.assertLess(found["tenon, recorded"], found["PyTorch"])

    def test_a_training_step(self):
        rng = np.random.default_rng(0)
        pixels = rng.normal(size=(BATCH, 784)).astype(np.float32)
        labels = rng.integers(0, 10, BATCH)
        for ours, theirs, hypers in (
            ("sgd", "SGD", {"lr": 0.01, "momentum": 0.9}),
            ("adam", "Adam", {"lr": 0.001}),
        ):
            with self.subTest(optimizer=ours):
                found = medians(
                    {
                        f"tenon {ours}": our_step(ours, pixels, labels, **hypers),
                        f"PyTorch {ours}": torch_step(theirs, pixels, labels, **hypers),
                    },
                    50,
                )
                self.assertLess(found[f"tenon {ours}"], found[f"PyTorch {ours}"])

    def test_an_epoch_of_batches(self):
        pixels = np.zeros((6400, 784), np.float32)
        labels = np.arange(6400)
        ours = tenon.data.tensors(tenon.tensor(pixels), tenon.tensor(labels))
        theirs = torch.utils.data.TensorDataset(torch.from_numpy(pixels), torch.from_numpy(labels))
        mine = tenon.data.batches(ours, BATCH, shuffle=True)
        other = torch.utils.data.DataLoader(theirs, BATCH, shuffle=True)
        found = medians(
            {
                "tenon, 100 batches": lambda: sum(1 for _ in mine),
                "PyTorch, 100 batches": lambda: sum(1 for _ in other),
            },
            1,
        )
        self.assertLess(found["tenon, 100 batches"], found["PyTorch, 100 batches"])


if __name__ == "__main__":
    unittest.main()
