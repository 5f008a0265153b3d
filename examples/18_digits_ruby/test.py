#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/18_digits_ruby/test.py: the program in Ruby, on the installed tree alone.
"""Usage: test.py PREFIX PLUGINS BUILD [unittest options], see examples/common/digits.py."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import digits  # noqa: E402


class Ruby(digits.Digits):
    TOOLS = {"ruby": "ruby", "pkg-config": "pkg-config"}

    @classmethod
    def build(cls):
        return ["ruby", "-w", FOLDER / "digits.rb"]


digits.main(Ruby)
