#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/page.py: the programs of docs/other-languages.md run as they stand there, in each
# language that is installed.
"""Usage: page.py <source folder> <prefix> <build folder, for Go's cache> LANGUAGE

A block of the page is a program, the `sh` block after it runs it, and all first programs print the
first `text` block. Exit status 77: the language is not installed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PREFIX, BUILD = (pathlib.Path(each).absolute() for each in sys.argv[1:4])
LANGUAGE = sys.argv[4]
PAGE = (SOURCE / "docs/other-languages.md").read_text(encoding="utf-8")
# The program's file, the tool and Debian's package of it.
LANGUAGES = {
    "go": ("first.go", "go", "golang-go"),
    "java": ("First.java", "javac", "default-jdk-headless and libjna-java"),
    "lua": ("first.lua", "luajit", "luajit"),
    "ruby": ("first.rb", "ruby", "ruby"),
}
JNA = pathlib.Path("/usr/share/java/jna.jar")


def blocks(language):
    """Each block of a language with what follows it on the page."""
    found = re.finditer(rf"(?ms)^```{language}\n(.*?)^```$", PAGE)
    return [(match[1], PAGE[match.end() :]) for match in found]


def next_block(language, rest):
    return re.search(rf"(?ms)^```{language}\n(.*?)^```$", rest)[1]


class Page(unittest.TestCase):
    def run_shell(self, script, folder):
        environment = {
            **os.environ,
            "prefix": str(PREFIX),
            "PATH": os.pathsep.join([str(PREFIX / "bin"), os.environ["PATH"]]),
            "GOCACHE": str(BUILD / "go-cache"),
            "GOPATH": str(BUILD / "go-path"),
            "GOFLAGS": "-buildvcs=false",
        }
        paths = blocks("sh")[0][0]  # the page says once what to set
        done = subprocess.run(
            ["sh", "-ec", paths + script], cwd=folder, env=environment, timeout=120, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_first_program(self):
        program, rest = blocks(LANGUAGE)[0]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / LANGUAGES[LANGUAGE][0]
            path.write_text(program, encoding="utf-8")
            printed = self.run_shell(next_block("sh", rest), folder)
            if LANGUAGE == "go":
                self.assertEqual(self.run_shell(f"gofmt -l {path.name}", folder), "")
        self.assertEqual(printed, blocks("text")[0][0])

    if LANGUAGE == "ruby":

        def test_generator(self):
            program, rest = blocks("ruby")[1]
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "generate.rb").write_text(program, encoding="utf-8")
                printed = self.run_shell("ruby -w generate.rb", folder)
            self.assertEqual(printed, next_block("text", rest))


if __name__ == "__main__":
    _, tool, package = LANGUAGES[LANGUAGE]
    if not shutil.which(tool) or (LANGUAGE == "java" and not JNA.exists()):
        print(f"skipped: {LANGUAGE} is not installed (Debian: {package})")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v"])
