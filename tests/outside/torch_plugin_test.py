# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_plugin_test.py: the third party's plugin of examples/02, built once against an
# installed Tenon, used in PyTorch by its folder, by its id and by name.

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from torch_samples import BUILD, FOLDER

EXAMPLE = FOLDER.parents[1] / "examples/02_third_party_plugin"
PROGRAM = """
import os, sys
import tenon.torch
import torch

way, folder = sys.argv[1:]
if way == "folder":
    softsign = tenon.torch.load(folder).softsign
else:
    softsign = tenon.torch.load("acme.softsign").softsign
    assert tenon.torch.ops.acme.softsign is softsign

x = torch.randn(64, dtype=torch.float64, requires_grad=True)
assert torch.equal(softsign(x), torch.nn.functional.softsign(x))
assert torch.autograd.gradcheck(softsign, x)
assert torch.autograd.gradgradcheck(softsign, x)
torch.library.opcheck(softsign, (x,))
compiled = torch.compile(lambda x: softsign(softsign(x)), fullgraph=True, backend="aot_eager")
assert torch.equal(compiled(x), softsign(softsign(x)))
assert "Glorot" in softsign.__doc__
assert str(torch.ops.acme.softsign.default._schema) == "acme::softsign(Tensor x) -> Tensor"
try:
    softsign(torch.zeros(3, dtype=torch.int64))
except tenon.DtypeError as error:
    assert (error.op, error.operand) == ("acme.softsign", "x"), vars(error)
else:
    raise SystemExit("integers were taken")
print("right")
"""


def run(*command, **environment):
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-torch-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        prefix, build = cls.folder / "tenon", cls.folder / "build"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        run("cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_BUILD_TYPE=Release")  # fmt: skip
        run("cmake", "--build", build)
        cls.plugins = build / "plugins"

    def use(self, way, **environment):
        found = run(sys.executable, "-c", PROGRAM, way, self.plugins / "acme.softsign",
                    PYTHONPATH=str(BUILD / "python"), **environment)  # fmt: skip
        self.assertEqual(found.splitlines()[-1], "right")

    def test_by_its_folder(self):
        self.use("folder")

    def test_by_its_id_and_by_name(self):
        self.use("id", TENON_PLUGIN_PATH=str(self.plugins))

    def test_a_damaged_plugin_says_so_and_others_go_on(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.plugins, damaged)
        library = next(damaged.glob("acme.softsign/*.so"))
        library.write_bytes(library.read_bytes()[:4096])
        program = (
            "import tenon.torch, torch\n"
            "try:\n    tenon.torch.ops.acme.softsign\n"
            "except tenon.PluginError as error:\n    print(error)\n"
            "print(tenon.torch.ops.tenon.neg(torch.ones(1)))"
        )
        found = run(sys.executable, "-c", program, PYTHONPATH=str(BUILD / "python"),
                    TENON_PLUGIN_PATH=str(damaged))  # fmt: skip
        self.assertIn("acme.softsign", found)
        self.assertEqual(found.splitlines()[-1], "tensor([-1.])")


if __name__ == "__main__":
    unittest.main()
