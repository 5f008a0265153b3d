# SPDX-License-Identifier: Apache-2.0
# examples/common/same_run.py: what a program that is 09_short in another language must do, if it is
# built before its test runs: learn, with the bits of 09_short, and say what is wrong.
"""For the test.py of such an example, which ends with `same_run.main(<subclass of SameRun>)`. Its
arguments: PROGRAM PREFIX. Standard library only.

The installed 09_short is the same run in C, and tests/python/test_same_bits.py holds that one's
weights against a run in Python."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PREFIX = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
DIGITS = PREFIX / "share/tenon/data/digits"


def run(program, *options):
    return subprocess.run(
        [program, *map(str, options)], capture_output=True, text=True, check=False, timeout=120
    )


class SameRun(unittest.TestCase):
    SOURCE = None  # the file that has to be short

    def test_learns_what_the_program_in_c_learns(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = (pathlib.Path(folder) / f"{name}.safetensors" for name in ("ours", "c"))
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

    def code(self):
        """Its lines without blank ones and comments."""
        lines = self.SOURCE.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.strip() and not line.lstrip().startswith("//")]


def main(case):
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    done = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(not done.wasSuccessful())
