#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/08_mnist/test.py: does the example learn, and go on with the same bits after any stop?
"""Usage: test.py <program 08_mnist> <tree, not used> [unittest options]. Standard library only."""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
STOPS = 200


def run(*options):
    return subprocess.run(
        [PROGRAM, *map(str, options)], capture_output=True, text=True, check=False, timeout=120
    )


def end_of(done):
    """Step and hash of the last line."""
    match = re.search(r"^step (\d+), weights ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
    if done.returncode or not match:
        raise AssertionError(f"status {done.returncode}: {done.stdout[-300:]} {done.stderr}")
    return int(match.group(1)), match.group(2)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_learns_and_draws(self):
        curve = self.folder / "curve.svg"
        done = run("--curve", curve, "--events", self.folder)
        end_of(done)
        self.assertEqual(done.stderr, "")
        accuracy = float(re.search(r"^test accuracy: (\S+)$", done.stdout, re.MULTILINE).group(1))
        self.assertGreaterEqual(accuracy, 0.95)
        picture = xml.dom.minidom.parse(str(curve))
        self.assertEqual(picture.documentElement.tagName, "svg")
        self.assertEqual(len(list(self.folder.glob("*tfevents*"))), 1)

    def test_workers_and_threads_change_no_bit(self):
        ends = [
            end_of(run("--epochs", 2, "--workers", workers, "--threads", threads))
            for workers, threads in ((0, 1), (4, 1), (2, 3))
        ]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])
        self.assertNotEqual(ends[0], end_of(run("--epochs", 2, "--seed", 1)))

    def test_stopped_200_times(self):
        whole = end_of(run())
        saved = self.folder / "run.safetensors"
        moments = sorted(random.Random(7).sample(range(1, whole[0]), STOPS))
        for moment in moments:
            self.assertEqual(end_of(run("--checkpoint", saved, "--stop", moment))[0], moment)
        self.assertEqual(end_of(run("--checkpoint", saved)), whole)
        self.assertEqual([each.name for each in self.folder.iterdir()], [saved.name])

    def test_checkpoints_that_are_none(self):
        saved = self.folder / "run.safetensors"
        end_of(run("--checkpoint", saved, "--stop", 3))
        good = saved.read_bytes()
        for data in (b"", good[:100], good[:-1], good + b"x", b"\xff" * 64):
            saved.write_bytes(data)
            done = run("--checkpoint", saved, "--stop", 5)
            self.assertEqual(done.returncode, 1)
            self.assertIn("run.safetensors", done.stderr)
            self.assertEqual(saved.read_bytes(), data, "a refused file stays")
        done = run("--checkpoint", self.folder / "no" / "run", "--stop", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)

    def test_wrong_options(self):
        for options in (["--colour", "1"], ["--epochs"], ["--epochs", "0"], ["--stop", "x"]):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage:", done.stderr)
        self.assertEqual(run("--help").returncode, 0)
        done = run("--data", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(os.fspath(self.folder), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
