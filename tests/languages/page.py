#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/page.py: the programs of docs/other-languages.md run as they stand there.
"""Arguments: see support.py.

A block of the page is a program, the `sh` block after it runs it, and all first programs print the
first `text` block. The first `sh` block has the paths for all."""

import pathlib
import re
import tempfile
import unittest

import support
from support import LANGUAGE, SOURCE, run

PAGE = (SOURCE / "docs/other-languages.md").read_text(encoding="utf-8")
FILES = {"go": "first.go", "java": "First.java", "lua": "first.lua", "ruby": "first.rb"}


def blocks(language, page=PAGE):
    """Each block of a language with what follows it on the page."""
    found = re.finditer(rf"(?ms)^```{language}\n(.*?)^```$", page)
    return [(match[1], page[match.end() :]) for match in found]


class Page(unittest.TestCase):
    def run_block(self, number, name, script=None):
        """What program `number` of the language prints, and the page after it."""
        program, rest = blocks(LANGUAGE)[number]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / name).write_text(program, encoding="utf-8")
            if LANGUAGE == "go":
                self.assertEqual(run("gofmt", "-l", name, cwd=folder), "")
            script = blocks("sh")[0][0] + (script or blocks("sh", rest)[0][0])
            paths = ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LUA_PATH")  # the page sets them
            return run("sh", "-ec", script, cwd=folder, without=paths), rest

    def test_first_program(self):
        printed, _ = self.run_block(0, FILES[LANGUAGE])
        self.assertEqual(printed, blocks("text")[0][0])

    if LANGUAGE == "ruby":

        def test_generator(self):
            printed, rest = self.run_block(1, "generate.rb", "ruby -w generate.rb")
            self.assertEqual(printed, blocks("text", rest)[0][0])


if __name__ == "__main__":
    support.main()
