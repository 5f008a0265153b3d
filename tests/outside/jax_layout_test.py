# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_layout_test.py: XLA's structures as Tenon declares them have the layouts of the
# header that jaxlib brings along.

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from jax_samples import FOLDER, jax

SOURCE = FOLDER / "jax_layout.cc"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


def compile_source(text):
    """What the compiler says of it; "" if nothing."""
    with tempfile.TemporaryDirectory(prefix="tenon-jax-") as folder:
        source = pathlib.Path(folder) / "layout.cc"
        source.write_text(text)
        return subprocess.run(
            [COMPILER, "-std=c++20", "-fsyntax-only", "-I", FOLDER.parents[1], "-I",
             jax.ffi.include_dir(), source],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ).stdout  # fmt: skip


class Layout(unittest.TestCase):
    def test_it_is_that_of_jaxlib_s_header(self):
        self.assertEqual(compile_source(SOURCE.read_text()), "")

    def test_another_layout_is_seen(self):
        text = SOURCE.read_text().replace("Buffer, dims,", "Buffer, rank,", 1)
        self.assertIn("static assertion failed", compile_source(text))


if __name__ == "__main__":
    unittest.main()
