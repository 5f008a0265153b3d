# SPDX-License-Identifier: Apache-2.0
# examples/python/digits.py: a perceptron learns handwritten digits; asserts that it has.
"""usage: digits.py [--data FOLDER] [--epochs N] [--optimizer sgd|adam|...] [--seed N]

FOLDER holds the four idx files of MNIST; without one the small digits of this repository are taken.
Shows a progress bar where tqdm is installed.
"""

import argparse
import pathlib

import tenon

DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data/digits"

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(iterable, **_):
        """No progress bar."""
        return iterable


class Perceptron(tenon.nn.Module):
    """pixels - 128 - 32 - 10 with relu between."""

    def __init__(self, pixels):
        self.hidden = tenon.nn.linear(inputs=pixels, outputs=128)
        self.narrow = tenon.nn.linear(inputs=128, outputs=32)
        self.classes = tenon.nn.linear(inputs=32, outputs=10)

    def forward(self, images):
        x = self.hidden(images).relu()
        return self.classes(self.narrow(x).relu())


def load(folder, part):
    """The images [N, pixels], standardised, and the labels [N]."""
    data = tenon.data.idx(
        images=str(folder / f"{part}-images-idx3-ubyte"),
        labels=str(folder / f"{part}-labels-idx1-ubyte"),
    )
    images, labels = data[:]
    pixels = images.reshape(len(data), -1).astype(tenon.float32)
    return pixels, labels.astype(tenon.int64).reshape(len(data))


def batches(images, labels, size):
    """The samples in a drawn order, `size` at a time."""
    order = tenon.permutation(n=len(labels))
    for start in range(0, len(labels) - size + 1, size):
        chosen = order[start : start + size]
        yield images[chosen], labels[chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=DIGITS)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--optimizer", default="adam")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    tenon.seed(options.seed)
    images, labels = load(options.data, "train")
    mean, deviation = images.mean(), images.std()
    images = (images - mean) / deviation
    model = Perceptron(images.shape[1])
    optimizer = getattr(tenon.optim, options.optimizer)(model.parameters(), lr=0.002)
    for epoch in range(options.epochs):
        steps = list(batches(images, labels, 64))
        for pixels, wanted in tqdm(steps, desc=f"epoch {epoch + 1}", leave=False):
            loss = tenon.softmax_cross_entropy(model(pixels), wanted)
            loss.backward()
            optimizer.step(clear_grad=True)
        print(f"epoch {epoch + 1}: loss of the last batch {loss.item():.4f}")

    model.eval()
    with tenon.no_grad:
        images, labels = load(options.data, "t10k")
        found = model((images - mean) / deviation).argmax(axis=1)
        accuracy = (found == labels).astype(tenon.float32).mean().item()
    print(f"accuracy on {len(labels)} images never seen: {100 * accuracy:.1f} %")
    assert accuracy > 0.9, accuracy


if __name__ == "__main__":
    main()
