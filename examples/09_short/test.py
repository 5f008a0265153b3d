#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/09_short/test.py: does the short program learn, go on with the same bits after a stop,
# and say what is wrong? And is it short?
"""Usage: test.py <program 09_short> <tree, not used> [unittest options]. Standard library only.
tests/python/test_same_bits.py holds its weights against a run in Python."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent
DIGITS = FOLDER.parent / "data/digits"


def run(*options):
    return subprocess.run(
        [PROGRAM, *map(str, options)], capture_output=True, text=True, check=False, timeout=120
    )


class Short(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_learns_and_goes_on(self):
        whole, stopped = (self.folder / f"{name}.safetensors" for name in ("whole", "stopped"))
        done = run(DIGITS, 8, whole)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("epoch"), 8)
        self.assertGreater(float(re.findall(r"accuracy (\S+)", done.stdout)[-1]), 0.93)
        for epochs in (3, 3, 8):
            self.assertEqual(run(DIGITS, epochs, stopped).returncode, 0)
        self.assertEqual(stopped.read_bytes(), whole.read_bytes())

    def test_says_what_is_wrong(self):
        saved = self.folder / "run.safetensors"
        done = run("nowhere", 1, saved)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/train-images-idx3-ubyte", done.stderr)
        self.assertIn("TENON_E_IO", done.stderr)
        saved.write_bytes(b"no checkpoint")
        done = run(DIGITS, 1, saved)
        self.assertEqual(done.returncode, 1)
        self.assertIn("TENON_E_DATA", done.stderr)
        self.assertEqual(run().returncode, 2)

    def test_is_short(self):
        lines = (FOLDER / "main.c").read_text(encoding="utf-8").splitlines()
        code = [line for line in lines if line.strip() and not line.lstrip().startswith("//")]
        self.assertLessEqual(len(code), 70)
        included = re.findall(r"#include (\S+)", "\n".join(code))
        self.assertEqual(included, ["<tenon/client.h>"])


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
