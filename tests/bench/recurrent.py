# SPDX-License-Identifier: Apache-2.0
"""tests/bench/recurrent.py: a training step of a recurrent layer by Tenon and by PyTorch in turn:
the layer, a linear one, cross entropy and SGD; writes a table in Markdown.

usage    PYTHON recurrent.py [--rounds N] [--threads N] [--long] BUILD

PYTHON has PyTorch and NumPy. PyTorch's column is the faster one of its own loops and oneDNN;
Tenon's are of eager steps and of captured ones. Each round times all for a while, and the best call
counts; of rounds it is the median. --long adds two layers of 256 over 256 sequences of 128 steps.
Nothing here is a test: machines differ and are busy.
"""

import numpy as np
import torch
from timing import begin, in_turns, medians

# Kind, layers, steps, sequences, inputs, hidden units.
SHAPES = (
    ("lstm", 1, 32, 32, 65, 128),
    ("gru", 1, 32, 32, 65, 128),
    ("rnn", 1, 32, 32, 65, 128),
)
LONG = (("lstm", 2, 128, 256, 65, 256),)
KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
WEIGHTS = ("w_ih", "w_hh", "b_ih", "b_hh")
RATE = 0.05


def steps_of(tenon, kind, layers, steps, batch, inputs, hidden):
    """One training step of each library, from the same weights."""
    generator = np.random.default_rng(0)
    x = generator.standard_normal((steps, batch, inputs)).astype(np.float32)
    classes = generator.integers(0, inputs, steps * batch)
    module, head = KINDS[kind](inputs, hidden, layers), torch.nn.Linear(hidden, inputs)
    theirs = [*module.parameters(), *head.parameters()]
    own = [tenon.from_dlpack(each.detach().clone()).requires_grad_() for each in theirs]
    peer, peer_classes = torch.from_numpy(x), torch.from_numpy(classes)
    mine, mine_classes = tenon.tensor(x), tenon.tensor(classes)
    peer_rule, rule = torch.optim.SGD(theirs, lr=RATE), tenon.optim.sgd(own, lr=RATE)
    layer = getattr(tenon, kind)

    def ours():
        rule.zero_grad()
        y = mine
        for i in range(layers):
            y = layer(y, **dict(zip(WEIGHTS, own[4 * i : 4 * i + 4], strict=True)))[0]
        logits = tenon.linear(y.reshape((steps * batch, hidden)), *own[-2:])
        tenon.softmax_cross_entropy(logits, mine_classes).backward()
        rule.step()

    def pytorch():
        peer_rule.zero_grad()
        logits = head(module(peer)[0].reshape(steps * batch, hidden))
        torch.nn.functional.cross_entropy(logits, peer_classes).backward()
        peer_rule.step()

    def without_onednn():
        with torch.backends.mkldnn.flags(enabled=False):
            pytorch()

    return ours, pytorch, without_onednn


def compare(tenon, shapes, rounds):
    print(
        "| layer | steps x batch, widths | Tenon, ms | captured, ms | PyTorch, ms "
        "| PyTorch / Tenon | / captured |"
    )
    print("|---|---|---:|---:|---:|---:|---:|")
    for kind, layers, steps, batch, inputs, hidden in shapes:
        eager, *theirs = steps_of(tenon, kind, layers, steps, batch, inputs, hidden)
        captured = tenon.captured(steps_of(tenon, kind, layers, steps, batch, inputs, hidden)[0])
        rows = [(*row[:2], min(row[2:])) for row in in_turns((eager, captured, *theirs), rounds)]
        ours = [f"{each * 1e3:.2f}" for each in medians(rows)]
        ratios = [f"{each:.2f}" for each in medians([(c / a, c / b) for a, b, c in rows])]
        print(
            f"| {kind}, {layers} | {steps} x {batch}, {inputs} to {hidden} "
            f"| {' | '.join(ours + ratios)} |",
            flush=True,
        )


def main():
    arguments, tenon = begin(__doc__, flags=["--long"])
    compare(tenon, SHAPES + LONG * arguments.long, arguments.rounds)


if __name__ == "__main__":
    main()
