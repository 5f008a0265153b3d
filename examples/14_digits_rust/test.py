#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/14_digits_rust/test.py: does the program learn, with the bits of the one in C, is it
# short and safe, and does it say what is wrong?
"""Usage: test.py <program digits> <prefix>, see examples/common/same_run.py."""

import pathlib
import shutil
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import same_run  # noqa: E402


class Rust(same_run.SameRun):
    SOURCE = FOLDER / "src/main.rs"

    def test_says_how_it_is_called(self):
        done = same_run.run(same_run.PROGRAM)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("usage: digits FOLDER EPOCHS RUN", done.stderr)

    def test_is_short_and_safe(self):
        code = self.code()
        self.assertLessEqual(len(code), 40)
        self.assertNotIn("unsafe", "\n".join(code))
        if shutil.which("rustfmt"):
            done = same_run.run("rustfmt", "--edition", "2021", "--check", self.SOURCE)
            self.assertEqual(done.returncode, 0, done.stdout)


same_run.main(Rust)
