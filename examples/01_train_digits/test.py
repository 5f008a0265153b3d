#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/01_train_digits/test.py: does the example do what it says, and fail as it should?
"""Usage: test.py <program 01_train_digits> <tree with lib/ and plugins/> [unittest options]

Standard library only. The tree is a build tree or an installed one; it is copied where a test takes
a plugin away.
"""

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
TREE = pathlib.Path(sys.argv[2]).resolve()
DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data" / "digits"
TRAIN_IMAGES, TRAIN_LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
TEST_IMAGES, TEST_LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)


def run(*options, program=PROGRAM, **environment):
    return subprocess.run(
        [program, *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def accuracy(done):
    """What the last line says; its form is part of the example's interface."""
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    match = re.fullmatch(r"test accuracy: (\d\.\d{4})", last)
    if not match:
        raise AssertionError(f"last line {last!r}; stderr: {done.stderr}")
    return float(match.group(1))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Training(Folder):
    def test_seeds_reach_96_percent(self):
        for seed in range(5):
            with self.subTest(seed=seed):
                done = run("--seed", seed)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreaterEqual(accuracy(done), 0.96)
                self.assertEqual(done.stderr, "", "progress is for terminals only")

    def test_same_seed_same_digits_whatever_the_threads(self):
        runs = [run("--epochs", 2, "--seed", 3, "--threads", n) for n in (1, 3)]
        losses = [re.findall(r"loss (\S+)", done.stdout) for done in runs]
        self.assertEqual(len(losses[0]), 2, runs[0].stderr)
        self.assertEqual(losses[0], losses[1])
        other = run("--epochs", 2, "--seed", 4)
        self.assertNotEqual(losses[0], re.findall(r"loss (\S+)", other.stdout))

    def test_shuffled_labels_teach_nothing(self):
        for name in FILES:
            shutil.copy(DIGITS / name, self.folder)
        for name in (TRAIN_LABELS, TEST_LABELS):
            data = (self.folder / name).read_bytes()
            labels = list(data[8:])
            random.Random(1).shuffle(labels)
            (self.folder / name).write_bytes(data[:8] + bytes(labels))
        done = run("--data", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(0.05 <= accuracy(done) <= 0.15, done.stdout)

    def test_compressed_files_are_the_same_data(self):
        for name in FILES:
            data = (DIGITS / name).read_bytes()
            (self.folder / (name + ".gz")).write_bytes(gzip.compress(data))
        plain, packed = run("--epochs", 1), run("--epochs", 1, "--data", self.folder)
        self.assertEqual(packed.returncode, 0, packed.stderr)
        self.assertEqual(accuracy(plain), accuracy(packed))

    def test_json(self):
        path = self.folder / "report.json"
        done = run("--epochs", 2, "--json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual([each["epoch"] for each in report["epochs"]], [1, 2])
        for each in report["epochs"]:
            self.assertGreater(each["loss"], 0)
            self.assertGreater(each["seconds"], 0)
        self.assertAlmostEqual(report["test_accuracy"], accuracy(done), places=4)
        self.assertEqual(report["test_accuracy"], report["epochs"][-1]["test_accuracy"])
        plugins = json.dumps(report["plugins"])
        for name in ("tenon.ref", "tenon.ops", "tenon.optim", "tenon.data"):
            self.assertIn(name, plugins)
        ops = [each["op"] for each in report["kernels"]]
        self.assertIn("tenon.matmul", ops)
        self.assertIn("tenon.softmax_cross_entropy", ops)

    def test_another_learning_rate_another_loss(self):
        runs = [run("--epochs", 1, "--lr", lr) for lr in ("0.01", "0.0001")]
        self.assertNotEqual(runs[0].stdout, runs[1].stdout)


class Options(Folder):
    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in "--data --epochs --seed --threads --lr --json --activation".split():
            self.assertIn(option, done.stdout)

    def test_wrong_options_end_with_2_and_the_usage(self):
        for options in (
            ["--colour"],
            ["extra"],
            ["--epochs"],
            ["--epochs", "0"],
            ["--epochs", "many"],
            ["--epochs", "99999999999999999999"],
            ["--seed", "-1"],
            ["--threads", "0"],
            ["--lr", "0"],
            ["--lr", "nan"],
            ["--data", ""],
        ):
            with self.subTest(options=options):
                done = run(*options)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("usage:", done.stderr)
                self.assertIn(options[0], done.stderr)

    def test_unknown_activation(self):
        done = run("--activation", "acme.nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("acme.nowhere", done.stderr)

    def test_json_that_cannot_be_written(self):
        path = self.folder / "no" / "report.json"
        done = run("--epochs", 1, "--json", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(path), done.stderr)


class BrokenData(Folder):
    def refused(self, status, *words):
        done = run("--data", self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in (status, *words):
            self.assertIn(word, done.stderr)

    def test_missing(self):
        self.refused("TENON_E_IO", str(self.folder / TRAIN_IMAGES), "No such file")

    def test_corrupt(self):
        images = (DIGITS / TRAIN_IMAGES).read_bytes()
        labels = (DIGITS / TRAIN_LABELS).read_bytes()
        size = str(len(images))
        for name, data, words in (
            (TRAIN_IMAGES, b"", ["too short", "0 bytes"]),
            (TRAIN_IMAGES, b"\x01" + images[1:], ["two zero bytes"]),
            (TRAIN_IMAGES, images[:2] + b"\x07" + images[3:], ["element type", "code 7"]),
            (TRAIN_IMAGES, images[:3] + b"\x00" + images[4:], ["number of dimensions"]),
            (TRAIN_IMAGES, images[:10], ["16 bytes", "10 bytes"]),
            (TRAIN_IMAGES, images[:-1], ["too short", size, str(len(images) - 1)]),
            (TRAIN_IMAGES, images + b"x", ["follow the last element", size, str(len(images) + 1)]),
            (TRAIN_IMAGES, images[:4] + b"\xff" * 12 + images[16:], ["too many bytes"]),
            (TRAIN_IMAGES, images[:4] + b"\x7f" + images[5:], ["too short"]),
            (TRAIN_IMAGES, gzip.compress(images)[:-200], ["compressed data", "unexpected end"]),
            (TRAIN_IMAGES, gzip.compress(images)[:-4] + b"\0\0\0\0", ["compressed data"]),
            (TRAIN_LABELS, labels[:4] + b"\0\0\x05\x9d" + labels[8:-1], ["1438 labels", "1437"]),
            (TRAIN_LABELS, images, ["one dimension", "[1438,8,8]"]),
        ):
            with self.subTest(name=name, words=words):
                for each in FILES:
                    shutil.copy(DIGITS / each, self.folder)
                (self.folder / name).write_bytes(data)
                self.refused("TENON_E_DATA", str(self.folder / name), *words)


class MissingPlugins(Folder):
    """Without a plugin's folder, the error says what is missing and where it was looked for."""

    def setUp(self):
        super().setUp()
        shutil.copytree(TREE / "plugins", self.folder / "plugins")
        shutil.copytree(TREE / "lib", self.folder / "lib", symlinks=True)
        (self.folder / "bin").mkdir()
        self.program = self.folder / "bin" / PROGRAM.name
        shutil.copy(PROGRAM, self.program)

    def start(self):
        return run(
            "--epochs", 1, "--data", DIGITS, program=self.program,
            LD_LIBRARY_PATH=str(self.folder / "lib"), HOME=str(self.folder), XDG_DATA_HOME="",
        )

    def test_all_there(self):
        done = self.start()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_after_the_other(self):
        for plugin, missing in (
            ("tenon.optim", "tenon.adam"),
            ("tenon.ops", "tenon.uniform"),
            ("tenon.ref", "host memory"),
            ("tenon.data", "tenon.idx"),
        ):
            with self.subTest(plugin=plugin):
                place = self.folder / "plugins" / plugin
                aside = self.folder / plugin
                place.rename(aside)
                done = self.start()
                aside.rename(place)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(missing, done.stderr)
                self.assertIn(str(self.folder / "plugins"), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
