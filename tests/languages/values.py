#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/values.py: inputs, attributes and options of every type, and one of a wrong type,
# through the clients of the examples.
"""Arguments: see support.py."""

import pathlib
import tempfile
import unittest

import support
from support import EXAMPLES, HERE, JNA, run

PROGRAMS = HERE / "values"
WANTED = """\
concat 1.000 2.000 3.000 1.000 2.000 3.000 4.000 5.000 6.000 4.000 5.000 6.000
pad 2.000 1.000 2.000 3.000 5.000 4.000 5.000 6.000
sum 6.000 15.000
norm 0.074 1.000 1.926 0.074 1.000 1.926
mul 5.000 10.000 15.000 20.000 25.000 30.000
whole 1.000 2.000 3.000 4.000 5.000 6.000
compared 0.000 0.000 0.000 1.000 1.000 1.000
tenon.normalise: option "mean" has the wrong type
  status    TENON_E_ATTRIBUTE
  op        tenon.normalise
  operand   mean
  expected  float[]
  found     str
"""


def printed(language, folder):
    if language == "go":
        return run(support.build_go(folder, PROGRAMS / "values.go") / "values")
    if language == "java":
        sources = [*sorted((EXAMPLES / "16_digits_java").glob("*.java")), PROGRAMS / "Values.java"]
        run("javac", "-Xlint:all,-try", "-Werror", "-cp", JNA, "-d", folder, *sources)
        return run("java", "-cp", f"{JNA}:{folder}", "Values")
    if language == "lua":
        return run("luajit", PROGRAMS / "values.lua")
    return run("ruby", "-w", "-I", EXAMPLES / "18_digits_ruby", PROGRAMS / "values.rb")


class Values(unittest.TestCase):
    def test_arrive(self):
        self.maxDiff = None
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(printed(support.LANGUAGE, pathlib.Path(folder)), WANTED)


if __name__ == "__main__":
    support.main()
