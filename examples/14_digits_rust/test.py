#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/14_digits_rust/test.py: does the program learn, with the bits of the one in C, is it
# short and safe, and does it say what is wrong?
"""Usage: test.py <program digits> <prefix> [unittest options]. Standard library only.

The installed 09_short is the same run in C, and tests/python/test_same_bits.py holds that one's
weights against a run in Python."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PREFIX = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
DIGITS = PREFIX / "share/tenon/data/digits"
SOURCE = pathlib.Path(__file__).resolve().parent / "src/main.rs"


def run(program, *options):
    return subprocess.run(
        [program, *map(str, options)], capture_output=True, text=True, check=False, timeout=120
    )


class Digits(unittest.TestCase):
    def test_learns_what_the_program_in_c_learns(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = (pathlib.Path(folder) / f"{name}.safetensors" for name in ("rust", "c"))
            done = run(PROGRAM, DIGITS, 8, ours)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            accuracies = re.findall(r"accuracy (\S+)", done.stdout)
            self.assertEqual(len(accuracies), 8)
            self.assertGreater(float(accuracies[-1]), 0.93)
            self.assertEqual(run(PREFIX / "bin/09_short", DIGITS, 8, theirs).returncode, 0)
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_says_what_is_wrong(self):
        done = run(PROGRAM, "nowhere", 1, "run.safetensors")
        self.assertEqual(done.returncode, 1)
        for words in ("nowhere/train-images-idx3-ubyte", "TENON_E_IO", "tenon.data"):
            self.assertIn(words, done.stderr)
        done = run(PROGRAM)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("usage: digits FOLDER EPOCHS RUN", done.stderr)

    def test_is_short_and_safe(self):
        lines = SOURCE.read_text(encoding="utf-8").splitlines()
        code = [line for line in lines if line.strip() and not line.lstrip().startswith("//")]
        self.assertLessEqual(len(code), 40)
        self.assertNotIn("unsafe", "\n".join(code))
        if shutil.which("rustfmt"):
            done = run("rustfmt", "--edition", "2021", "--check", SOURCE)
            self.assertEqual(done.returncode, 0, done.stdout)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
