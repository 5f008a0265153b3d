#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/offline.py: headers are carried as docs/gpu.md says, and an offline build takes them.

usage    offline.py ROOT CMAKE NINJA BUILD

BUILD is a finished build, whose notes of what was included are read. Nothing is compiled here but
one source for each library, and of that only the list of what it includes.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, CMAKE, NINJA, BUILD = (pathlib.Path(each) for each in sys.argv[1:5])
# What a source says that includes a header of theirs, or the one header that does.
MARKS = {
    "boost": "#include <boost/dll",
    "hwy": "#include <hwy/highway.h>",
    "CLI": '#include "command_line.h"',
    "nlohmann": "#include <nlohmann/json.hpp>",
    "zlib.h": "#include <zlib.h>",
}


def run(*command, **options):
    texts = [str(each) for each in command]
    return subprocess.run(texts, capture_output=True, text=True, **options)


def vendor(target):
    return run(sys.executable, ROOT / "cmake/vendor_headers.py", CMAKE, NINJA, BUILD, target)


def configure(folder, *arguments):
    return run(
        CMAKE, "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}",
        "-DTENON_OFFLINE=ON", "-DTENON_CUDA=off", "-DTENON_UNITY=OFF", *arguments,
    )  # fmt: skip


class Offline(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)

    def test_headers_travel_and_suffice(self):
        carried = self.folder / "vendor"
        for _ in range(2):  # the second time over its own work
            done = vendor(carried)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"vendor: \d+\.\d MB")
        for name in MARKS:
            self.assertTrue((carried / "include" / name).exists(), name)
        readme = (carried / "README.md").read_text(encoding="utf-8")
        for licence in (carried / "licenses").iterdir():
            self.assertIn(f"licenses/{licence.name}", readme)
        size = sum(each.stat().st_size for each in carried.rglob("*") if each.is_file())
        self.assertLess(size, 20_000_000)

        build = self.folder / "build"
        done = configure(build, f"-DTENON_VENDOR_HEADERS={carried}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("offline: tenon.openblas is not built", done.stdout)
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertFalse([each for each in entries if "googletest" in each["file"]])
        self.check_includes(carried, entries)

    def check_includes(self, carried, entries):
        """Of each library a source that includes it finds it in the folder, and nowhere else."""
        for name, mark in MARKS.items():
            entry = next(e for e in entries if mark in pathlib.Path(e["file"]).read_text("utf-8"))
            command = re.sub(r" -o \S+", "", entry["command"]) + " -M"
            done = run("sh", "-c", command, cwd=entry["directory"])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = [path for path in done.stdout.split() if path.endswith((".h", ".hpp"))]
            self.assertTrue([path for path in found if path.startswith(str(carried))], name)
            parts = {pathlib.Path(p).parts[3] for p in found if p.startswith("/usr/include/")}
            self.assertFalse(parts & set(MARKS), entry["file"])

    def test_a_folder_of_others_is_left_alone(self):
        (self.folder / "README.md").write_text("mine\n", encoding="utf-8")
        done = vendor(self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not empty and was not written by this command", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["README.md"])

    def test_a_wrong_folder_is_named(self):
        done = configure(self.folder / "build", f"-DTENON_VENDOR_HEADERS={self.folder}")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"has no folder\s+'include'")
        self.assertIn("./dev vendor-headers", done.stderr)

    def test_the_script_says_why_nothing_ran(self):
        if run("sh", "-c", "nvidia-smi --list-gpus").stdout.strip():
            self.skipTest("there is a GPU")
        done = run(ROOT / "tests/gpu/run.sh")
        self.assertEqual(done.returncode, 77)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn("nvidia-smi lists no GPU", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
