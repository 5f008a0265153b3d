# SPDX-License-Identifier: Apache-2.0
# tests/python/test_same_bits.py: a training run in Python has the bits of the same run in C.
"""The example 08_mnist trains, and saves its run after N steps: parameters, the optimizer's state,
the sum of the losses. What follows trains the same perceptron from the same seed in Python, and
ends a run that the example began. On the shipped digits that is Adam along a cosine, on pictures of
MNIST's size SGD with momentum."""

import hashlib
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

from states_run import as_state
from support import Case, build_folder, is_sanitized, tenon

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "examples/data/digits"
PROGRAM = build_folder() / "bin/08_mnist"
SHORT = build_folder() / "bin/09_short"
TRAIN = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
TEST = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"
SEED = 5


def write_pictures(folder, names, count):
    """Files of `count` noisy pictures [28, 28] of ten kinds, in the format of MNIST."""
    draw = random.Random(count)
    labels = bytes(draw.randrange(10) for _ in range(count))
    pixels = b"".join(
        bytes(draw.randrange(200) + 5 * label for _ in range(28 * 28)) for label in labels
    )
    (folder / names[0]).write_bytes(struct.pack(">4I", 0x803, count, 28, 28) + pixels)
    (folder / names[1]).write_bytes(struct.pack(">2I", 0x801, count) + labels)


def digest(tensors):
    """sha256 of the values, by name."""
    taken = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    return {name: hashlib.sha256(memoryview(each)).hexdigest() for name, each in taken.items()}


class Run:
    """The example's run, in Python."""

    def __init__(self, folder, recipe, workers=0):
        sizes, scale, make_optimizer, self.schedule, batch = recipe()
        tenon.seed(SEED)
        images, labels = (str(folder / name) for name in TRAIN)
        self.digits = tenon.data.idx(images=images, labels=labels)
        transforms = [tenon.data.normalise(*scale[1:], scale=scale[0]), tenon.data.flatten()]
        self.batches = tenon.data.batches(
            self.digits, batch, seed=SEED, transforms=transforms, workers=workers
        )
        self.model = tenon.nn.sequential()
        for place, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            if place:
                self.model.append(tenon.nn.activation(op="tenon.relu"))
            self.model.append(tenon.nn.linear(inputs=inputs, outputs=outputs))
        self.optimizer, self.loss_sum = make_optimizer(self.model.parameters()), 0.0

    def resume(self, tensors, texts):
        """Goes on from a checkpoint of the example."""

        def below(prefix):
            return {
                name[len(prefix) :]: each
                for name, each in tensors.items()
                if name.startswith(prefix)
            }

        self.model.load_state_dict(below("model."))
        self.optimizer.load_state_dict(as_state(self.optimizer.name, tensors, texts, "optimizer.0"))
        self.schedule.load_state_dict({"step": float(texts["schedule.step"])})
        names = ("rng.seed", "rng.stream", "rng.counter")
        tenon.set_rng_state(tuple(int(texts[name]) for name in names))
        self.batches.begin(int(texts["loader.epoch"]), int(texts["loader.position"]))
        self.loss_sum = float(texts["loss_sum"])

    def train(self, steps):
        while steps:
            if self.batches.position in (0, len(self.digits)):
                self.loss_sum, self.optimizer.lr = 0.0, next(self.schedule)
            for images, labels in self.batches:
                loss = tenon.softmax_cross_entropy(self.model(images), labels)
                loss.backward()
                self.optimizer.step(clear_grad=True)
                self.loss_sum += loss.item() * len(labels)
                steps -= 1
                if not steps:
                    break
        self.batches.close()

    def digest(self):
        tensors = {f"model.{name}": each for name, each in self.model.named_parameters()}
        for name, each in self.optimizer.state_dict()["state"].items():
            tensors[f"optimizer.0.{name}"] = each
        return digest(tensors), self.loss_sum, tenon.get_rng_state()[2]


@unittest.skipUnless(PROGRAM.exists(), "the examples are not built")
class SameBits(Case):
    def in_c(self, folder, steps, *options):
        """Tensors and texts that the example saves after so many steps."""
        with tempfile.TemporaryDirectory() as place:
            saved = pathlib.Path(place) / "run.safetensors"
            subprocess.run(
                [PROGRAM, "--data", folder, "--seed", str(SEED), "--stop", str(steps),
                 "--checkpoint", saved, *options],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            return tenon.load(saved, copy=True, metadata=True)

    def compare(self, folder, recipe, steps):
        saved = None
        steps = steps[:2] if is_sanitized() else steps
        for count, workers in zip(steps, (0, 2, 0)):
            tensors, texts = self.in_c(folder, count, "--workers", "1", "--threads", "2")
            expected = digest(tensors), float(texts["loss_sum"]), int(texts["rng.counter"])
            run = Run(folder, recipe, workers)
            run.train(count)
            self.assertEqual(run.digest(), expected, f"after {count} steps")
            if saved:  # what C began Python ends
                run = Run(folder, recipe, workers)
                run.resume(*saved)
                run.train(count - int(saved[1]["step"]))
                self.assertEqual(run.digest(), expected, f"after {count} steps, resumed")
            saved = tensors, texts

    def test_adam(self):
        def recipe():
            def optimizer(params):
                return tenon.optim.adam(params, lr=0.01)

            schedule = tenon.schedules.cosine(0.01, period=20)
            return (64, 128, 10), (16, 0.0, 1.0), optimizer, schedule, 32

        self.compare(DIGITS, recipe, (1, 40, 100))  # 45 steps are an epoch

        # The short program, which shares no code with the example.
        with tempfile.TemporaryDirectory() as place:
            saved = pathlib.Path(place) / "run.safetensors"
            subprocess.run([SHORT, DIGITS, "2", saved], check=True, stdout=subprocess.DEVNULL)
            tensors = tenon.load(saved, copy=True)
        run = Run(DIGITS, recipe)
        run.train(90)
        self.assertEqual(run.digest()[0], digest(tensors))

    def test_sgd(self):
        def recipe():
            def optimizer(params):
                return tenon.optim.sgd(params, lr=0.01, momentum=0.9)

            schedule = tenon.schedules.constant(0.01)
            return (784, 128, 32, 10), (255, 0.1307, 0.3081), optimizer, schedule, 64

        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            write_pictures(folder, TRAIN, 600)
            write_pictures(folder, TEST, 20)
            self.compare(folder, recipe, (1, 9, 25))  # 10 steps are an epoch


if __name__ == "__main__":
    unittest.main()
