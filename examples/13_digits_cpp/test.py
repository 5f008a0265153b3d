#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/13_digits_cpp/test.py: does the program learn, with the bits of the one in C, is it
# short, and does it say what is wrong?
"""Usage: test.py <program digits> <prefix>, see examples/common/same_run.py."""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import same_run  # noqa: E402


class Cpp(same_run.SameRun):
    SOURCE = FOLDER / "main.cc"

    def test_says_how_it_is_called(self):
        self.assertEqual(same_run.run(same_run.PROGRAM).returncode, 2)

    def test_is_short(self):
        code = self.code()
        self.assertLessEqual(len(code), 35)
        included = re.findall(r"#include (\S+)", "\n".join(code))
        self.assertEqual(included, ["<iostream>", "<tenon/tenon.hpp>"])


same_run.main(Cpp)
