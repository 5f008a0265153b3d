# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_plugin_test.py: the third party's plugin of examples/02, built once against an
# installed Tenon, used in JAX by its folder, by its id and by name.

import shutil
import unittest

from jax_samples import jax
from third_party import ThirdParty

PROGRAM = """
import sys
import jax
import tenon.jax
from jax.test_util import check_grads

way, folder = sys.argv[1:]
if way == "folder":
    softsign = tenon.jax.load(folder).softsign
else:
    softsign = tenon.jax.load("acme.softsign").softsign
    assert tenon.jax.ops.acme.softsign is softsign

jax.config.update("jax_enable_x64", True)
x = jax.random.normal(jax.random.key(0), (64,), "float64")
assert (jax.jit(softsign)(x) == jax.nn.soft_sign(x)).all()
check_grads(softsign, (x,), order=2, modes=["rev"])
assert "Glorot" in softsign.__doc__
try:
    softsign(jax.numpy.zeros(3, "int64"))
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

    def test_a_damaged_plugin_says_so_and_others_go_on(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.plugins, damaged)
        library = next(damaged.glob("acme.softsign/*.so"))
        library.write_bytes(library.read_bytes()[:4096])
        program = (
            "import jax, tenon.jax\n"
            "try:\n    tenon.jax.ops.acme.softsign\n"
            "except tenon.PluginError as error:\n    print(error)\n"
            "print(repr(tenon.jax.ops.tenon.neg(jax.numpy.ones(1))))"
        )
        found = self.run_program(program, TENON_PLUGIN_PATH=str(damaged))
        self.assertIn("acme.softsign", "\n".join(found))
        self.assertEqual(found[-1], repr(-jax.numpy.ones(1)))


if __name__ == "__main__":
    unittest.main()
