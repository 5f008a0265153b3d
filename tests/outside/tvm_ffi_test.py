# SPDX-License-Identifier: Apache-2.0
# tests/outside/tvm_ffi_test.py: tvm-ffi both ways: kernels that its package compiles as ops of a
# plugin, and ops as its functions.
"""Needs apache-tvm-ffi and a C++ compiler. TENON_TVM_FFI_EXAMPLES, the folder `examples` of the
project's repository, adds its quick start and its example in C."""

import gc
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

try:
    import numpy
    import tvm_ffi
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1]
EXAMPLES = os.environ.get("TENON_TVM_FFI_EXAMPLES")
INCLUDE = pathlib.Path(tvm_ffi.libinfo.find_include_path())
LIBRARY = pathlib.Path(tvm_ffi.libinfo.find_libtvm_ffi()).parent
PAGE = FOLDER.parents[1] / "docs/tvm-ffi.md"
WORK = pathlib.Path(tempfile.mkdtemp(prefix="tenon-tvm-ffi-"))
sys.path.insert(0, str(BUILD / "python"))

DTYPE = {"sample": "i32[5]", "refused": "dtype", "says": "T"}


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def compile_kernels(source, library):
    compiler = ["cc"] if source.suffix == ".c" else ["c++", "-std=c++17"]
    code, words = run(
        *compiler, "-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-Wall", "-isystem", INCLUDE,
        f"-I{FOLDER.parents[1]}", source, f"-L{LIBRARY}", "-ltvm_ffi", f"-Wl,-rpath,{LIBRARY}",
        "-o", library,
    )  # fmt: skip
    if code:
        raise AssertionError(words)


def function(name, **more):
    """A function of x alone, as a description says it."""
    return {
        "op": f"mine.{name}", "schema": f"{name}(x: T[...S]) -> T[...S] where T: float",
        "doc": "For a test.", "dtypes": ["f32"], "composition": {"out": "add(x, 1)"},
        "gradient": {"x": "grad"}, "twice": True,
        "samples": ["f32[5](-4,4)", "f32[3,4]", "f32[2,2,2,2]", "f32[]", "f32[0,3]", DTYPE], **more,
    }  # fmt: skip


def wrap(plugin, functions, library="kernels.so"):
    """The exit status and the words of `tenon wrap`."""
    file = WORK / f"{plugin}.json"
    file.write_text(json.dumps({
        "format": "tenon.tvm_ffi/1", "id": plugin, "version": "1.0.0", "license": "Apache-2.0",
        "library": library, "functions": functions,
    }))  # fmt: skip
    return run(BUILD / "bin/tenon", "wrap", file, "--into", WORK, "--force")


def verify(plugin):
    return run(BUILD / "bin/tenon", "verify", WORK / plugin, "--level", "1")


SCALED = function(
    "scaled", gradient={"x": "mul(mul(grad, 1.0), full_like(grad | factor))"}, twice=False,
    schema='scaled(x: T[...S], *, factor: float=2.0, mode: str="plain") -> y: T[...S] '
    "where T: float",
    composition={"y": "mul(x, full_like(x | factor))"},
    samples=["f32[2,3]", "f32[4] | factor=-1.5", DTYPE,
             {"sample": 'f32[2] | mode="odd"', "refused": "argument", "says": "not plain"}],
)  # fmt: skip


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, WORK)
    compile_kernels(FOLDER / "tvm_ffi_kernels.cc", WORK / "kernels.so")
    code, words = wrap("mine.kernels", [function("add_one"), SCALED, function("answers")])
    assert code == 0, words
    os.environ["TENON_PLUGIN_PATH"] = str(WORK)
    global tenon
    import tenon
    import tenon.tvm_ffi


