# SPDX-License-Identifier: Apache-2.0
# tests/outside/typing_test.py: the stubs as mypy and pyright read them: examples and tutorials are
# clean, under mypy's --strict, and what is wrong is found.
"""usage: typing_test.py [-v]"""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIGHT = """
import tenon

x = tenon.zeros(2, 3)
y: tenon.Tensor = tenon.softmax(x, 1) + [1.0, 2.0, 3.0]
z: tenon.Tensor = x.sum(dim=1, keepdim=True).add_(1.0)
w: tenon.Tensor = tenon.sum(x, axis=1)
values, places = tenon.topk(x, 2)
u: tenon.Tensor = x.gather(1, tenon.zeros(2, 3, dtype="int64"))
inverse: tenon.Tensor = tenon.linalg.inv(tenon.eye(3))
print(tenon.pi, tenon.allclose(x, y), x.mT, x.nbytes)
"""
WRONG = (
    ("tenon.softmax(x, axs=1)", "axs"),
    ("x.sum(dimm=1)", "dimm"),
    ("tenon.no_such_op(x)", "no_such_op"),
    ("x.view(1).nothing", "nothing"),
    ("tenon.linear(x)", "weight"),
    ("tenon.optim.adam([x], rate=1.0)", "rate"),
)


def check(path, *options):
    """What mypy says."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *options, path],
        env={"MYPYPATH": str(ROOT / "bindings/python"), "HOME": tempfile.gettempdir()},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def tutorial(page):
    """The code of a page."""
    return "\n".join(re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text()))


def pyright(folder):
    """What pyright says of the files in a folder, path and words."""
    # A loop's variable after the loop is the reader's to judge.
    settings = {
        "extraPaths": [str(ROOT / "bindings/python")],
        "reportPossiblyUnboundVariable": False,
        "reportUnusedExpression": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "-p", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    said = json.loads(done.stdout)["generalDiagnostics"]
    return [(pathlib.Path(each["file"]).name, each["message"]) for each in said]


class Stubs(unittest.TestCase):
    def test_pyright_is_content(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in (ROOT / "examples/python").glob("*.py"):
                (folder / path.name).write_text(path.read_text())
            for page in (ROOT / "docs/tutorials").glob("*.md"):
                (folder / f"{page.stem}.py").write_text(tutorial(page))
            (folder / "calls.py").write_text(RIGHT)
            self.assertEqual(pyright(folder), [])
            wrong = "import tenon\nx = tenon.ones(1)\n" + "\n".join(call for call, _ in WRONG)
            (folder / "calls.py").write_text(wrong)
            words = [words for file, words in pyright(folder) if file == "calls.py"]
        for call, name in WRONG:
            self.assertTrue(any(name in each for each in words), f"{call}: {words}")

    def test_examples_are_clean(self):
        for path in sorted((ROOT / "examples/python").glob("*.py")):
            self.assertIn("Success", check(path), path.name)

    def test_tutorials_are_clean(self):
        for page in sorted((ROOT / "docs/tutorials").glob("*.md")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / f"{page.stem}.py"
                path.write_text(tutorial(page))
                # Readers are spared the annotations of functions.
                words = check(path, "--allow-untyped-defs", "--allow-untyped-calls")
                self.assertIn("Success", words, page.name)

    def test_right_and_wrong_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "calls.py"
            path.write_text(RIGHT)
            self.assertIn("Success", check(path))
            path.write_text(
                "import tenon\nx = tenon.ones(1)\n" + "".join(f"{call}\n" for call, _ in WRONG)
            )
            words = check(path)
        for line, (call, name) in enumerate(WRONG, 3):
            found = [each for each in words.splitlines() if f"calls.py:{line}: error" in each]
            self.assertTrue(found and name in found[0], f"{call}: {found}")


if __name__ == "__main__":
    if not all(importlib.util.find_spec(name) for name in ("mypy", "pyright")):
        print("skipped: mypy or pyright is not installed")
        sys.exit(77)
    unittest.main()
