# SPDX-License-Identifier: Apache-2.0
# tests/outside/third_party.py: the third party's plugin of examples/02, built once against an
# installed Tenon, for tests that use it in programs of other libraries.

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from registry_samples import BUILD, FOLDER

EXAMPLE = FOLDER.parents[1] / "examples/02_third_party_plugin"


def run(*command, **environment):
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class ThirdParty(unittest.TestCase):
    """`plugins` is the folder that the plugin's folder is in."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-plugin-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        prefix, build = cls.folder / "tenon", cls.folder / "build"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        run("cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_BUILD_TYPE=Release")  # fmt: skip
        run("cmake", "--build", build)
        cls.plugins = build / "plugins"

    def run_program(self, program, *arguments, **environment):
        """The lines that a program in Python prints, which finds the package."""
        found = run(sys.executable, "-c", program, *arguments, PYTHONPATH=str(BUILD / "python"),
                    **environment)  # fmt: skip
        return found.splitlines()