class Kernels(unittest.TestCase):
    """Functions of tvm-ffi as ops."""

    def test_computes_with_a_gradient_that_is_a_composition(self):
        x = tenon.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
        y = tenon.op.mine.add_one(x.mT)
        self.assertEqual(y.tolist(), [[2.0], [3.0], [4.0]])
        (y * y).sum().backward()
        self.assertEqual(x.grad.tolist(), [[4.0, 6.0, 8.0]])
        scaled = tenon.op.mine.scaled(x, factor=3.0)
        self.assertEqual(scaled.tolist(), [[3.0, 6.0, 9.0]])
        composed = tenon.op.mine.scaled(x.detach().to("float64"), factor=0.1)
        self.assertEqual(composed.tolist(), [[0.1, 0.2, 3 * 0.1]])
        self.assertEqual(tenon.grad(scaled.sum(), [x])[0].tolist(), [[3.0, 3.0, 3.0]])

    def test_is_replayed_from_a_plan_and_called_by_many_threads(self):
        plan = tenon.capture(lambda x: tenon.op.mine.add_one(x) * 2, tenon.ones(1000))
        self.assertEqual(plan(tenon.full((1000,), 3.0)).tolist(), [8.0] * 1000)
        wrong = []

        def work(number):
            for _ in range(200):
                y = tenon.op.mine.add_one(tenon.full((100,), float(number)))
                if y.tolist() != [number + 1.0] * 100:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(wrong, [])

    def test_what_it_raises_is_an_error_with_its_words(self):
        x = tenon.ones(3)
        with self.assertRaisesRegex(tenon.ArgumentError, 'ValueError: the mode is "odd", not pl'):
            tenon.op.mine.scaled(x, mode="odd")
        with self.assertRaisesRegex(tenon.PluginError, "scaled: RuntimeError: by zero") as caught:
            tenon.op.mine.scaled(x, factor=0.0)
        self.assertEqual(caught.exception.op, "mine.scaled")
        with self.assertRaisesRegex(tenon.PluginError, "answers has returned a value"):
            tenon.op.mine.answers(x)
        with self.assertRaisesRegex(tenon.OptionError, "none of them zero"):
            tenon.op.mine.scaled(x, mode="a\0b")
        self.assertEqual(tenon.op.mine.add_one(x).tolist(), [2.0] * 3)

    def test_verify_judges_it(self):
        self.assertEqual(wrap("good.kernels", [function("add_one")])[0], 0)
        code, words = verify("good.kernels")
        self.assertEqual(code, 0, words)
        faulty = {
            "skipped-tail": function("add_one_to_seven", samples=["f32[3,4]", DTYPE]),
            "composition-differs": function("add_one", composition={"out": "add(x, 2)"}),
            "wrong-gradient": function("add_one", gradient={"x": "mul(grad, 2)"}),
            "no-cases": function("add_one", composition=None,
                                 schema="add_one(x: T[...S]) -> T[...S] where T: f32"),
            "refused": function("answers"),
        }
        for cause, each in faulty.items():
            with self.subTest(cause):
                each["function"] = each["op"].partition(".")[2]
                self.assertEqual(wrap("bad.kernels", [each])[0], 0)
                code, words = verify("bad.kernels")
                self.assertEqual(code, 1, words)
                self.assertIn(cause, words)

    def test_the_page_s_description_fits_the_project_s_examples(self):
        said = json.loads(re.search(r"```json\n(.*?)```", PAGE.read_text(), re.S)[1])
        sources = [FOLDER / "tvm_ffi_kernels.cc"]
        if EXAMPLES:
            sources += [pathlib.Path(EXAMPLES, "quickstart/compile/add_one_cpu.cc"),
                        pathlib.Path(EXAMPLES, "stable_c_abi/src/add_one_cpu.c")]  # fmt: skip
        for source in sources:
            with self.subTest(source):
                compile_kernels(source, WORK / said["library"])
                code, words = wrap(said["id"], said["functions"], said["library"])
                self.assertEqual(code, 0, words)
                code, words = verify(said["id"])
                self.assertEqual(code, 0, words)
                print(source.name, words.splitlines()[-2], file=sys.stderr)

    def test_a_library_without_its_run_path_is_explained(self):
        compile_kernels(FOLDER / "tvm_ffi_kernels.cc", WORK / "moved.so")
        bytes_of = (WORK / "moved.so").read_bytes()
        away = str(LIBRARY).encode()
        (WORK / "moved.so").write_bytes(bytes_of.replace(away, b"/" + b"x" * (len(away) - 1)))
        code, words = wrap("lost.kernels", [function("add_one")], "moved.so")
        self.assertEqual(code, 1, words)
        self.assertIn("tvm-ffi-config --libdir", words)


