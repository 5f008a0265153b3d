# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_plugin_test.py: the third party's plugin of examples/02, built once against an
# installed Tenon, used in PyTorch by its folder, by its id and by name.

import shutil
import sys
import unittest

from registry_samples import BUILD
from third_party import ThirdParty, run
from torch_samples import torch

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


class Plugin(ThirdParty):
    def use(self, way, **environment):
        found = self.run_program(PROGRAM, way, self.plugins / "acme.softsign", **environment)
        self.assertEqual(found[-1], "right")

    def test_by_its_folder(self):
        self.use("folder")

    def test_by_its_id_and_by_name(self):
        self.use("id", TENON_PLUGIN_PATH=str(self.plugins))

    def test_a_new_op_is_tested_in_pytorch_beside_the_rest(self):
        prefix, project = self.folder / "tenon", self.folder / "acme.bent"
        build = project / "build"
        run(prefix / "bin/tenon", "new", "op", "acme.bent", "--lang", "c", "--with", "torch",
            "--into", self.folder)  # fmt: skip
        run("cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DPython3_EXECUTABLE={sys.executable}")  # fmt: skip
        test = ("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
        packages = {"PYTHONPATH": str(BUILD / "python")}
        run("cmake", "--build", build)
        found = run(*test, **packages)
        self.assertRegex(found, r"acme\.bent\.torch \.+ +Passed")
        source = project / "src/bent.c"
        text = source.read_text()
        self.assertIn("tn_float(2 * tn_number(scale))", text)
        source.write_text(text.replace("tn_float(2 *", "tn_float(3 *"))
        run("cmake", "--build", build)
        with self.assertRaisesRegex(AssertionError, "GradcheckError"):
            run(*test, "-R", "torch", **packages)
        self.assertRegex(
            run(*test, "-R", "torch", PYTHONPATH="", PYTHONSAFEPATH="1"), r"Skipped"
        )

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
        found = self.run_program(program, TENON_PLUGIN_PATH=str(damaged))
        self.assertIn("acme.softsign", "\n".join(found))
        self.assertEqual(found[-1], repr(-torch.ones(1)))


if __name__ == "__main__":
    unittest.main()
