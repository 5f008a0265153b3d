# SPDX-License-Identifier: Apache-2.0
# tests/outside/exchange_test.py: tensors of every layout between Tenon and each library that speaks
# DLPack, both ways: values, strides and who may write; the tables of docs/dlpack.md.
"""What a library cannot take is copied before it gets there: nothing here tries it out."""

import os
import pathlib
import re
import sys
import tempfile
import unittest

try:
    import jax
    import numpy
    import torch
    import tvm_ffi
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/dlpack.md"
SHAPE = 6, 16
NONE = "-"  # the library has none of that kind
COPY = "x.clone()"


def values(shape=SHAPE):
    return numpy.arange(1, 1 + numpy.prod(shape), dtype=numpy.float32).reshape(shape)


# ---- one library --------------------------------------------------------------------------------


class NumPy:
    name = "NumPy"
    take = staticmethod(numpy.from_dlpack)

    @staticmethod
    def kinds():
        x, fixed = values(), values()
        fixed.flags.writeable = False
        return {
            "plain": x, "read-only": fixed, "broadcast": numpy.broadcast_to(x[0], SHAPE),
            "sliced": x[1:, 1::3], "reversed": x[::-1], "empty": x[:0],
            "0-d": x[2:3, 3].reshape(()),
        }  # fmt: skip

    @staticmethod
    def look(x):
        """Values, address, strides in elements, and what its mark says."""
        strides = tuple(stride // x.itemsize for stride in x.strides)
        return x, x.ctypes.data, strides, "" if x.flags.writeable else ", read-only"


class PyTorch:
    name = "PyTorch"
    take = staticmethod(torch.from_dlpack)

    @staticmethod
    def kinds():
        x = torch.tensor(values())
        return {
            "plain": x, "negated": torch._neg_view(x), "broadcast": x[0].expand(SHAPE),
            "sliced": x[1:, 1::3], "empty": x[:0], "0-d": x[2, 3],
        }  # fmt: skip

    @staticmethod
    def look(x):
        return x.resolve_neg().numpy(), x.data_ptr(), x.stride(), ", without a mark"


class Jax:
    name = "JAX"
    take = staticmethod(jax.numpy.from_dlpack)

    @staticmethod
    def kinds():
        x = jax.numpy.asarray(values())
        return {
            "read-only": x, "broadcast": jax.numpy.broadcast_to(x[0], SHAPE), "sliced": x[1:, 1::3],
            "reversed": x[::-1], "empty": x[:0], "0-d": x[2, 3],
        }  # fmt: skip

    @staticmethod
    def look(x):
        array = numpy.asarray(x)
        return array, x.unsafe_buffer_pointer(), NumPy.look(array)[2], ", read-only"


class TvmFfi:
    name = "tvm-ffi"
    take = staticmethod(tvm_ffi.from_dlpack)

    @staticmethod
    def kinds():
        x = values()
        repeated = numpy.lib.stride_tricks.as_strided(x, SHAPE, (0, x.itemsize))
        arrays = NumPy.kinds() | {"broadcast": repeated}
        return {kind: tvm_ffi.from_dlpack(x) for kind, x in arrays.items() if kind != "read-only"}

    @staticmethod
    def look(x):
        array = numpy.from_dlpack(x)
        return array, array.ctypes.data, tuple(x.strides), ", without a mark"


LIBRARIES = NumPy, PyTorch, Jax, TvmFfi
# What the library does not take as it is: (library, kind).
COPIED_FIRST = {
    ("JAX", "read-only"), ("JAX", "broadcast"), ("JAX", "sliced"), ("JAX", "reversed"),
    ("PyTorch", "reversed"), ("tvm-ffi", "read-only"),
}  # fmt: skip


def ours(folder):
    """Of each kind a tensor of Tenon."""
    x = tenon.tensor(values())
    tenon.save(f"{folder}/x.safetensors", {"x": x})
    return {
        "plain": x, "read-only": tenon.load(f"{folder}/x.safetensors")["x"],
        "broadcast": x[0].expand(SHAPE), "sliced": x[1:, 1::3], "reversed": x[::-1],
        "empty": x[:0], "0-d": x[2, 0],
    }  # fmt: skip


# ---- the tables ---------------------------------------------------------------------------------


def said(heading):
    """{kind: [cell of each library]} of a table on the page."""
    text = PAGE.read_text().partition(f"| {heading} |")[2].partition("\n\n")[0]
    names, _, *rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
                       for line in text.splitlines()]  # fmt: skip
    assert [each.partition(" ")[0] for each in names] == [each.name for each in LIBRARIES], names
    return {kind: cells for kind, *cells in rows}


