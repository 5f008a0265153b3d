# SPDX-License-Identifier: Apache-2.0
# tests/python/support.py: what the tests of the Python package share.
"""Finds the package in the build tree by TENON_LIBRARY; without that the installed one is taken."""

import gc
import os
import pathlib
import subprocess
import sys
import unittest

if "TENON_LIBRARY" in os.environ:
    build = pathlib.Path(os.environ["TENON_LIBRARY"]).absolute().parents[1]
    sys.path.insert(0, str(build / "python"))
try:
    import tenon
except ImportError as error:
    print(f"skipped: the package is not built for this Python: {error}")
    sys.exit(77)


def is_sanitized():
    """Is AddressSanitizer loaded?"""
    return "libasan" in os.environ.get("LD_PRELOAD", "")


def live():
    """Tensors, storages and nodes that are alive."""
    gc.collect()
    counted = tenon.stats()
    return {name: counted[name] for name in ("tensors", "storages", "nodes", "plans")}


class Case(unittest.TestCase):
    """Every test ends with as many live objects as it began with."""

    def run(self, result=None):
        before = live()
        outcome = super().run(result)
        if outcome is not None and outcome.wasSuccessful():
            assert live() == before, f"{self.id()}: {before} before, {live()} after"
        return outcome

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
