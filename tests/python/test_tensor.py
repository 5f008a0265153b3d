# SPDX-License-Identifier: Apache-2.0
# tests/python/test_tensor.py: tensors as Python objects: making, asking, operators, sharing.
import array
import copy
import ctypes
import gc
import math
import pickle
import sys
import unittest
import weakref

from support import Case, tenon

FLOATS = (tenon.float16, tenon.bfloat16, tenon.float32, tenon.float64)
INTS = (tenon.uint8, tenon.int8, tenon.int16, tenon.int32, tenon.int64)


class Making(Case):
    def test_dtype_follows_the_numbers(self):
        for data, dtype in (
            (1, tenon.int64),
            (1.5, tenon.float32),
            (True, tenon.bool),
            ([True, False], tenon.bool),
            ([True, 2], tenon.int64),
            ([1, 2.5], tenon.float32),
            ([], tenon.float32),
            ([[], []], tenon.float32),
        ):
            self.assertIs(tenon.tensor(data).dtype, dtype, data)
            expected = data if isinstance(data, list) else data
            self.assertEqual(tenon.tensor(data).tolist(), expected)

    def test_every_dtype(self):
        for dtype in (*FLOATS, *INTS):
            made = tenon.tensor([[1, 2], [3, 4]], dtype)
            self.assertIs(made.dtype, dtype)
            self.same(made, [[1, 2], [3, 4]])
            self.assertIs(tenon.tensor([1], dtype.name).dtype, dtype)
        self.assertIs(tenon.tensor([1], float).dtype, tenon.float32)

    def test_numbers_reach_a_given_dtype_with_one_rounding(self):
        self.assertEqual(tenon.tensor(0.1, tenon.float64).item(), 0.1)
        self.assertEqual(tenon.tensor(2**53 + 1, tenon.int64).item(), 2**53 + 1)

    def test_buffers_are_copied(self):
        numbers = array.array("d", [1.0, 2.0])
        made = tenon.tensor(numbers)
        numbers[0] = 5.0
        self.same(made, [1.0, 2.0])
        self.assertIs(made.dtype, tenon.float64)
        self.same(tenon.tensor(memoryview(numbers)[::-1]), [2.0, 5.0])
        self.same(tenon.tensor(b"\x01\x02"), [1, 2])
        self.same(tenon.tensor((ctypes.c_int32 * 2)(3, 4)), [3, 4])

    def test_buffers_are_shared(self):
        numbers = array.array("f", [1.0, 2.0, 3.0])
        shared = tenon.asarray(numbers)
        shared += 1
        self.assertEqual(list(numbers), [2.0, 3.0, 4.0])
        self.same(tenon.asarray(memoryview(numbers)[::-2]), [4.0, 2.0])
        read_only = tenon.asarray(b"ab")
        self.assertTrue(read_only.is_read_only)
        self.refused(tenon.AliasError, lambda: read_only.__iadd__(1), "read-only")
        self.assertIs(tenon.asarray(shared), shared)

    def test_what_has_an_array_is_shared_as_that(self):
        """A data frame has neither a buffer nor DLPack."""

        class Frame:
            def __init__(self):
                self.numbers = array.array("f", [1.0, 2.0])

            def __array__(self, dtype=None, copy=None):
                return memoryview(self.numbers)

        frame = Frame()
        shared = tenon.asarray(frame)
        shared += 1
        self.assertEqual(list(frame.numbers), [2.0, 3.0])
        self.same(tenon.tensor([10.0, 20.0]) + frame, [12.0, 23.0])

    def test_a_shared_buffer_lives_as_long_as_its_last_tensor(self):
        numbers = array.array("f", [1.0, 2.0])
        before = sys.getrefcount(numbers)
        view = tenon.asarray(numbers)[1:]
        self.assertGreater(sys.getrefcount(numbers), before)
        self.assertRaises(BufferError, numbers.append, 3.0)
        del view
        self.assertEqual(sys.getrefcount(numbers), before)
        numbers.append(3.0)

    def test_a_tensor_of_a_tensor_is_a_copy(self):
        first = tenon.tensor([1.0, 2.0], requires_grad=True)
        second = tenon.tensor(first)
        self.assertFalse(second.requires_grad)
        self.assertNotEqual(first.storage, second.storage)

    def test_full(self):
        self.same(tenon.full([2], 1.5), [1.5, 1.5])
        self.assertIs(tenon.full(2, 3).dtype, tenon.int64)
        self.assertIs(tenon.full([], True).dtype, tenon.bool)

    def test_what_is_no_data(self):
        self.refused(ValueError, lambda: tenon.tensor([[1, 2], [3]]), "2 elements", "rectangular")
        self.refused(ValueError, lambda: tenon.tensor([1, [2]]), "depth 1")
        self.refused(ValueError, lambda: tenon.tensor([[1], 2]), "a number")
        self.refused(TypeError, lambda: tenon.tensor("12"), "str")
        self.refused(TypeError, lambda: tenon.tensor([1, "2"]), "str")
        self.same(tenon.tensor([[tenon.tensor(1), tenon.tensor(2)]]), [[1, 2]])
        self.refused(TypeError, lambda: tenon.tensor([1, tenon.tensor(1)]), "tenon.stack")
        self.refused(TypeError, lambda: tenon.tensor(None), "NoneType")
        self.refused(TypeError, lambda: tenon.tensor([1], "f8"), "f8")
        self.refused(TypeError, lambda: tenon.tensor((ctypes.c_longdouble * 2)()), "format")
        self.refused(ValueError, lambda: tenon.asarray([1], copy=False), "shared memory")
        self.refused(tenon.Error, lambda: tenon.tensor([1], device="nowhere"), "nowhere")
        self.refused(TypeError, lambda: tenon.from_dlpack([1]), "__dlpack__")
        deep = [1.0]
        for _ in range(9):
            deep = [deep]
        self.refused(ValueError, lambda: tenon.tensor(deep), "8 dimensions")
        circle = []
        circle.append(circle)
        self.refused(ValueError, lambda: tenon.tensor(circle), "8 dimensions")
        circle.clear()
        self.assertRaises(TypeError, tenon.Tensor)