class Tables(unittest.TestCase):
    maxDiff = None

    def assert_same(self, x, theirs):
        """Values and strides; those of sizes 0 and 1 say nothing."""
        found, _, strides, _ = theirs
        self.assertEqual((tuple(found.shape), found.tolist()), (x.shape, x.tolist()))
        if x.size:
            self.assertEqual(
                [s for size, s in zip(x.shape, strides, strict=True) if size > 1],
                [s for size, s in zip(x.shape, x.strides, strict=True) if size > 1],
            )

    def taken(self, given, look):
        """What becomes of a library's tensor."""
        x = tenon.from_dlpack(given)
        self.assert_same(x, look(given))
        is_shared = not x.size or x.data_ptr == look(given)[1]
        if is_shared and not x.is_read_only:
            x += 1
            self.assertEqual(x.tolist(), look(given)[0].tolist())
        return ("shared" if is_shared else "copied") + (", read-only" if x.is_read_only else "")

    def given(self, x, kind, library):
        """What becomes of a tensor of ours."""
        cell = COPY if (library.name, kind) in COPIED_FIRST else ""
        taken = library.take(x.clone() if cell else x)
        look = library.look(taken)
        self.assert_same(x.clone() if cell else x, look)
        if cell:
            return cell
        is_shared = not x.size or x.data_ptr == look[1]
        return ("shared" if is_shared else "copied") + look[3]

    def test_theirs_as_ours(self):
        page = said("theirs as ours")
        found = {}
        for place, library in enumerate(LIBRARIES):
            for kind, given in library.kinds().items():
                row = found.setdefault(kind, [NONE] * len(LIBRARIES))
                with self.subTest(library=library.name, kind=kind):
                    row[place] = self.taken(given, library.look)
        self.assertEqual(page, found)

    def test_ours_as_theirs(self):
        page = said("ours as theirs")
        with tempfile.TemporaryDirectory() as folder:
            found = {}
            for kind, x in ours(folder).items():
                found[kind] = [self.given(x, kind, library) for library in LIBRARIES]
        self.assertEqual(page, found)

    def test_the_page_names_the_releases(self):
        text = PAGE.read_text()
        for library, module in zip(LIBRARIES, (numpy, torch, jax, tvm_ffi), strict=True):
            release = ".".join(module.__version__.split(".")[:2])
            self.assertRegex(text, rf"{library.name}\s{re.escape(release)}\b")


# ---- what the tables do not show ----------------------------------------------------------------


class Rules(unittest.TestCase):
    def test_constants_of_jax_stay(self):
        for dtype in ("float32", "int32", "bool"):
            array = jax.numpy.asarray(values().astype(dtype))
            for share in (tenon.from_dlpack, tenon.asarray):
                x = share(array)
                with self.assertRaisesRegex(tenon.AliasError, r"(?s)x is read-only.*x\.clone\(\)"):
                    x.fill_(0)
                self.assertTrue((numpy.asarray(array) == values().astype(dtype)).all())
        for x in (tenon.from_dlpack(array, copy=True), tenon.tensor(array)):
            x.fill_(0)
            self.assertTrue(numpy.asarray(array).all())

    def test_read_only_tensors_are_refused_with_the_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            x = ours(folder)["read-only"]
            for library in (Jax, TvmFfi):
                with self.assertRaisesRegex(BufferError, r"(?s)read-only.*hint: .*x\.clone\(\)"):
                    library.take(x)
            self.assertEqual(jax.numpy.asarray(x).tolist(), x.tolist())

    def test_layouts_that_jax_refuses(self):
        x = tenon.tensor(values())
        for view in (x[0].expand(SHAPE), x[1:, 1::3], x[::-1]):
            with self.assertRaisesRegex(Exception, "striding"):
                jax.numpy.from_dlpack(view)

    def test_a_pending_negation_is_resolved_in_a_copy(self):
        made = torch.tensor([1 - 2j, 3 + 4j]).conj().imag  # not row-major
        for theirs in (made, torch._neg_view(torch.tensor([1.0, 2.0])), torch._neg_view(made)[1]):
            expected = theirs.tolist()
            for share in (tenon.from_dlpack, tenon.asarray, tenon.tensor):
                self.assertEqual(share(theirs).tolist(), expected)
            for share in (tenon.from_dlpack, tenon.asarray):
                self.assertEqual(share(theirs).is_read_only, theirs.is_neg())
                x = share(theirs, copy=True)
                self.assertEqual((x.tolist(), x.is_read_only), (expected, False))
                if theirs.is_neg():
                    with self.assertRaisesRegex(ValueError, r"resolve_neg\(\)"):
                        share(theirs, copy=False)
        pair = torch._neg_view(torch.tensor([1.0, 2.0]))
        self.assertEqual((tenon.tensor([0.0, 1.0]) + pair).tolist(), [-1.0, -1.0])
        self.assertEqual(tenon.stack([pair, pair]).tolist(), [[-1.0, -2.0]] * 2)
        x = tenon.full([2], 0.0)
        x[:] = pair
        self.assertEqual(x.tolist(), [-1.0, -2.0])

    def test_samples_with_a_pending_negation(self):
        theirs = torch.utils.data.TensorDataset(torch._neg_view(torch.arange(4.0)))
        (x,) = next(iter(tenon.data.batches(theirs, 4)))
        self.assertEqual(x.tolist(), [0.0, -1.0, -2.0, -3.0])

    def test_complex_numbers_are_refused(self):
        theirs = torch.tensor([1 + 2j])
        arrays = numpy.array([1 + 2j]), jax.numpy.asarray([1 + 2j])
        for given in (theirs, theirs.conj(), *arrays):
            for share in (tenon.from_dlpack, tenon.asarray, tenon.tensor):
                with self.assertRaises((tenon.DtypeError, TypeError)) as caught:
                    share(given)
                self.assertRegex(str(caught.exception), "(?s)expected.*found.*hint")

    def test_a_copy_is_one_s_own(self):
        for library in LIBRARIES:
            for kind, given in library.kinds().items():
                with self.subTest(library=library.name, kind=kind):
                    before = library.look(given)[0].tolist()
                    x = tenon.from_dlpack(given, copy=True)
                    self.assertEqual(x.tolist(), before)
                    x.fill_(0.0)
                    self.assertEqual(library.look(given)[0].tolist(), before)


if __name__ == "__main__":
    unittest.main()
