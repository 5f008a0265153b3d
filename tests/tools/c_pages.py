#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/c_pages.py: the programs of docs/c compile with what is installed and print what the
# pages say.
"""Usage: c_pages.py <source folder> <prefix> <C compiler> [unittest options]

A page's `c` blocks, one after the other, are <page>.c. Its `sh` blocks are run in a folder with
that file, with `prefix` set, and print what its `text` block says: whole numbers and words exactly,
numbers with a point nearly, since kernels may sum in other orders."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PREFIX, COMPILER = (pathlib.Path(each).absolute() for each in sys.argv[1:4])
PAGES = sorted((SOURCE / "docs/c").glob("*.md"))
NUMBER = re.compile(r"-?\d+\.\d+")


def blocks(page, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"))


class CPages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        # What a page calls `cc` is the compiler of this build, and strict.
        compiler = self.folder / "bin/cc"
        compiler.write_text(f'#!/bin/sh\nexec "{COMPILER}" -Wall -Wextra -Wpedantic -Werror "$@"\n')
        compiler.chmod(0o755)

    def run_page(self, page):
        (self.folder / f"{page.stem}.c").write_text("".join(blocks(page, "c")), encoding="utf-8")
        environment = {
            **os.environ,
            "prefix": str(PREFIX),
            "PATH": os.pathsep.join([str(self.folder / "bin"), str(PREFIX / "bin"),
                                     os.environ["PATH"]]),
            "PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig"),
            "LD_LIBRARY_PATH": str(PREFIX / "lib"),
        }  # fmt: skip
        return subprocess.run(
            ["sh", "-ec", "".join(blocks(page, "sh"))], cwd=self.folder, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )  # fmt: skip

    def compare(self, found, wanted):
        """Equal texts, but for numbers with a point."""
        self.assertEqual(NUMBER.sub("#", found), NUMBER.sub("#", wanted), found)
        for one, other in zip(NUMBER.findall(found), NUMBER.findall(wanted)):
            self.assertLessEqual(
                abs(float(one) - float(other)), 0.005 + 0.05 * abs(float(other)), found
            )

    def test_every_page(self):
        self.assertGreaterEqual(len(PAGES), 5)
        for page in PAGES:
            with self.subTest(page=page.name):
                done = self.run_page(page)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.compare(done.stdout, "".join(blocks(page, "text")))

    def test_a_page_that_says_something_else_is_found(self):
        with self.assertRaises(AssertionError):
            self.compare("loss 0.500", "loss 0.600")
        with self.assertRaises(AssertionError):
            self.compare("31 steps", "32 steps")
        self.compare("loss 0.500", "loss 0.501")


if __name__ == "__main__":
    if not shutil.which("pkg-config"):
        print("skipped: there is no pkg-config")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
