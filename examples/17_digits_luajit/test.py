#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/17_digits_luajit/test.py: the program in LuaJIT, on the installed tree alone.
"""Usage: test.py PREFIX PLUGINS BUILD [unittest options], see examples/common/digits.py."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import digits  # noqa: E402


class LuaJIT(digits.Digits):
    TOOLS = {"luajit": "luajit", "pkg-config": "pkg-config"}

    @classmethod
    def build(cls):
        return ["luajit", FOLDER / "digits.lua"]


digits.main(LuaJIT)
