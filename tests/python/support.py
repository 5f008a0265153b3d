# SPDX-License-Identifier: Apache-2.0
# tests/python/support.py: what the tests of the Python package share.
"""Finds the package in the build tree by TENON_LIBRARY; without that the installed one is taken, or
that of build/release. `python -m pytest tests/python` runs the tests as well as CTest does."""

import gc
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest


ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_folder():
    """The build tree: by TENON_LIBRARY, or that of build/release."""
    library = os.environ.get("TENON_LIBRARY")
    return pathlib.Path(library).absolute().parents[1] if library else ROOT / "build/release"


def skip(why):
    """Ends a module whose tests cannot run here."""
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(why, allow_module_level=True)
    print(f"skipped: {why}")
    sys.exit(77)


if "TENON_LIBRARY" in os.environ or not importlib.util.find_spec("tenon"):
    sys.path.insert(0, str(build_folder() / "python"))
try:
    import tenon
except ImportError as error:
    skip(f"the package is not built for this Python: {error}")


def is_sanitized():
    """Is AddressSanitizer loaded?"""
    return "libasan" in os.environ.get("LD_PRELOAD", "")


def bits(tensor):
    """The bytes of its elements, in row-major order."""
    return bytes(memoryview(tensor.detach().contiguous()).cast("B"))


# Where the engine test.shm lies, over which processes of one machine run together.
SHM = build_folder() / "test_plugins/processes"


def shm_place(name, rank, size):
    """The environment of process `rank` of `size`, which finds the others by the name."""
    place = {"TEST_SHM_NAME": name, "TEST_SHM_RANK": str(rank), "TEST_SHM_SIZE": str(size)}
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **place}


def live():
    """Tensors, storages and nodes that are alive."""
    gc.collect()
    counted = tenon.stats()
    return {name: counted[name] for name in ("tensors", "storages", "nodes", "plans")}


class Case(unittest.TestCase):
    """Every test ends with as many live objects as it began with."""

    def run(self, result=None):
        self.addCleanup(self.expect_live, live())
        return super().run(result)

    def expect_live(self, before):
        """The last thing that a test does; what has failed already may still hold objects."""
        if self._outcome.success:
            self.assertEqual(live(), before, "live objects after the test")

    def same(self, tensor, values):
        """`tensor` holds exactly these nested lists, and has their shape."""
        self.assertEqual(tensor.tolist(), values)

    def refused(self, kind, call, *words):
        """`call` raises `kind` with words in its message; returns the exception."""
        with self.assertRaises(kind) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))
        caught.exception.__traceback__ = None
        return caught.exception


def run_python(code, *arguments, **environment):
    """What a new interpreter prints that runs `code` with this package."""
    paths = os.pathsep.join([str(pathlib.Path(tenon.__file__).parents[1]), *sys.path[1:]])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
