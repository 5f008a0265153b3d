# SPDX-License-Identifier: Apache-2.0
"""tests/bench/ctc.py: ctc_loss of logits and its gradient by Tenon and by PyTorch in turn; writes a
table in Markdown.

usage    PYTHON ctc.py [--rounds N] [--threads N] BUILD

PYTHON has PyTorch. Each round times both for a while, and the best call counts; of rounds it is
the median. Nothing here is a test: machines differ and are busy.
"""

import statistics

import torch
from timing import begin, in_turns, medians

SIZES = ((50, 32, 65, 20), (400, 16, 32, 100))  # frames, batch, classes, labels


def calls_of(size, tenon):
    frames, batch, classes, labels = size
    torch.manual_seed(0)
    logits = torch.randn(frames, batch, classes)
    targets = torch.randint(1, classes, (batch, labels))
    lengths = torch.full((batch,), frames), torch.full((batch,), labels)
    own = [tenon.from_dlpack(each) for each in (targets, *lengths)]
    x = tenon.from_dlpack(logits.clone()).requires_grad_()
    y = logits.clone().requires_grad_()

    def ours():
        tenon.ctc_loss(tenon.log_softmax(x, axis=-1), *own).backward()
        x.grad = None

    def theirs():
        torch.nn.functional.ctc_loss(y.log_softmax(-1), targets, *lengths).backward()
        y.grad = None

    return ours, theirs


def compare(size, rounds, tenon):
    calls = calls_of(size, tenon)
    seconds = in_turns(calls, rounds)
    ours, theirs = medians(seconds)
    ratio = statistics.median(a / b for a, b in seconds)
    sizes = " x ".join(map(str, size))
    return f"| {sizes} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ratio:.2f} |"


def main():
    arguments, tenon = begin(__doc__)
    print("| frames x batch x classes x labels | Tenon, ms | PyTorch, ms | Tenon / PyTorch |")
    print("|---|---:|---:|---:|")
    for size in SIZES:
        print(compare(size, arguments.rounds, tenon), flush=True)


if __name__ == "__main__":
    main()