class Exported(unittest.TestCase):
    """Ops as functions of tvm-ffi."""

    def test_shares_tensors_and_gives_new_ones(self):
        softmax = tenon.tvm_ffi.export("tenon.softmax")
        self.assertIsInstance(softmax, tvm_ffi.Function)
        x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)[:, ::2]
        y = softmax(tvm_ffi.from_dlpack(x), 0)
        self.assertIsInstance(y, tvm_ffi.Tensor)
        expected = tenon.softmax(tenon.from_dlpack(x), 0)
        self.assertEqual(numpy.from_dlpack(y).tolist(), expected.tolist())
        self.assertEqual(numpy.from_dlpack(softmax(x)).shape, (2, 2))
        values, places = tenon.tvm_ffi.export(tenon.op.tenon.topk)(x, 1)
        self.assertEqual(numpy.from_dlpack(values).tolist(), [[2.0], [5.0]])
        self.assertEqual(numpy.from_dlpack(places).tolist(), [[1], [1]])
        both = tenon.tvm_ffi.export("tenon.concat")([x, x], 1)
        self.assertEqual(numpy.from_dlpack(both).shape, (2, 4))
        reshaped = tenon.tvm_ffi.export("tenon.reshape")(x, tvm_ffi.Shape((4, 1)))
        self.assertEqual(numpy.from_dlpack(reshaped).shape, (4, 1))
        cast = tenon.tvm_ffi.export("tenon.cast")(x, tvm_ffi.float64)
        self.assertEqual(numpy.from_dlpack(cast).dtype, numpy.float64)

    def test_writes_in_place(self):
        rows_add = tenon.tvm_ffi.export("tenon.rows_add")
        x = numpy.zeros((2, 2), numpy.float32)
        self.assertIsNone(rows_add(x, numpy.array([1]), numpy.ones((1, 2), numpy.float32)))
        self.assertEqual(x.tolist(), [[0, 0], [1, 1]])

    def test_a_kernel_of_theirs_comes_back(self):
        again = tenon.tvm_ffi.export("mine.add_one", "mine.add_one_again")
        x = numpy.ones(3, numpy.float32)
        for each in (again, tvm_ffi.get_global_func("mine.add_one_again")):
            self.assertEqual(numpy.from_dlpack(each(x)).tolist(), [2, 2, 2])
        with self.assertRaises(Exception):
            tenon.tvm_ffi.export("mine.add_one", "mine.add_one_again")
        tenon.tvm_ffi.export("tenon.neg", "mine.add_one_again", override=True)
        again = tvm_ffi.get_global_func("mine.add_one_again")
        self.assertEqual(numpy.from_dlpack(again(x)).tolist(), [-1, -1, -1])

    def test_results_live_as_long_as_they_are_used(self):
        y = tenon.tvm_ffi.export("tenon.exp")(numpy.zeros(100_000, numpy.float32))
        view = numpy.from_dlpack(y)
        del y
        gc.collect()
        self.assertEqual(view.sum(), 100_000)

    def test_errors_have_all_words(self):
        matmul = tenon.tvm_ffi.export("tenon.matmul")
        x = numpy.ones((2, 3), numpy.float32)
        with self.assertRaisesRegex(ValueError, r"tenon\.matmul"):
            matmul(x, x)
        with self.assertRaisesRegex(TypeError, "at most 2"):
            matmul(x, x, x)
        with self.assertRaisesRegex(ValueError, "wrong number of operands"):
            matmul(x)
        with self.assertRaises(tenon.NotFoundError):
            tenon.tvm_ffi.export("tenon.nothing")
        with self.assertRaisesRegex(TypeError, "an op or its name"):
            tenon.tvm_ffi.export(3)


if __name__ == "__main__":
    unittest.main()
