# SPDX-License-Identifier: Apache-2.0
# tests/outside/one_op_page_test.py: docs/one-op.md, as its reader does it: what its `sh` blocks
# print is what its `text` blocks say.
"""A block of another language is a file, whose first line names it. The sections on JAX and Rust
are left out if these are not installed."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

if not importlib.util.find_spec("torch"):
    print("skipped: torch is not installed")
    sys.exit(77)
FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1]
PAGE = (FOLDER.parents[1] / "docs/one-op.md").read_text(encoding="utf-8")
LEFT_OUT = {
    "In JAX": not importlib.util.find_spec("jax"),
    "In Rust": not (shutil.which("cargo") and shutil.which("rustc")),
}


def sections():
    """[(title, [(language, text), ...]), ...]"""
    parts = re.split(r"(?m)^## (.*)$", PAGE)[1:]
    return [
        (title, re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", text))
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    ]


def run(script, folder, **environment):
    done = subprocess.run(
        ["sh", "-ec", script], cwd=folder, env={**os.environ, **environment}, timeout=500,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"status {done.returncode} of\n{script}\n{done.stdout[-4000:]}")
    return done.stdout


class Page(unittest.TestCase):
    def test_it_prints_what_it_says(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-one-op-"))
        self.addCleanup(shutil.rmtree, folder)
        prefix = folder / "installed"
        run(f"cmake --install '{BUILD}' --prefix '{prefix}'", folder)
        (folder / "bin").mkdir()
        (folder / "bin/python3").symlink_to(sys.executable)
        script = said = ""
        names = [title for title, _ in sections()]
        self.assertEqual(
            names, ["The op", "In C", "In Python", "In PyTorch", "In JAX", "In Rust"]
        )
        for title, blocks in sections():
            if LEFT_OUT.get(title):
                print(f"{title}: left out, it is not installed", file=sys.stderr)
                continue
            for language, text in blocks:
                if language == "sh":
                    script += text
                elif language == "text":
                    said += text
                else:
                    name = re.match(r"(?:#|//) (\S+)\n", text)[1]
                    (folder / name).write_text(text, encoding="utf-8")
        # A link to the interpreter of a virtual environment does not find its packages.
        paths = os.pathsep.join(filter(os.path.isdir, [str(BUILD / "python"), *sys.path[1:]]))
        found = run(
            script, folder, prefix=str(prefix), PYTHONPATH=paths,
            PATH=os.pathsep.join([f"{folder}/bin", f"{prefix}/bin", os.environ["PATH"]]),
            PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig", LD_LIBRARY_PATH=f"{prefix}/lib",
        )  # fmt: skip
        self.assertEqual(found, said)


if __name__ == "__main__":
    unittest.main()
