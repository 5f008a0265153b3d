#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/10_resnet/test.py: does the residual network learn, go on with the same bits after a
# stop, and say what is wrong?
"""Usage: test.py <program 10_resnet> <tree, not used> [unittest options]. Standard library only."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def run(*options):
    return subprocess.run(
        [PROGRAM, *map(str, options)], capture_output=True, text=True, check=False, timeout=200
    )


class ResNet(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_learns(self):
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        accuracy = float(re.search(r"^test accuracy: (\S+)$", done.stdout, re.MULTILINE).group(1))
        self.assertGreaterEqual(accuracy, 0.95)

    def test_goes_on_and_threads_change_no_bit(self):
        whole, stopped = (self.folder / f"{name}.safetensors" for name in ("whole", "stopped"))
        self.assertEqual(run("--epochs", 1, "--threads", 1, "--checkpoint", whole).returncode, 0)
        for threads, workers in ((2, 0), (3, 4)):
            stopped.unlink(missing_ok=True)
            options = ("--epochs", 1, "--threads", threads, "--workers", workers)
            self.assertEqual(run(*options, "--checkpoint", stopped).returncode, 0)
            self.assertEqual(stopped.read_bytes(), whole.read_bytes())
        goes_on = run("--epochs", 1, "--checkpoint", whole)
        self.assertIn("goes on", goes_on.stdout)
        self.assertEqual(stopped.read_bytes(), whole.read_bytes())

    def test_says_what_is_wrong(self):
        done = run("--data", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("train-images-idx3-ubyte", done.stderr)
        self.assertIn("TENON_E_IO", done.stderr)
        for options in (["--colour", "1"], ["--epochs"], ["--epochs", "x"], ["--workers", "-1"]):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage:", done.stderr)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
