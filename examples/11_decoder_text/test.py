#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/11_decoder_text/test.py: does the decoder learn, write the same for any number of
# threads, and say what is wrong?
"""Usage: test.py <program 11_decoder_text> <tree, not used> [unittest options]. Standard library
only."""

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


def written(done):
    """What follows the line with the loss."""
    return done.stdout.partition("\n")[2]


class Decoder(unittest.TestCase):
    def test_learns_and_writes(self):
        done = run("--write", 100)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        loss = float(re.search(r"^300 steps: loss (\S+),", done.stdout).group(1))
        self.assertLessEqual(loss, 2.1)
        text = written(done)
        self.assertEqual(len(text), len("MENENIUS:\n") + 100 + 1)
        self.assertTrue(text.startswith("MENENIUS:\n"))
        # It has learned words, at least short ones, not only letters.
        self.assertRegex(text, r"\b(the|and|to|you|that|of|he|his|is|not|be|with|my)\b")

    def test_threads_change_nothing(self):
        texts = {written(run("--steps", 5, "--write", 40, "--threads", n)) for n in (1, 2, 3)}
        self.assertEqual(len(texts), 1)
        other = written(run("--steps", 5, "--write", 40, "--seed", 1))
        self.assertNotIn(other, texts)

    def test_takes_a_text_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "abc.txt"
            path.write_text("abcdefgh" * 400)
            done = run("--data", path, "--steps", 60, "--write", 8)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        loss = float(re.search(r"loss (\S+),", done.stdout).group(1))
        self.assertLess(loss, 2.5)

    def test_says_what_is_wrong(self):
        done = run("--data", "/no/such/file")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/file", done.stderr)
        self.assertIn("TENON_E_IO", done.stderr)
        for options in (["--colour", "1"], ["--steps"], ["--steps", "x"], ["--write", "-1"]):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage:", done.stderr)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