class Asking(Case):
    def test_properties(self):
        x = tenon.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        self.assertEqual((x.shape, x.strides, x.ndim, x.size), ((2, 3), (3, 1), 2, 6))
        self.assertEqual((x.dtype, x.device, len(x)), (tenon.float32, "cpu", 2))
        self.assertTrue(x.is_contiguous and x.is_leaf)
        self.assertFalse(x.requires_grad or x.is_read_only)
        turned = x.T
        self.assertEqual((turned.shape, turned.strides), ((3, 2), (1, 3)))
        self.assertEqual(turned.storage, x.storage)
        self.assertFalse(turned.is_contiguous)
        self.assertTrue(turned.contiguous().is_contiguous)
        self.assertIs(x.contiguous(), x)
        version = x.version
        x += 1
        self.assertGreater(x.version, version)

    def test_numbers(self):
        self.assertEqual(tenon.tensor([[2.5]]).item(), 2.5)
        self.assertIs(tenon.tensor(True).item(), True)
        self.assertEqual(float(tenon.tensor(3)), 3.0)
        self.assertEqual(int(tenon.tensor(3.7)), 3)
        self.assertEqual([10, 20, 30][tenon.tensor(1)], 20)
        self.assertEqual(f"{tenon.tensor(1.25):.1f}", "1.2")
        self.assertTrue(math.isnan(float(tenon.tensor(math.nan))))
        self.assertTrue(tenon.tensor(1))
        self.assertFalse(tenon.tensor(0.0))
        two = tenon.tensor([1, 2])
        self.refused(tenon.ShapeError, lambda: bool(two))
        self.refused(tenon.ShapeError, two.item)
        self.refused(TypeError, lambda: [1][tenon.tensor(0.0)], "an integer")
        self.refused(TypeError, lambda: len(tenon.tensor(1)), "rank 0")

    def test_text(self):
        x = tenon.tensor([1.0, 2.0], requires_grad=True)
        self.assertIn("[1., 2.]", repr(x))
        self.assertIn("requires_grad=true", repr(x))
        self.assertIn("storage", x.info())
        self.assertEqual(tenon.info(x), x.info())

    def test_lists_and_iteration(self):
        x = tenon.tensor([[1, 2], [3, 4]])
        self.assertEqual([row.tolist() for row in x], [[1, 2], [3, 4]])
        self.assertIn(3, x)
        self.assertNotIn(5, x)
        for dtype in (*FLOATS, *INTS):
            self.same(x.astype(dtype).T, [[1, 3], [2, 4]])
        self.assertRaises(TypeError, lambda: list(tenon.tensor(1)))

    def test_conversions(self):
        x = tenon.tensor([1.9, -1.9])
        self.same(x.astype(tenon.int32), [1, -1])
        self.assertIs(x.astype("float32"), x)
        self.assertIs(x.to("cpu"), x)
        self.assertIs(x.to(tenon.float64).dtype, tenon.float64)
        self.assertIs(x.to("float64").dtype, tenon.float64)
        self.refused(tenon.Error, lambda: x.to("nowhere"))
        self.refused(TypeError, lambda: x.to(3))

    def test_shapes(self):
        x = tenon.tensor([0, 1, 2, 3, 4, 5])
        self.assertEqual(x.reshape(2, 3).shape, (2, 3))
        self.assertEqual(x.reshape((3, -1)).shape, (3, 2))
        self.assertEqual(x.view(6, 1).squeeze().shape, (6,))
        self.assertEqual(x.unsqueeze(0).expand(4, 6).strides, (0, 1))
        self.assertEqual(x.reshape(1, 2, 3).permute(2, 0, 1).shape, (3, 1, 2))
        self.assertEqual(x.reshape(2, 3).transpose().shape, (3, 2))
        self.same(x.reshape(2, 3).sum(0), [3, 5, 7])
        self.same(x.reshape(2, 3).max(axes=1, keepdims=True), [[2], [5]])

    def test_tensors_can_be_keys_and_weakly_held(self):
        x = tenon.tensor([1.0])
        names = {x: "x"}
        self.assertEqual(names[x], "x")
        held = weakref.ref(x)
        names.clear()
        del x
        gc.collect()
        self.assertIsNone(held())

    def test_dtypes(self):
        self.assertEqual(repr(tenon.float32), "tenon.float32")
        self.assertEqual((tenon.bfloat16.itemsize, tenon.int8.name), (2, "int8"))
        self.assertTrue(tenon.float16.is_floating_point)
        self.assertFalse(tenon.bool.is_floating_point)
        self.assertIs(pickle.loads(pickle.dumps(tenon.bfloat16)), tenon.bfloat16)


