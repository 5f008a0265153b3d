# SPDX-License-Identifier: Apache-2.0
# tests/python/test_plugins.py: plugins that come after the installation: by a search path, by
# tenon.configure, by the metadata of an installed package, and broken ones.
import pathlib
import shutil
import tempfile
import unittest

from support import Case, build_folder, run_python

OTHERS = build_folder() / "test_plugins/evolution"


class Plugins(Case):
    def setUp(self):
        if not (OTHERS / "evo.ops/plugin.json").exists():
            self.skipTest("the tests' plugins are not built")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def prints(self, code, expected, **environment):
        done = run_python("import tenon\n" + code, **environment)
        self.assertEqual((done.stderr, done.stdout), ("", expected))

    def test_ops_of_others_have_words_and_signatures(self):
        shutil.copytree(OTHERS / "evo.ops", self.path / "evo.ops")
        code = (
            "import inspect\n"
            "print('join' in dir(tenon.op.evo), inspect.signature(tenon.op.evo.scale))\n"
            "print(tenon.op.evo.scale.plugin, tenon.op.evo.scale.__doc__.splitlines()[0])\n"
        )
        expected = (
            "True (x, bias=0.0, *, out=None)\n"
            "evo.ops scale(x: T[...], *, bias: float=0.0) -> T[...] where T: float\n"
        )
        self.prints(code, expected, TENON_PLUGIN_PATH=str(self.path))
        named = f"tenon.configure(plugin_paths=[{str(self.path)!r}])\n"
        self.prints(named + code, expected)

    def test_installed_packages_are_found_by_their_metadata(self):
        package = self.path / "evolved"
        package.mkdir()
        (package / "__init__.py").write_text("raise SystemExit('imported')\n")
        shutil.copytree(OTHERS / "evo.ops", package / "evo.ops")
        metadata = self.path / "evolved-1.0.dist-info"
        metadata.mkdir()
        (metadata / "entry_points.txt").write_text(
            "[console_scripts]\nx = y:z\n\n[tenon.plugins]\nevo = evolved\ngone = nowhere\n"
        )
        self.prints(
            f"import sys; sys.path.append({str(self.path)!r})\n"
            "print(tenon.plugins()['evo.ops'], tenon.op.evo.scale.plugin)\n",
            "found evo.ops\n",
        )

    def test_a_broken_plugin_changes_nothing_until_it_is_asked_for(self):
        shutil.copytree(OTHERS / "evo.ops", self.path / "evo.ops")
        (self.path / "evo.ops/evo.ops.so").write_bytes(b"no library")
        (self.path / "acme.broken").mkdir()
        (self.path / "acme.broken/plugin.json").write_text("{")
        self.prints(
            "print((tenon.tensor([1]) + 1).tolist(), tenon.plugins()['evo.ops'])\n"
            "try: tenon.op.evo.scale\n"
            "except tenon.Error as error: print(type(error).__name__, 'evo.ops' in str(error))\n"
            "print((tenon.tensor([1]) + 1).tolist(), tenon.plugins()['evo.ops'])\n",
            "[2] found\nPluginError True\n[2] refused\n",
            TENON_PLUGIN_PATH=str(self.path),
        )


if __name__ == "__main__":
    unittest.main()
