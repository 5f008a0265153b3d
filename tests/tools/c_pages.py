#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/c_pages.py: the programs of docs/c, docs/cpp.md and docs/rust.md compile with what is
# installed and print what the pages say.
"""Usage: c_pages.py <source folder> <prefix> <C compiler> <C++ compiler> [unittest options]

A page's `c` blocks, one after the other, are <page>.c, its `cpp` blocks <page>.cc, its `rust`
blocks <page>.rs. The environment's CARGO and RUSTC are what the page on Rust is built with; without
them it is left out. A page's `sh` blocks
are run in a folder with these files, with `prefix` set, and print what its `text` block says: whole
numbers and words exactly, numbers with a point nearly, since kernels may sum in other orders. What
is in C++ also compiles without a warning with every other compiler that is installed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PREFIX, *COMPILERS = (pathlib.Path(each).absolute() for each in sys.argv[1:5])
C_PAGES, CPP_PAGE = sorted((SOURCE / "docs/c").glob("*.md")), SOURCE / "docs/cpp.md"
RUST = {name: os.environ[name.upper()] for name in ("cargo", "rustc") if name.upper() in os.environ}
PAGES = [*C_PAGES, CPP_PAGE, *([SOURCE / "docs/rust.md"] if RUST else [])]
STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Werror"
OTHERS = [f"{name}-{version}" for name in ("g++", "clang++") for version in range(12, 25)]
NUMBER = re.compile(r"-?\d+\.\d+")


def blocks(page, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"))


class CPages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        # What a page calls `cc` or `c++` is the compiler of this build, and strict.
        for name, path in zip(("cc", "c++"), COMPILERS, strict=True):
            compiler = self.folder / "bin" / name
            compiler.write_text(f'#!/bin/sh\nexec "{path}" {STRICT} "$@"\n')
            compiler.chmod(0o755)
        for name, path in RUST.items():
            (self.folder / "bin" / name).symlink_to(path)

    def run_page(self, page):
        for ending, language in (("c", "c"), ("cc", "cpp"), ("rs", "rust")):
            program = self.folder / f"{page.stem}.{ending}"
            program.write_text("".join(blocks(page, language)), encoding="utf-8")
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
        self.assertGreaterEqual(len(C_PAGES), 5)
        for page in PAGES:
            with self.subTest(page=page.name):
                done = self.run_page(page)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.compare(done.stdout, "".join(blocks(page, "text")))

    def test_other_compilers_have_no_warnings(self):
        program = self.folder / "program.cc"
        program.write_text("".join(blocks(CPP_PAGE, "cpp")), encoding="utf-8")
        digits = SOURCE / "examples/13_digits_cpp/main.cc"
        for name in filter(shutil.which, OTHERS):
            for source in (program, digits):
                command = [name, "-std=c++20", *STRICT.split(), "-fsyntax-only"]
                done = subprocess.run(
                    [*command, f"-I{PREFIX / 'include'}", source], capture_output=True, text=True,
                    timeout=120, check=False,
                )  # fmt: skip
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

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
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
