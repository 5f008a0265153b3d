# SPDX-License-Identifier: Apache-2.0
# tests/python/package_test.py: `pip install .` in an empty virtual environment, and what is in it.
"""Needs a package index for the build's own requirements; compiles everything, so ccache helps."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_LIBRARY", "build/release/lib/none")).parents[1]
MEGABYTE = 1_000_000

TEN_LINES = """
import tenon
assert "numpy" not in __import__("sys").modules
x = tenon.tensor(3.0, tenon.float64, requires_grad=True)
y = x * x
y.backward()
print(x.grad.item())
"""
METADATA = {
    "METADATA": "Metadata-Version: 2.1\nName: acme-cells\nVersion: 1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "entry_points.txt": "[tenon.plugins]\ncells = acme_cells\n",
}

PIP = sys.executable, "-m", "pip", "--disable-pip-version-check"


def index_problem():
    """Why pip cannot get what the build needs; empty if it can."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*PIP, "download", "--no-deps", "--dest", folder, "scikit-build-core"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    return done.stderr.strip() if done.returncode else ""


if problem := index_problem():
    print(f"skipped: no package index: {problem}")
    sys.exit(77)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, "-m", "venv", cls.path / "venv"], check=True)
        cls.python = cls.path / "venv/bin/python"
        os.environ["CCACHE_STATSLOG"] = str(cls.path / "ccache.log")
        cls.run_in_venv("-m", "pip", "wheel", "--no-deps", "-w", cls.path, ROOT,
                        "-C", "cmake.define.TENON_BUNDLE_OPENBLAS=ON")  # fmt: skip
        cls.wheel = next(cls.path.glob("tenon-*.whl"))
        cls.run_in_venv("-m", "pip", "install", "--no-index", cls.wheel)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_in_venv(cls, *arguments):
        done = subprocess.run(
            [cls.python, *arguments], cwd=cls.path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def test_ten_lines(self):
        self.assertEqual(self.run_in_venv("-c", TEN_LINES), "6.0\n")

    def test_it_is_small_and_whole(self):
        packed = zipfile.ZipFile(self.wheel).infolist()
        bundled = [each for each in packed if each.filename.startswith("tenon/lib/lib")
                   and "libtenon" not in each.filename]  # fmt: skip
        without = self.wheel.stat().st_size - sum(each.compress_size for each in bundled)
        self.assertLess(without, 10 * MEGABYTE)
        names = [each.filename for each in packed]
        for plugin in ("cpu", "ref", "ops", "optim", "layers", "data", "formats", "schedules",
                       "tokenizers", "transforms"):
            self.assertIn(f"tenon/plugins/tenon.{plugin}/tenon.{plugin}.so", names)
        self.assertIn("tenon/py.typed", names)
        self.assertIn("tenon/bin/tenon-verify", names)  # what `tenon verify` starts
        self.assertEqual([each for each in names if "libtenon" in each], ["tenon/lib/libtenon.so"])

    def test_nothing_was_compiled_twice(self):
        """After a build of the preset `release` with the compilers that CMake finds itself."""
        lines = (BUILD / "CMakeCache.txt").read_text().splitlines()
        cache = dict(line.split("=", 1) for line in lines if "=" in line)
        log = self.path / "ccache.log"
        plain = cache.get("CMAKE_CXX_COMPILER:FILEPATH", cache.get("CMAKE_CXX_COMPILER:STRING"))
        if plain != shutil.which("c++") or BUILD.name != "release" or not log.exists():
            self.skipTest("another build, or no ccache, or it was not needed")
        calls = log.read_text().splitlines()
        misses = calls.count("cache_miss")
        self.assertLess(misses, 20, f"of {len(calls)} lines")

    def test_it_needs_nothing(self):
        shown = self.run_in_venv("-m", "pip", "show", "tenon")
        self.assertIn("Requires: \n", shown)

    def test_a_bundled_lapack_is_the_one_that_computes(self):
        """TENON_BUNDLE_OPENBLAS: the machine needs neither OpenBLAS nor Fortran's libraries."""
        names = zipfile.ZipFile(self.wheel).namelist()
        if "tenon/plugins/tenon.lapack/tenon.lapack.so" not in names:
            self.skipTest("OpenBLAS was not there to be bundled")
        code = (
            "import tenon\n"
            "tenon.linalg.eigh(tenon.eye(3))\n"
            "maps = open('/proc/self/maps').read().split()\n"
            "print(*sorted({each for each in maps if 'openblas' in each or 'gfortran' in each}))\n"
        )
        opened = self.run_in_venv("-c", code).split()
        self.assertEqual([pathlib.Path(each).name for each in opened],
                         ["libgfortran.so.5", "libopenblas.so.0"])  # fmt: skip
        self.assertTrue(all("/site-packages/tenon/lib/" in each for each in opened), opened)

    def test_the_command_is_there(self):
        done = subprocess.run(
            [self.path / "venv/bin/tenon", "list"], capture_output=True, text=True, check=True
        )
        self.assertIn("tenon.cpu", done.stdout)
        # A processor may lack what one of them needs.
        refused = [line for line in done.stdout.splitlines() if "refused" in line]
        self.assertFalse([line for line in refused if "it needs the CPU feature" not in line])
        self.assertIn("tenon.cpu", self.run_in_venv("-m", "tenon", "list"))

    def test_the_hashes_of_the_manifests_are_right(self):
        code = (
            "import tenon\n"
            "hashes = {each['id']: each['sha256'] for each in tenon.query('hashes')}\n"
            "for each in tenon.query('plugins'):\n"
            "    assert hashes[each['id']] == each['sha256'], each['id']\n"
        )
        self.run_in_venv("-c", code)

    def test_a_plugin_that_pip_installs(self):
        cells = BUILD / "test_plugins/python/acme.cells"
        if not cells.exists():
            self.skipTest("the tests' plugins are not built")
        wheel = self.path / "acme_cells-1.0-py3-none-any.whl"
        place = "acme_cells/acme.cells"
        files = {f"{place}/{each.name}": each.read_bytes() for each in cells.iterdir()}
        files["acme_cells/__init__.py"] = b"raise SystemExit('a package of plugins is data')\n"
        for name, text in METADATA.items():
            files[f"acme_cells-1.0.dist-info/{name}"] = text.encode()
        record = "".join(f"{name},,\n" for name in (*files, "acme_cells-1.0.dist-info/RECORD"))
        with zipfile.ZipFile(wheel, "w") as packed:
            for name, content in files.items():
                packed.writestr(name, content)
            packed.writestr("acme_cells-1.0.dist-info/RECORD", record)
        listed = "import tenon; print(tenon.plugins().get('acme.cells'))"
        used = (
            "import tenon; elman = tenon.nn.acme.elman; cell = elman(inputs=2, width=3)\n"
            "shapes = [each.shape for each in cell(tenon.full([1, 2], 1.0))]\n"
            "print(shapes, 'twice' in elman.__doc__)\n"
        )
        self.assertEqual(self.run_in_venv("-c", listed), "None\n")
        self.run_in_venv("-m", "pip", "install", "--no-index", wheel)
        self.assertEqual(self.run_in_venv("-c", listed), "found\n")
        self.assertEqual(self.run_in_venv("-c", used), "[(1, 3), (1, 3)] True\n")
        self.run_in_venv("-m", "pip", "uninstall", "--yes", "acme-cells")
        self.assertEqual(self.run_in_venv("-c", listed), "None\n")


if __name__ == "__main__":
    unittest.main()
