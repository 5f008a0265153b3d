# SPDX-License-Identifier: Apache-2.0
# examples/python/lstm_text.py: an LSTM learns to write as a text does, then writes; asserts that it
# has learned.
"""usage: lstm_text.py [--data FILE] [--steps N] [--hidden N] [--layers N] [--window N]
                       [--reset] [--seed N]

FILE is any text; without one it is the beginning of a play by Shakespeare. Tokens are bytes. The
text is cut into rows that are read side by side, a window at a time. The state of a row is carried
from window to window, or with --reset begins anew in each.
"""

import argparse
import pathlib
import time

import tenon

PLAY = pathlib.Path(__file__).resolve().parents[1] / "data/text/coriolanus.txt"
BYTES, ROWS = 256, 32

State = tuple[tenon.Tensor, ...]


class Writer(tenon.nn.Module):
    """Rows of numbers for bytes, an LSTM, and a score for each byte that may come next."""

    def __init__(self, hidden: int, layers: int) -> None:
        self.embedding = tenon.nn.embedding(rows=BYTES, width=64)
        self.lstm = tenon.nn.lstm(inputs=64, hidden=hidden, layers=layers, batch_first=True)
        self.head = tenon.nn.linear(inputs=hidden, outputs=BYTES)

    def forward(self, tokens: tenon.Tensor, state: State) -> tuple[tenon.Tensor, State]:
        y, *state_after = self.lstm(self.embedding(tokens), *state)
        return self.head(y), tuple(state_after)


def rows_of(text: bytes) -> tenon.Tensor:
    """The text as ROWS parts of equal length, one below the other."""
    length = len(text) // ROWS
    return tenon.tensor(list(text[: ROWS * length]), dtype="i64").reshape((ROWS, length))


def loss_of(
    model: Writer, rows: tenon.Tensor, at: int, window: int, state: State
) -> tuple[tenon.Tensor, State]:
    """Of the bytes after each of rows [at, at + window)."""
    scores, state = model(rows[:, at : at + window], state)
    targets = rows[:, at + 1 : at + window + 1]
    loss = tenon.softmax_cross_entropy(scores.reshape((-1, BYTES)), targets.reshape((-1,)))
    return loss, state


def validate(model: Writer, rows: tenon.Tensor, window: int) -> float:
    model.eval()
    state: State = ()
    losses = []
    with tenon.no_grad:
        for at in range(0, rows.shape[1] - window, window):
            loss, state = loss_of(model, rows, at, window, state)
            losses.append(loss.item())
    model.train()
    return sum(losses) / len(losses)


def write(model: Writer, beginning: str, count: int) -> str:
    """`beginning` and `count` bytes more, each drawn from the likeliest 20; only what is new is
    read, as the state knows the rest."""
    written = list(beginning.encode())
    new, state = written, ()
    model.eval()
    with tenon.no_grad:
        for _ in range(count):
            scores, state = model(tenon.tensor([new], dtype="i64"), state)
            new = [int(tenon.sample(scores[0, -1], temperature=0.7, top_k=20).item())]
            written += new
    model.train()
    return bytes(written).decode(errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description="An LSTM learns a text.")
    parser.add_argument("--data", type=pathlib.Path, default=PLAY)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--window", type=int, default=32)
    parser.add_argument("--reset", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    tenon.seed(options.seed)
    text = options.data.read_bytes()
    held_out = len(text) // 10
    rows, others = rows_of(text[:-held_out]), rows_of(text[-held_out:])
    if others.shape[1] <= options.window:
        parser.error(f"{options.data} is too short")
    model = Writer(options.hidden, options.layers)
    optimizer = tenon.optim.adam(model.parameters(), lr=5e-3)
    state: State = ()
    start, at = time.monotonic(), 0
    for done in range(1, options.steps + 1):
        loss, state = loss_of(model, rows, at, options.window, () if options.reset else state)
        loss.backward()
        optimizer.step(clear_grad=True)
        state = tuple(each.detach() for each in state)  # gradients end with the window
        at += options.window
        if at + options.window >= rows.shape[1]:
            at, state = 0, ()
        if done % 100 == 0 or done == options.steps:
            held = validate(model, others, options.window)
            seconds = time.monotonic() - start
            print(f"step {done}: loss {loss.item():.3f}, validation {held:.3f}, {seconds:.1f} s")
    print(write(model, "MENENIUS:\n", 200))
    assert options.data != PLAY or options.steps < 400 or held < 2.0, held


if __name__ == "__main__":
    main()
