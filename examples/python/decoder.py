# SPDX-License-Identifier: Apache-2.0
# examples/python/decoder.py: a small transformer learns to write as a text does, then writes;
# asserts that it has learned.
"""usage: decoder.py [--data FILE] [--steps N] [--layers N] [--width N] [--window N] [--seed N]

FILE is any text; without one it is the beginning of a play by Shakespeare. Tokens are bytes.
"""

import argparse
import pathlib
import time

import tenon

PLAY = pathlib.Path(__file__).resolve().parents[1] / "data/text/coriolanus.txt"
BYTES = 256


class Decoder(tenon.nn.Module):
    """Blocks as in Llama: norms of the root mean square, rotated heads, gated units."""

    def __init__(self, width: int, layers: int, window: int) -> None:
        self.embedding = tenon.nn.embedding(rows=BYTES, width=width, gain=0.02)
        self.blocks = tenon.nn.sequential(
            *(
                tenon.nn.transformer_block(
                    width=width,
                    heads=width // 32,
                    hidden=3 * width,
                    activation="swiglu",
                    norm="rms",
                    bias=False,
                    causal=True,
                    positions=window,
                )
                for _ in range(layers)
            )
        )
        self.norm = tenon.nn.rms_norm(sizes=[width])
        self.head = tenon.nn.linear(inputs=width, outputs=BYTES, bias=False)

    def forward(self, tokens: tenon.Tensor) -> tenon.Tensor:
        scores: tenon.Tensor = self.head(self.norm(self.blocks(self.embedding(tokens))))
        return scores


def write(model: Decoder, beginning: str, count: int, window: int) -> str:
    """`beginning` and `count` bytes more, each drawn from the likeliest 20."""
    tokens = list(beginning.encode())
    model.eval().set_cache(batch=1, positions=window)
    unseen, kept = tokens, 0
    with tenon.no_grad:
        for _ in range(count):
            if kept + len(unseen) > window:  # full: begins again with half a window
                model.crop_cache(0)
                unseen, kept = tokens[-(window // 2) :], 0
            scores = model(tenon.tensor([unseen], dtype="i64"))
            kept += len(unseen)
            drawn = tenon.sample(scores[0, -1], temperature=0.8, top_k=20)
            unseen = [int(drawn.item())]
            tokens += unseen
    model.set_cache().train()
    return bytes(tokens).decode(errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description="A small transformer learns a text.")
    parser.add_argument("--data", type=pathlib.Path, default=PLAY)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    tenon.seed(options.seed)
    text = tenon.data.text(
        path=str(options.data), tokenizer="byte", window=options.window, stride=7
    )
    batches = tenon.data.batches(text, 16, shuffle=True, seed=options.seed, drop_last=True)
    model = Decoder(options.width, options.layers, options.window)
    optimizer = tenon.optim.adamw(model.parameters(), lr=3e-3, weight_decay=0.01)

    @tenon.captured
    def step(tokens: tenon.Tensor, targets: tenon.Tensor) -> tenon.Tensor:
        scores = tenon.reshape(model(tokens), (-1, BYTES))
        loss = tenon.softmax_cross_entropy(scores, tenon.reshape(targets, (-1,)))
        loss.backward()
        optimizer.step(clear_grad=True)
        return loss

    schedule = tenon.schedules.cosine(3e-3, period=options.steps)
    start = time.monotonic()
    done, recent = 0, 0.0
    while done < options.steps:
        for tokens, targets in batches:
            optimizer.lr = next(schedule)
            loss = step(tokens, targets).item()
            recent = loss if done == 0 else 0.95 * recent + 0.05 * loss
            done += 1
            if done % 50 == 0 or done == options.steps:
                print(f"step {done}: loss {recent:.3f}, {time.monotonic() - start:.1f} s")
            if done == options.steps:
                break
    print(write(model, "MENENIUS:\n", 200, options.window))
    assert options.data != PLAY or options.steps < 300 or recent < 2.1, recent


if __name__ == "__main__":
    main()
