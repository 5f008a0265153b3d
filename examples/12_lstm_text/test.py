#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/12_lstm_text/test.py: does the LSTM learn, write the same for any number of
# threads, and say what is wrong?
"""Usage: test.py <program 12_lstm_text> <tree, not used> [unittest options]. Standard library
only."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def run(*options):
    # What has learned little may write any bytes.
    return subprocess.run(
        [PROGRAM, *map(str, options)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=200,
    )


def written(done):
    """What follows the line with the loss."""
    return done.stdout.partition("\n")[2]


class Lstm(unittest.TestCase):
    def test_learns_and_writes(self):
        done = run("--write", 100)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        loss = float(re.search(r"^400 steps: validation loss (\S+),", done.stdout).group(1))
        self.assertLessEqual(loss, 2.0)
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
            path.write_text("abcdefgh" * 2000)
            done = run("--data", path, "--steps", 60, "--write", 8)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        loss = float(re.search(r"loss (\S+),", done.stdout).group(1))
        self.assertLess(loss, 2.5)

    def test_a_state_is_carried_or_reset(self):
        """Training differs from the second window on."""
        options = ("--write", 60, "--steps")
        texts = [written(run(*options, 100, "--reset", reset)) for reset in (0, 1)]
        self.assertNotEqual(*texts)
        texts = [written(run(*options, 1, "--reset", reset)) for reset in (0, 1)]
        self.assertEqual(*texts)

    def test_says_what_is_wrong(self):
        done = run("--data", "/no/such/file")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/file: cannot be opened", done.stderr)
        with tempfile.NamedTemporaryFile() as short:
            done = run("--data", short.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the text is too short", done.stderr)
        for options in (["--colour", "1"], ["--steps"], ["--steps", "x"], ["--write", "-1"]):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage:", done.stderr)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
