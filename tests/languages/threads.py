#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/threads.py: threads beside those of Go: a loader with workers gives the batches of
# C, and its threads end; finalizers release tensors while another thread computes.
"""Arguments: see support.py; LANGUAGE is go."""

import pathlib
import tempfile
import unittest

import support
from support import HERE, PREFIX, run

DIGITS = PREFIX / "share/tenon/data/digits"


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.bin = support.build_go(cls.folder, HERE / "loader.go", HERE / "finalizers.go")

    def loader(self, what, status=0):
        return run(self.bin / "loader", DIGITS, what, status=status).splitlines()

    def test_gives_the_batches_of_c(self):
        flags = run("pkg-config", "--cflags", "--libs", "tenon").split()
        program = self.folder / "batches"
        run("cc", "-std=c11", "-Wall", "-Werror", HERE / "batches.c", *flags, "-o", program)
        theirs = run(program, DIGITS).strip()
        self.assertRegex(theirs, r"^\d{3} batches, [0-9a-f]{16}$")
        self.assertIn(theirs, self.loader("all"))

    def test_leaves_no_thread(self):
        for what in ("all", "released", "failed"):
            with self.subTest(what=what):
                lines = self.loader(what)
                self.assertIn("threads before: 1", lines)
                self.assertIn("threads after: 1", lines)
                self.assertIn("tensors left: 0", lines)
                if what != "all":
                    self.assertIn("threads meanwhile: 5", lines)
                self.assertEqual("  status    TENON_E_SHAPE" in lines, what == "failed", lines)

    def test_ends_with_the_process(self):
        self.assertIn("threads meanwhile: 5", self.loader("exit", status=3))

    def test_finalizers_release_meanwhile(self):
        lines = run(self.bin / "finalizers").splitlines()
        self.assertEqual(lines, ["some released meanwhile: true", "tensors left: 0 nodes left: 0"])


if __name__ == "__main__":
    support.main()
