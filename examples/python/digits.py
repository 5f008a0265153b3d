# SPDX-License-Identifier: Apache-2.0
# examples/python/digits.py: a perceptron learns handwritten digits; asserts that it has.
"""usage: digits.py [--data FOLDER] [--epochs N] [--optimizer sgd|adam|...] [--seed N]

FOLDER holds the four idx files of MNIST; without one the small digits of this repository are taken.
Shows how far it is, on a terminal.
"""

import argparse
import pathlib
from typing import Any

import tenon

DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data/digits"


class Perceptron(tenon.nn.Module):
    """pixels - 128 - 32 - 10 with relu between."""

    def __init__(self, pixels: int) -> None:
        self.hidden = tenon.nn.linear(inputs=pixels, outputs=128)
        self.narrow = tenon.nn.linear(inputs=128, outputs=32)
        self.classes = tenon.nn.linear(inputs=32, outputs=10)

    def forward(self, images: tenon.Tensor) -> tenon.Tensor:
        x = self.hidden(images).relu()
        scores: tenon.Tensor = self.classes(self.narrow(x).relu())
        return scores


def load(folder: pathlib.Path, part: str) -> tenon.data.Dataset:
    """Images and labels of the training set, "train", or of the other one, "t10k"."""
    return tenon.data.idx(
        images=str(folder / f"{part}-images-idx3-ubyte"),
        labels=str(folder / f"{part}-labels-idx1-ubyte"),
    )


def batches(
    digits: tenon.data.Dataset, size: int, scale: tuple[float, float], **options: Any
) -> tenon.data.Batches:
    """Standardised pixels [n, height * width] and labels [n]."""
    transforms = [tenon.data.normalise(*scale), tenon.data.flatten()]
    return tenon.data.batches(digits, size, transforms=transforms, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description="A perceptron learns handwritten digits.")
    parser.add_argument("--data", type=pathlib.Path, default=DIGITS)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--optimizer", default="adam")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    tenon.seed(options.seed)
    digits = load(options.data, "train")
    images = digits[:][0].astype(tenon.float32)
    scale = images.mean().item(), images.std(correction=1).item()
    train = batches(digits, 64, scale, seed=options.seed, drop_last=True)
    model = Perceptron(images[0].size)
    optimizer = getattr(tenon.optim, options.optimizer)(model.parameters(), lr=0.002)
    for epoch in range(options.epochs):
        for pixels, labels in tenon.data.progress(train, f"epoch {epoch + 1}"):
            loss = tenon.softmax_cross_entropy(model(pixels), labels)
            loss.backward()
            optimizer.step(clear_grad=True)
        print(f"epoch {epoch + 1}: loss of the last batch {loss.item():.4f}")

    model.eval()
    digits, right = load(options.data, "t10k"), 0.0
    with tenon.no_grad:
        for pixels, labels in batches(digits, 256, scale):
            right += (model(pixels).argmax(axis=1) == labels).sum().item()
    accuracy = right / len(digits)
    print(f"accuracy on {len(digits)} images never seen: {100 * accuracy:.1f} %")
    assert accuracy > 0.9, accuracy


if __name__ == "__main__":
    main()
