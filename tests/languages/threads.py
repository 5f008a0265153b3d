#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/languages/threads.py: threads beside those of Go: a loader with workers gives the batches of
# C, and its threads end; finalizers release tensors while another thread computes.
"""Usage: threads.py <source folder> <prefix> <build folder, for Go's cache> <C compiler>"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PREFIX, BUILD, COMPILER = (pathlib.Path(each).absolute() for each in sys.argv[1:5])
HERE, CLIENT = SOURCE / "tests/languages", SOURCE / "examples/15_digits_go"
DIGITS = PREFIX / "share/tenon/data/digits"
ENVIRONMENT = {
    **os.environ,
    "PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig"),
    "LD_LIBRARY_PATH": str(PREFIX / "lib"),
    "GOCACHE": str(BUILD / "go-cache"),
    "GOPATH": str(BUILD / "go-path"),
    "GOPROXY": "off",
}


def run(*command, status=0, cwd=None):
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=ENVIRONMENT, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode != status:
        raise AssertionError(f"{command}: status {done.returncode}, not {status}\n{done.stdout}")
    return done.stdout


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        shutil.copytree(CLIENT / "tenon", cls.folder / "tenon")
        shutil.copy(CLIENT / "go.mod", cls.folder)
        for name in ("loader", "finalizers"):
            (cls.folder / name).mkdir()
            shutil.copy(HERE / f"{name}.go", cls.folder / name)
        run("go", "build", "-buildvcs=false", "-o", "bin/", "./...", cwd=cls.folder)

    def go(self, what, status=0):
        return run(self.folder / "bin/loader", DIGITS, what, status=status).splitlines()

    def test_gives_the_batches_of_c(self):
        flags = run("pkg-config", "--cflags", "--libs", "tenon").split()
        program = self.folder / "batches"
        run(COMPILER, "-std=c11", "-Wall", "-Werror", HERE / "batches.c", *flags, "-o", program)
        theirs = run(program, DIGITS).strip()
        self.assertRegex(theirs, r"^\d{3} batches, [0-9a-f]{16}$")
        self.assertIn(theirs, self.go("all"))

    def test_leaves_no_thread(self):
        for what in ("all", "released", "failed"):
            with self.subTest(what=what):
                lines = self.go(what)
                self.assertIn("threads before: 1", lines)
                self.assertIn("threads after: 1", lines)
                self.assertIn("tensors left: 0", lines)
                if what != "all":
                    self.assertIn("threads meanwhile: 5", lines)
                self.assertEqual("  status    TENON_E_SHAPE" in lines, what == "failed", lines)

    def test_finalizers_release_meanwhile(self):
        lines = run(self.folder / "bin/finalizers").splitlines()
        self.assertEqual(lines, ["some released meanwhile: true", "tensors left: 0 nodes left: 0"])

    def test_ends_with_the_process(self):
        self.assertIn("threads meanwhile: 5", self.go("exit", status=3))


if __name__ == "__main__":
    for tool, package in (("go", "golang-go"), ("pkg-config", "pkg-config")):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool} (Debian's package {package})")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v"])
