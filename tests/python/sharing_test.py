# SPDX-License-Identifier: Apache-2.0
# tests/python/sharing_test.py: memory shared with NumPy and PyTorch, in both directions.
import copy
import gc
import unittest
import weakref

from support import Case, skip, tenon

try:
    import numpy as np
except ImportError:
    skip("NumPy is not installed")
try:
    import torch
except ImportError:
    torch = None

NAMES = "bool uint8 int8 int16 int32 int64 float16 float32 float64".split()


class Numpy(Case):
    def test_every_dtype_in_both_directions(self):
        for name in NAMES:
            array = np.array([[0, 1, 1], [1, 0, 1]], name)
            shared = tenon.asarray(array)
            self.assertEqual((shared.dtype.name, shared.shape), (name, (2, 3)))
            back = shared.numpy()
            self.assertEqual((back.dtype, back.ctypes.data), (array.dtype, array.ctypes.data))
            self.assertIs(tenon.tensor(array).dtype, shared.dtype)
            self.assertTrue((np.from_dlpack(shared) == array).all())
            self.assertEqual(tenon.from_dlpack(array).tolist(), array.tolist())

    def test_nothing_is_copied(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        for shared in (tenon.asarray(array), tenon.from_dlpack(array)):
            self.assertEqual(shared.data_ptr, array.ctypes.data)
            shared[0, 0] = 9.0
            self.assertEqual(array[0, 0], 9.0)
        made = tenon.full([2, 3], 1.0)
        for array in (made.numpy(), np.asarray(made), np.from_dlpack(made)):
            self.assertEqual(array.ctypes.data, made.data_ptr)
        made.numpy()[1, 2] = 5.0
        self.assertEqual(made[1, 2].item(), 5.0)

    def test_strides_are_kept(self):
        array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        for window in (array.T, array[:, ::-1], array[::-1, 1:, ::2], array[:, :0]):
            for shared in (tenon.asarray(window), tenon.from_dlpack(window), tenon.tensor(window)):
                self.assertEqual(shared.tolist(), window.tolist())
                self.assertEqual(shared.numpy().tolist(), window.tolist())
                if window.size:
                    self.assertEqual(np.from_dlpack(shared).tolist(), window.tolist())

    def test_read_only_stays_read_only(self):
        array = np.arange(3.0)
        array.flags.writeable = False
        for shared in (tenon.asarray(array), tenon.from_dlpack(array)):
            self.assertTrue(shared.is_read_only)
            self.refused(tenon.AliasError, lambda shared=shared: shared.__iadd__(1.0))
            self.assertFalse(shared.numpy().flags.writeable)
            self.assertFalse(np.from_dlpack(shared).flags.writeable)

    def test_either_side_keeps_the_memory(self):
        class Watched(np.ndarray):
            pass

        array = np.arange(1000.0).view(Watched)
        held = weakref.ref(array)
        for share in (tenon.asarray, tenon.from_dlpack):
            part = share(array)[500:]
            self.assertEqual(part[0].item(), 500.0)
            del part
        part = tenon.asarray(array)[500:]
        del array
        gc.collect()
        self.assertIsNotNone(held())
        self.assertEqual(part[0].item(), 500.0)
        del part
        gc.collect()
        self.assertIsNone(held())
        view = tenon.full([1000], 7.0).numpy()
        gc.collect()
        self.assertEqual(view[999], 7.0)
        del view

    def test_consumers_and_producers_of_before_dlpack_1(self):
        class Old:
            """Hands on an array as one did that knows no versions."""

            def __init__(self, array):
                self.array = array

            def __dlpack__(self):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        array = np.arange(24, dtype=np.float32).reshape(4, 6)
        for window in (array, array.T, array[::-1, ::2], array[1, 2:3].reshape(()), array[:0]):
            shared = tenon.from_dlpack(Old(window))
            self.assertEqual((shared.shape, shared.tolist()), (window.shape, window.tolist()))
            self.assertTrue(shared.is_read_only)  # as NumPy's would be: nobody says otherwise
            self.assertFalse(np.from_dlpack(Old(window)).flags.writeable)
            shared = tenon.asarray(window)
            back = np.from_dlpack(Old(shared))  # NumPy asks for a version first
            self.assertEqual((back.shape, back.tolist()), (window.shape, window.tolist()))
            if window.size:
                self.assertEqual(shared.data_ptr, window.ctypes.data)
                self.assertEqual(back.ctypes.data, window.ctypes.data)
        array.flags.writeable = False
        self.assertRaises(BufferError, lambda: tenon.from_dlpack(Old(array)))
        self.refused(BufferError, lambda: np.from_dlpack(Old(tenon.asarray(array))), "read-only")

    def test_copies_on_demand(self):
        array = np.arange(3.0)
        x = tenon.from_dlpack(array)
        for copied in (None, False):
            self.assertEqual(np.from_dlpack(x, copy=copied).ctypes.data, x.data_ptr)
            self.assertEqual(tenon.from_dlpack(array, copy=copied).data_ptr, array.ctypes.data)
        self.assertNotEqual(np.from_dlpack(x, copy=True).ctypes.data, x.data_ptr)
        self.assertNotEqual(tenon.from_dlpack(array, copy=True).data_ptr, array.ctypes.data)
        self.assertEqual(np.from_dlpack(x, device="cpu").ctypes.data, x.data_ptr)

    def test_arrays_as_samples(self):
        class Arrays:
            def __len__(self):
                return 5

            def __getitem__(self, number):
                return np.full((2, 3), number, np.float32)[:, ::-1], np.int64(number)

        x, y = next(iter(tenon.data.batches(Arrays(), 3)))
        self.assertEqual((x.shape, x.dtype.name, y.dtype.name), ((3, 2, 3), "float32", "int64"))
        self.assertEqual((x[2].tolist(), y.tolist()), ([[2.0] * 3] * 2, [0, 1, 2]))

    def test_numpy_leaves_operators_to_us(self):
        x = tenon.tensor([1.0, 2.0])
        self.same(np.float32(2) * x, [2.0, 4.0])
        self.same(x + np.int64(1), [2.0, 3.0])
        self.same(tenon.tensor([True]) & np.bool_(True), [True])
        for found in (np.ones(2) + x, x + np.ones(2)):
            self.same(found, [2.0, 3.0])
            self.assertIs(found.dtype, tenon.float64)
        self.same(tenon.matmul(np.eye(2, dtype=np.float32), x), [1.0, 2.0])
        self.same(x * [3.0, 4.0], [3.0, 8.0])
        self.assertRaises(TypeError, lambda: x + {1.0})
        self.assertRaises(TypeError, lambda: x + np.array(["a"]))
        self.assertEqual(np.asarray(x, np.int64).tolist(), [1, 2])
        self.assertEqual(np.array(x).tolist(), [1.0, 2.0])
        self.assertIs(tenon.cast(x, dtype=np.float64).dtype, tenon.float64)
        self.assertIs(tenon.cast(x, dtype=np.dtype("int8")).dtype, tenon.int8)

    def test_what_numpy_cannot_share(self):
        self.refused(TypeError, lambda: tenon.tensor(np.array([1j])), "another format")
        self.refused(TypeError, lambda: tenon.tensor(np.array(["a"])), "format")
        self.refused(TypeError, lambda: tenon.asarray(np.arange(2, dtype=">i4")), "format")
        uneven = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])["b"]
        self.refused(ValueError, lambda: tenon.asarray(uneven), "whole elements")
        self.same(tenon.tensor(uneven), [0.0, 0.0, 0.0])
        x = tenon.tensor([1.0], requires_grad=True)
        self.refused(BufferError, x.numpy, "detach")
        self.same(copy.deepcopy(x), [1.0])


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Torch(Case):
    def test_nothing_is_copied(self):
        theirs = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        shared = tenon.from_dlpack(theirs.T)
        self.assertEqual((shared.shape, shared.strides), ((3, 2), (1, 3)))
        shared[2, 1] = 50.0
        self.assertEqual(theirs[1, 2].item(), 50.0)
        made = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        back = torch.from_dlpack(made.T)
        back[0, 1] = 30.0
        self.same(made, [[1.0, 2.0], [30.0, 4.0]])
        self.assertEqual(back.stride(), (1, 2))

    def test_dtypes(self):
        for name in (*NAMES, "bfloat16"):
            theirs = torch.tensor([[0, 1], [1, 1]], dtype=getattr(torch, name))
            shared = tenon.from_dlpack(theirs)
            self.assertEqual(shared.dtype.name, name)
            back = torch.from_dlpack(shared)
            self.assertEqual((back.dtype, back.data_ptr()), (theirs.dtype, theirs.data_ptr()))
            self.assertEqual(tenon.tensor(theirs).tolist(), theirs.tolist())

    def test_layouts(self):
        x = tenon.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        for view in (x, x.T, x[:, ::2], x[1, 2], x[:0], x[:, :0], x[None].expand(2, 2, 3)):
            capsule = view.__dlpack__()
            for back in (torch.from_dlpack(view), torch.utils.dlpack.from_dlpack(capsule)):
                self.assertEqual((tuple(back.shape), back.tolist()), (view.shape, view.tolist()))
                if view.size:
                    self.assertEqual(back.data_ptr(), view.data_ptr)
                    self.assertEqual(back.stride(), view.strides)
            theirs = back.clone().T if back.ndim == 2 else back
            self.assertEqual(tenon.from_dlpack(theirs).tolist(), theirs.tolist())
            capsule = torch.utils.dlpack.to_dlpack(theirs)  # of before DLPack 1.0
            old = type("Old", (), {"__dlpack__": lambda self, capsule=capsule: capsule})()
            self.assertEqual(tenon.from_dlpack(old).tolist(), theirs.tolist())
        turned = x[::-1].clone()  # PyTorch has no negative strides
        self.assertEqual(torch.from_dlpack(turned).tolist(), x[::-1].tolist())

    def test_a_pending_negation(self):
        theirs = torch._neg_view(torch.tensor([1.0, 2.0]))
        for share in (tenon.tensor, tenon.asarray, tenon.from_dlpack):
            self.same(share(theirs), [-1.0, -2.0])
        shared = tenon.from_dlpack(theirs)
        self.refused(tenon.AliasError, lambda: shared.fill_(0.0), "x.clone()")
        self.assertFalse(tenon.from_dlpack(theirs, copy=True).is_read_only)
        words = "from_dlpack: x", "negation is pending", "x.resolve_neg()"
        for share in (tenon.asarray, tenon.from_dlpack):
            self.refused(tenon.ArgumentError, lambda f=share: f(theirs, copy=False), *words)
        self.same(tenon.tensor([1.0, 1.0]) + theirs, [0.0, -1.0])

    def test_a_data_set_of_theirs(self):
        theirs = torch.utils.data.TensorDataset(torch.arange(12.0).reshape(4, 3), torch.arange(4))
        for workers in (0, 2):
            with tenon.data.batches(theirs, 2, workers=workers) as batches:
                x, y = next(iter(batches))
            self.assertEqual((x.tolist(), y.tolist()), ([[0, 1, 2], [3, 4, 5]], [0, 1]))

    def test_gradients_stay_behind(self):
        theirs = torch.ones(2, requires_grad=True)
        self.assertRaises(Exception, lambda: tenon.from_dlpack(theirs))
        x = tenon.full([2], 1.0)
        x.requires_grad = True
        self.assertRaises(BufferError, lambda: torch.from_dlpack(x))
        self.assertEqual(torch.from_dlpack(x.detach()).tolist(), [1.0, 1.0])

    def test_either_side_keeps_the_memory(self):
        view = torch.from_dlpack(tenon.full([1000], 7.0))
        gc.collect()
        self.assertEqual(view[999].item(), 7.0)
        del view
        shared = tenon.from_dlpack(torch.full((1000,), 8.0))
        gc.collect()
        self.assertEqual(shared[999].item(), 8.0)


if __name__ == "__main__":
    unittest.main()
