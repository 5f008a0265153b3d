# SPDX-License-Identifier: Apache-2.0
# examples/common/digits.py: what every program in another language that trains the digits network
# must do: the bits of 09_short, an op of somebody else's plugin, the record of an error, a curve.
"""For the test.py of such an example, which says how the program is built and ends with
`digits.main(<subclass of Digits>)`. Its arguments: PREFIX PLUGINS BUILD [unittest options]

PREFIX   where Tenon is installed        PLUGINS  what examples/02_third_party_plugin has built
BUILD    a folder that is kept, for the caches of compilers

Exit status 77, with the reason, if a tool of the language is not installed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PREFIX, PLUGINS, BUILD = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
DIGITS = PREFIX / "share/tenon/data/digits"
# What a call that cannot be has to say, whatever the language.
RECORD = """\
tenon.add: operand "b": [3] does not broadcast with [2,4], the shape of the operands before it
  status    TENON_E_SHAPE
  op        tenon.add
  operand   b
  expected  a shape that broadcasts with [2,4]
  found     f32[3]
  hint      sizes must be equal or 1, counted from the last dimension
"""


def run(*command, cwd=None, check=True, **environment):
    """Runs a command as a user does who has set the paths of the installed Tenon."""
    paths = {
        "PKG_CONFIG_PATH": PREFIX / "lib/pkgconfig",
        "LD_LIBRARY_PATH": PREFIX / "lib",
        **environment,
    }
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, check=False, timeout=240, text=True,
        capture_output=True, env={**os.environ, **{key: str(paths[key]) for key in paths}},
    )  # fmt: skip
    if check and done.returncode:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done


class Digits(unittest.TestCase):
    TOOLS = {}  # program or file: the package of Debian that has it

    @classmethod
    def build(cls):
        """Makes the program in cls.folder, and returns the words that start it."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.program = cls.build()

    def test_learns_what_the_program_in_c_learns(self):
        ours, theirs = (self.folder / f"{name}.safetensors" for name in ("ours", "c"))
        done = run(*self.program, DIGITS, 8, ours, PLUGINS)
        self.assertEqual(done.stderr, "")
        numbers = re.search(r"^softsign(.*)$", done.stdout, flags=re.MULTILINE)[1]
        self.assertEqual([float(each) for each in re.findall(r"-?[\d.]+", numbers)],
                         [-0.5, 0, 0.75])  # fmt: skip
        self.assertIn(RECORD, done.stdout)
        epochs = re.findall(r"loss (\S+), accuracy (\S+)", done.stdout)
        self.assertEqual(len(epochs), 8)
        self.assertLess(float(epochs[-1][0]), float(epochs[0][0]) / 10)
        self.assertGreater(float(epochs[-1][1]), 0.93)
        self.assertIn("tensors left: 0\n", done.stdout)
        run(PREFIX / "bin/09_short", DIGITS, 8, theirs)
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.look_at_curve(f"{ours}.svg")

    def look_at_curve(self, path):
        """A picture with a line through eight points."""
        lines = [
            re.findall(r"[ML](\S+) (\S+?)(?=[Lh]|$)", each.get("d"))
            for each in xml.etree.ElementTree.parse(path).iter()
            if each.get("stroke-width")
        ]
        self.assertEqual([len(points) for points in lines], [8])

    def test_says_what_is_wrong(self):
        saved = self.folder / "wrong.safetensors"
        done = run(*self.program, "nowhere", 1, saved, PLUGINS, check=False)
        self.assertEqual(done.returncode, 1)
        for words in ("'nowhere/train-images-idx3-ubyte'", "status +TENON_E_IO\n",
                      "op +tenon.idx\n", "expected +a readable idx file\n",
                      "found +No such file", "plugin +tenon.data\n"):  # fmt: skip
            self.assertRegex(done.stderr, words)
        self.assertFalse(saved.exists())
        done = run(*self.program, DIGITS, 1, saved, self.folder, check=False)
        self.assertEqual(done.returncode, 1)
        for words in ("status +TENON_E_NOT_FOUND\n", "acme.softsign"):
            self.assertRegex(done.stderr, words)
        done = run(*self.program, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage:", done.stderr)


def main(case):
    for tool, package in case.TOOLS.items():
        if not shutil.which(tool) and not os.path.isfile(tool):
            print(f"skipped: there is no {tool} (Debian's package {package})")
            sys.exit(77)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    done = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(not done.wasSuccessful())
