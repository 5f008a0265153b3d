# SPDX-License-Identifier: Apache-2.0
# tests/outside/typing_test.py: the stubs as mypy reads them: the examples are clean under --strict,
# and what is wrong is found.
"""usage: typing_test.py [-v]"""

import importlib.util
import pathlib
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


def check(*files):
    """What mypy says."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *map(str, files)],
        env={"MYPYPATH": str(ROOT / "bindings/python"), "HOME": tempfile.gettempdir()},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


class Stubs(unittest.TestCase):
    def test_examples_are_clean(self):
        for path in sorted((ROOT / "examples/python").glob("*.py")):
            self.assertIn("Success", check(path), path.name)

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
    if not importlib.util.find_spec("mypy"):
        print("skipped: mypy is not installed")
        sys.exit(77)
    unittest.main()
