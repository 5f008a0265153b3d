# SPDX-License-Identifier: Apache-2.0
"""tests/outside/lstm_text.py: a language model of two LSTM layers trained by Tenon and by PyTorch,
from the same weights and batches; writes validation losses beside each other.

usage    PYTHON lstm_text.py [--text FILE] [--epochs N] [--dropout P] [--seeds N] [--optimizer O]
                             [--within DIFFERENCE] BUILD

Characters, one-hot, in windows of 128 that do not overlap, 256 to a batch; 90 % train, 10 %
validate. Two layers of 256, dropout between them and before the linear layer, cross entropy over
all positions; SGD of 0.05 with momentum 0.9, or Adam of 0.002. Exit status 1 if the medians over
the seeds differ by more than --within. PYTHON has PyTorch and NumPy; minutes on two cores.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
LENGTH, BATCH, HIDDEN, LAYERS = 128, 256, 256, 2


class Text:
    """Windows of a text: `batches` gives one-hot characters [T,B,V] and those that follow [T,B]."""

    def __init__(self, path):
        raw = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        letters, codes = np.unique(raw, return_inverse=True)
        self.size = len(letters)
        count = (len(codes) - 1) // LENGTH
        x = codes[: count * LENGTH].reshape(count, LENGTH)
        y = codes[1 : count * LENGTH + 1].reshape(count, LENGTH)
        cut = count * 9 // 10
        self.train, self.held = (x[:cut], y[:cut]), (x[cut:], y[cut:])

    def batches(self, part, order):
        x, y = part
        for at in range(0, len(order) - len(order) % BATCH or len(order), BATCH):
            rows = order[at : at + BATCH]
            one_hot = np.eye(self.size, dtype=np.float32)[x[rows].T]
            yield one_hot, np.ascontiguousarray(y[rows].T.reshape(-1)).astype(np.int64)


class PyTorch(torch.nn.Module):
    def __init__(self, size, dropout, optimizer):
        super().__init__()
        self.lstm = torch.nn.LSTM(size, HIDDEN, LAYERS, dropout=dropout)
        self.drop = torch.nn.Dropout(dropout)
        self.head = torch.nn.Linear(HIDDEN, size)
        if optimizer == "sgd":
            self.rule = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        else:
            self.rule = torch.optim.Adam(self.parameters(), lr=2e-3)

    def loss(self, x, y):
        h = self.drop(self.lstm(torch.from_numpy(x))[0])
        logits = self.head(h.reshape(-1, HIDDEN))
        return torch.nn.functional.cross_entropy(logits, torch.from_numpy(y))

    def step(self, x, y):
        self.rule.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.rule.step()
        return loss.item()

    def measure(self, x, y):
        self.eval()
        with torch.no_grad():
            loss = self.loss(x, y).item()
        self.train()
        return loss


class Ours:
    def __init__(self, tenon, peer, size, dropout, optimizer):
        self.tenon = tenon
        self.lstm = tenon.nn.lstm(inputs=size, hidden=HIDDEN, layers=LAYERS, dropout=dropout)
        self.drop = tenon.nn.dropout(p=dropout)
        self.head = tenon.nn.linear(inputs=HIDDEN, outputs=size)
        for layer, module in ((self.lstm, peer.lstm), (self.head, peer.head)):
            state = {k: tenon.tensor(v.numpy()) for k, v in module.state_dict().items()}
            layer.load_state_dict(state)
        parameters = [*self.lstm.parameters(), *self.head.parameters()]
        if optimizer == "sgd":
            self.rule = tenon.optim.sgd(parameters, lr=0.05, momentum=0.9)
        else:
            self.rule = tenon.optim.adam(parameters, lr=2e-3)

    def loss(self, x, y):
        h = self.drop(self.lstm(self.tenon.tensor(x))[0])
        logits = self.head(h.reshape([-1, HIDDEN]))
        return self.tenon.softmax_cross_entropy(logits, self.tenon.tensor(y))

    def step(self, x, y):
        loss = self.loss(x, y)
        loss.backward()
        self.rule.step()
        self.rule.zero_grad()
        return loss.item()

    def measure(self, x, y):
        layers = (self.lstm, self.drop, self.head)
        for layer in layers:
            layer.eval()
        with self.tenon.no_grad:
            loss = self.loss(x, y).item()
        for layer in layers:
            layer.train()
        return loss


def run(model, text, seed, epochs):
    """Validation loss and seconds of training."""
    rng, seconds = np.random.default_rng(seed), 0.0
    for _ in range(epochs):
        for x, y in text.batches(text.train, rng.permutation(len(text.train[0]))):
            start = time.perf_counter()
            model.step(x, y)
            seconds += time.perf_counter() - start
    count = len(text.held[0])
    held = [(model.measure(x, y), len(y)) for x, y in text.batches(text.held, np.arange(count))]
    return sum(loss * n for loss, n in held) / sum(n for _, n in held), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    play = ROOT / "examples/data/text/coriolanus.txt"
    parser.add_argument("--text", type=pathlib.Path, default=play)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--optimizer", choices=("sgd", "adam"), default="sgd")
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("build", type=pathlib.Path)
    given = parser.parse_args()
    os.environ.setdefault("TENON_LIBRARY", str(given.build.resolve() / "lib/libtenon.so"))
    sys.path.insert(0, str(given.build.resolve() / "python"))
    import tenon

    text = Text(given.text)
    print("| seed | Tenon: loss, s | PyTorch: loss, s | difference |\n|---|---|---|---:|")
    rows = []
    for seed in range(given.seeds):
        torch.manual_seed(seed), tenon.seed(seed)
        peer = PyTorch(text.size, given.dropout, given.optimizer)
        own = Ours(tenon, peer, text.size, given.dropout, given.optimizer)
        ours, theirs = (run(each, text, seed, given.epochs) for each in (own, peer))
        rows.append((ours[0], theirs[0]))
        print(
            f"| {seed} | {ours[0]:.4f}, {ours[1]:.0f} | {theirs[0]:.4f}, {theirs[1]:.0f} "
            f"| {ours[0] - theirs[0]:+.4f} |",
            flush=True,
        )
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    apart = abs(medians[0] - medians[1])
    print(f"medians {medians[0]:.4f} and {medians[1]:.4f}, {apart:.4f} apart")
    return 0 if apart <= given.within else 1


if __name__ == "__main__":
    sys.exit(main())
