#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/ends.py: what calls do after the end of a client, a region, a thread, and while
# the process ends: the columns of Java and Go in docs/other-languages.md.
"""Arguments: see support.py; LANGUAGE is go or java."""

import pathlib
import tempfile
import unittest

import support
from support import EXAMPLES, HERE, JNA, run

PROGRAMS = HERE / "ends"
WANTED = """\
tensor of a region: tensor is not a live tensor
tensor of a thread: 5
client of a thread: 5
closed: TENON_E_HANDLE: the client is closed
"""
LAST = {"go": "deferred: 5\n", "java": "hook: 5\n"}


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        where = pathlib.Path(folder.name)
        if support.LANGUAGE == "go":
            cls.program = [support.build_go(where, PROGRAMS / "ends.go") / "ends"]
            return
        sources = [*sorted((EXAMPLES / "16_digits_java").glob("*.java")), PROGRAMS / "Ends.java"]
        run("javac", "-Xlint:all,-try", "-Werror", "-cp", JNA, "-d", where, *sources)
        cls.program = ["java", "-cp", f"{JNA}:{where}", "Ends"]

    def test_are_told(self):
        self.assertEqual(run(*self.program), WANTED + LAST[support.LANGUAGE])

    def test_threads_may_compute_to_the_end(self):
        for _ in range(5):
            self.assertEqual(run(*self.program, "return"), WANTED + LAST[support.LANGUAGE])
            # Go's exit runs nothing.
            last = "" if support.LANGUAGE == "go" else LAST["java"]
            self.assertEqual(run(*self.program, "exit", status=3), WANTED + last)


if __name__ == "__main__":
    support.main()
