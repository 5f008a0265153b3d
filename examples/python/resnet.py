# SPDX-License-Identifier: Apache-2.0
# examples/python/resnet.py: a residual network learns handwritten digits; asserts that it has.
"""usage: resnet.py [--data FOLDER] [--epochs N] [--width N] [--batch N] [--seed N]

FOLDER holds the four idx files of MNIST; without one the small digits of this repository are taken.
"""

import argparse
import pathlib
import time

import tenon

DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data/digits"


def conv(inputs: int, outputs: int, kernel: int, stride: int = 1) -> tenon.nn.Layer:
    return tenon.nn.conv(
        in_channels=inputs,
        out_channels=outputs,
        kernel_size=[kernel, kernel],
        stride=[stride],
        padding=[kernel // 2],
        bias=False,
        init="kaiming_uniform",
        gain=2**0.5,
    )


def block(inputs: int, outputs: int, stride: int) -> tenon.nn.Layer:
    """Two convolutions beside x, or beside a 1x1 convolution of it where shapes differ."""
    fits = inputs == outputs and stride == 1
    made = tenon.nn.residual(shortcut=not fits, activation="relu")
    made.append(conv(inputs, outputs, 3, stride), "conv1")
    made.append(tenon.nn.batch_norm(features=outputs), "bn1")
    made.append(tenon.nn.activation(op="relu"), "relu")
    made.append(conv(outputs, outputs, 3), "conv2")
    made.append(tenon.nn.batch_norm(features=outputs), "bn2")
    if not fits:
        shortcut = tenon.nn.sequential(
            conv(inputs, outputs, 1, stride), tenon.nn.batch_norm(features=outputs)
        )
        made.append(shortcut, "downsample")
    return made


class ResNet(tenon.nn.Module):
    """Names as in torchvision's ResNet."""

    def __init__(self, width: int) -> None:
        self.conv1 = conv(1, width, 3)
        self.bn1 = tenon.nn.batch_norm(features=width)
        self.layer1 = tenon.nn.sequential(block(width, width, 1))
        self.layer2 = tenon.nn.sequential(block(width, 2 * width, 2))
        self.avgpool = tenon.nn.adaptive_avg_pool(output_size=[1])
        self.fc = tenon.nn.linear(inputs=2 * width, outputs=10)

    def forward(self, images: tenon.Tensor) -> tenon.Tensor:
        x = self.bn1(self.conv1(images)).relu()
        x = self.avgpool(self.layer2(self.layer1(x)))
        scores: tenon.Tensor = self.fc(tenon.flatten(x, 1))
        return scores


def load(folder: pathlib.Path, part: str) -> tenon.data.Dataset:
    return tenon.data.idx(
        images=str(folder / f"{part}-images-idx3-ubyte"),
        labels=str(folder / f"{part}-labels-idx1-ubyte"),
    )


def accuracy_of(
    model: ResNet, digits: tenon.data.Dataset, scale: tuple[float, float]
) -> float:
    model.eval()
    right = 0.0
    with tenon.no_grad:
        for pixels, labels in tenon.data.batches(
            digits, 256, transforms=[tenon.data.normalise(*scale)]
        ):
            guess = model(tenon.unsqueeze(pixels, axes=[1])).argmax(axis=1)
            right += (guess == labels).sum().item()
    model.train()
    return right / len(digits)


def main() -> None:
    parser = argparse.ArgumentParser(description="A residual network learns handwritten digits.")
    parser.add_argument("--data", type=pathlib.Path, default=DIGITS)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    tenon.seed(options.seed)
    digits, test = load(options.data, "train"), load(options.data, "t10k")
    images = digits[:][0].astype(tenon.float32)
    scale = images.mean().item(), images.std(correction=1).item()
    size = images.shape[-1]
    crop = tenon.data.crop(size, size, padding=1, random=True)
    train = tenon.data.batches(
        digits,
        options.batch,
        transforms=[crop, tenon.data.normalise(*scale)],
        seed=options.seed,
        drop_last=True,
    )
    model = ResNet(options.width)
    optimizer = tenon.optim.sgd(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    @tenon.captured
    def step(pixels: tenon.Tensor, labels: tenon.Tensor) -> tenon.Tensor:
        loss = tenon.softmax_cross_entropy(model(tenon.unsqueeze(pixels, axes=[1])), labels)
        loss.backward()
        optimizer.step(clear_grad=True)
        return loss

    schedule = tenon.schedules.cosine(0.1, period=options.epochs)
    for epoch in range(options.epochs):
        start = time.monotonic()
        optimizer.lr = next(schedule)
        for pixels, labels in tenon.data.progress(train, f"epoch {epoch + 1}"):
            loss = step(pixels, labels)
        accuracy = accuracy_of(model, test, scale)
        print(
            f"epoch {epoch + 1}: loss of the last batch {loss.item():.4f}, "
            f"accuracy on {len(test)} images never seen {100 * accuracy:.2f} %, "
            f"{time.monotonic() - start:.1f} s"
        )
    assert options.epochs < 6 or accuracy > 0.95, accuracy


if __name__ == "__main__":
    main()