class Limits(Case):
    def test_floats(self):
        # dtype: bits, precision, max, eps, tiny, smallest_subnormal
        known = {
            "float16": (16, 3, 65504.0, 2.0**-10, 2.0**-14, 2.0**-24),
            "bfloat16": (16, 2, (2 - 2.0**-7) * 2.0**127, 2.0**-7, 2.0**-126, 2.0**-133),
            "float32": (32, 6, (2 - 2.0**-23) * 2.0**127, 2.0**-23, 2.0**-126, 2.0**-149),
            "float64": (64, 15, sys.float_info.max, 2.0**-52, 2.0**-1022, 2.0**-1074),
        }
        for dtype in FLOATS:
            bits, precision, most, eps, tiny, subnormal = known[dtype.name]
            found = tenon.finfo(dtype)
            self.assertIs(found.dtype, dtype)
            self.assertEqual((found.bits, found.precision), (bits, precision))
            self.assertEqual((found.min, found.max, found.eps), (-most, most, eps))
            self.assertEqual((found.tiny, found.smallest_normal), (tiny, tiny))
            self.assertEqual(found.smallest_subnormal, subnormal)
            self.assertEqual(found.resolution, float(f"1e-{precision}"))
            self.assertIn(dtype.name, repr(found))

    def test_they_are_the_limits(self):
        for dtype in FLOATS:
            found = tenon.finfo(dtype)
            for number in (found.max, found.min, found.tiny, found.smallest_subnormal):
                self.assertEqual(tenon.tensor(number, dtype).item(), number)
            eps, least = found.eps, found.smallest_subnormal
            rounded = tenon.tensor([1 + eps, 1 + eps / 4, least / 4], dtype)
            self.assertEqual(rounded.tolist(), [1 + eps, 1.0, 0.0])

    def test_integers(self):
        known = {"uint8": (8, 0, 255)}
        for bits in (8, 16, 32, 64):
            known[f"int{bits}"] = (bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        for dtype in INTS:
            found = tenon.iinfo(dtype)
            self.assertIs(found.dtype, dtype)
            self.assertEqual((found.bits, found.min, found.max), known[dtype.name])
            self.assertIn(str(found.max), repr(found))

    def test_whatever_names_a_dtype(self):
        self.assertIs(tenon.finfo("bf16").dtype, tenon.bfloat16)
        self.assertIs(tenon.finfo(float).dtype, tenon.float32)
        self.assertIs(tenon.iinfo(int).dtype, tenon.int64)

    def test_wrong_kinds(self):
        for dtype in (*INTS, tenon.bool):
            self.assertRaisesRegex(ValueError, f"{dtype.name} is not a float", tenon.finfo, dtype)
        for dtype in (*FLOATS, tenon.bool):
            self.assertRaisesRegex(
                ValueError, f"{dtype.name} is not an integer", tenon.iinfo, dtype
            )
        for nothing in ("f31", None, 7):
            self.assertRaises((TypeError, ValueError, tenon.Error), tenon.finfo, nothing)


class Cloning(Case):
    def test_layouts(self):
        base = tenon.arange(start=0, stop=24, dtype="f32").reshape(4, 6)
        views = [base, base.T, base[:, 1:4], base[:, ::2], base[::-1], base.T[:, ::-1], base[2]]
        views += [base[1, 2], base[:0], base[0].expand(3, 6)]
        views += [base[:, :1].expand(4, 5)]
        for x in views:
            kept = x.clone(layout="preserve")
            self.assertEqual(kept.strides, x.strides)
            self.same(kept, x.tolist())
            self.assertNotEqual(kept.storage, x.storage)
            for plain in (x.clone(), x.clone(layout="row-major")):
                self.assertTrue(plain.is_contiguous)
                self.same(plain, x.tolist())

    def test_a_clone_is_apart(self):
        base = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        kept = base.T.clone(layout="preserve")
        base += 1
        kept *= 2
        self.same(base, [[2.0, 3.0], [4.0, 5.0]])
        self.same(kept, [[2.0, 6.0], [4.0, 8.0]])
        wide = base[0].expand(2, 2).clone(layout="preserve")
        self.refused(tenon.AliasError, lambda: wide.__iadd__(1), "overlaps itself")

    def test_gradients(self):
        for layout, strides in (("preserve", (1, 3)), ("row-major", (2, 1))):
            x = tenon.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
            kept = x.T.clone(layout=layout)
            self.assertEqual(kept.strides, strides)
            (kept * tenon.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
            self.same(x.grad, [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
            wide = x[0].expand(2, 3)
            self.refused(tenon.GradError, lambda: wide.clone(layout="preserve"), "shares memory")
            with tenon.no_grad:
                self.assertEqual(wide.clone(layout="preserve").strides, (0, 1))

    def test_other_layouts(self):
        x = tenon.tensor([1.0])
        self.assertRaisesRegex(ValueError, "'C' is neither", lambda: x.clone(layout="C"))
        self.assertRaises(TypeError, lambda: x.clone("preserve"))


class Operators(Case):
    def test_numbers_stand_on_either_side(self):
        x = tenon.tensor([1.0, 2.0, 4.0])
        self.same(x + 1, [2.0, 3.0, 5.0])
        self.same(1 - x, [0.0, -1.0, -3.0])
        self.same(2 * x * 2, [4.0, 8.0, 16.0])
        self.same(4 / x, [4.0, 2.0, 1.0])
        self.same(5 // x, [5.0, 2.0, 1.0])
        self.same(5 % x, [0.0, 1.0, 1.0])
        self.same(x**2, [1.0, 4.0, 16.0])
        self.same(2**x, [2.0, 4.0, 16.0])
        self.same(-x, [-1.0, -2.0, -4.0])
        self.same(abs(-x), [1.0, 2.0, 4.0])
        self.same(+x, [1.0, 2.0, 4.0])

    def test_integers_and_bits(self):
        x = tenon.tensor([6, 5])
        self.same(x & 3, [2, 1])
        self.same(1 | x, [7, 5])
        self.same(x ^ x, [0, 0])
        self.same(x << 1, [12, 10])
        self.same(x >> 1, [3, 2])
        self.same(~x, [-7, -6])
        self.same(~(x > 5), [False, True])

    def test_comparisons(self):
        x = tenon.tensor([1, 2, 3])
        self.same(x < 2, [True, False, False])
        self.same(x <= 2, [True, True, False])
        self.same(2 == x, [False, True, False])
        self.same(x != x, [False, False, False])
        self.same(2 < x, [False, False, True])
        self.same(x >= tenon.tensor([3, 2, 1]), [False, True, True])
        self.assertFalse(x == "x")
        self.assertTrue(x != None)  # noqa: E711 - this is what is tested

    def test_products(self):
        x = tenon.tensor([[1, 2], [3, 4]])
        self.same(x @ x, [[7, 10], [15, 22]])
        self.same(x @ tenon.tensor([1, 1]), [3, 7])

    def test_in_place_writes_into_the_tensor(self):
        x = tenon.tensor([6, 5])
        same, view = x, x[1:]
        x += 1
        x *= 2
        x -= 2
        x //= 3
        x %= 3
        self.assertIs(x, same)
        self.same(x, [1, 0])
        self.same(view, [0])
        x |= 6
        x &= 5
        x ^= 1
        x <<= 2
        x >>= 1
        self.same(x, [8, 10])
        y = tenon.tensor([2.0])
        y /= 4
        y **= 2
        self.same(y, [0.25])

    def test_other_things_are_refused(self):
        x = tenon.tensor([1.0])
        for call in (
            lambda: x + {1},
            lambda: "1" * x,
            lambda: x @ None,
            lambda: x < "1",
            lambda: pow(x, 2, 3),
        ):
            self.assertRaises(TypeError, call)
        self.refused(tenon.DtypeError, lambda: tenon.tensor([1]).__iadd__(1.5))
        self.same(x, [1.0])


class Sharing(Case):
    def test_buffer_protocol(self):
        x = tenon.tensor([[1, 2], [3, 4]], tenon.int16)
        with memoryview(x) as view:
            self.assertEqual((view.format, view.shape, view.strides), ("h", (2, 2), (4, 2)))
            view[1, 0] = 9
        self.same(x, [[1, 2], [9, 4]])
        with memoryview(x.T[::-1]) as view:
            self.assertEqual(view.tolist(), [[2, 4], [1, 9]])
        self.assertEqual(bytes(memoryview(tenon.tensor([]))), b"")

    def test_a_buffer_keeps_the_memory(self):
        view = memoryview(tenon.full([1000], 7))
        gc.collect()
        self.assertEqual(view[999], 7)
        view.release()

    def test_buffers_that_cannot_be_given(self):
        x = tenon.tensor([1.0], requires_grad=True)
        self.refused(BufferError, lambda: memoryview(x), "detach")
        self.refused(BufferError, lambda: memoryview(x.detach().astype("bfloat16")), "astype")
        turned = tenon.tensor([[1.0, 2.0], [3.0, 4.0]]).T
        self.refused(BufferError, lambda: array.array("b", [0]).frombytes(turned), "contiguous")
        self.assertTrue(memoryview(tenon.asarray(b"ab")).readonly)

    def test_copies_and_pickles(self):
        x = tenon.tensor([[1.0, 2.0]], requires_grad=True)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(x, protocol))
            self.same(again, [[1.0, 2.0]])
            self.assertTrue(again.requires_grad)
        for dtype in (*FLOATS, *INTS):
            values = tenon.tensor([[1, 2], [3, 4]], dtype).T
            again = pickle.loads(pickle.dumps(values))
            self.assertIs(again.dtype, dtype)
            self.same(again, [[1, 3], [2, 4]])
        deep = copy.deepcopy({"a": x, "b": x})
        self.assertIs(deep["a"], deep["b"])
        self.assertNotEqual(deep["a"].storage, x.storage)
        self.assertTrue(deep["a"].requires_grad)
        y = x.detach()
        self.assertEqual(copy.copy(y).storage, y.storage)
        self.assertNotEqual(y.clone().storage, y.storage)


if __name__ == "__main__":
    unittest.main()
