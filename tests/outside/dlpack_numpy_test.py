# SPDX-License-Identifier: Apache-2.0
# tests/outside/dlpack_numpy_test.py: DLPack against NumPy: both directions without copying,
# strides, read-only memory, and who keeps what alive.
"""Needs NumPy 2.1 or newer, which speaks DLPack 1.0."""

import contextlib
import ctypes
import gc
import sys
import threading
import unittest
import weakref
from ctypes import byref, c_char_p, c_uint32, c_void_p, py_object, pythonapi

import tenon_ctypes as tenon

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < (2, 1):
    print(f"skipped: NumPy {numpy.__version__} does not speak DLPack 1.0")
    sys.exit(77)

# PyCapsule keeps the address of its name: these objects live as long as the process.
FRESH, USED = b"dltensor_versioned", b"used_dltensor_versioned"

pythonapi.PyCapsule_New.restype = py_object
pythonapi.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
pythonapi.PyCapsule_GetPointer.restype = c_void_p
pythonapi.PyCapsule_GetPointer.argtypes = [py_object, c_char_p]
pythonapi.PyCapsule_SetName.argtypes = [py_object, c_char_p]
# For the destructor, whose capsule is dying and must not be counted: plain addresses.
capsule_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(
    ("PyCapsule_IsValid", pythonapi)
)
capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(
    ("PyCapsule_GetPointer", pythonapi)
)


class Managed(ctypes.Structure):
    """DLManagedTensorVersioned up to its flags."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager", c_void_p),
        ("deleter", tenon.DELETER),
        ("flags", ctypes.c_uint64),
    ]


@ctypes.PYFUNCTYPE(None, c_void_p)
def delete_unused(capsule):
    if capsule_is_valid(capsule, FRESH):
        address = capsule_pointer(capsule, FRESH)
        Managed.from_address(address).deleter(address)


class Exporter:
    """What numpy.from_dlpack asks for, around a tensor of ours."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert stream is None and max_version >= (1, 0)
        managed = c_void_p()
        self.tensor.owner.call("tenon_tensor_get_dlpack", self.tensor.handle, byref(managed))
        destructor = ctypes.cast(delete_unused, c_void_p)
        return pythonapi.PyCapsule_New(managed, FRESH, destructor)


def to_numpy(tensor):
    return numpy.from_dlpack(Exporter(tensor))


def to_tenon(runtime, array):
    capsule = array.__dlpack__(max_version=(1, 0))
    managed = pythonapi.PyCapsule_GetPointer(capsule, FRESH)
    try:
        tensor = runtime.make("tenon_tensor_create_dlpack", c_void_p(managed))
    except tenon.TenonError as error:
        if error.status == tenon.E_UNSUPPORTED:
            pythonapi.PyCapsule_SetName(capsule, USED)
        raise
    pythonapi.PyCapsule_SetName(capsule, USED)
    return tensor


def address_of(array):
    return array.__array_interface__["data"][0]


def element_strides(array):
    return tuple(stride // array.itemsize for stride in array.strides)


def sample(dtype, shape=(4, 5)):
    return (numpy.arange(numpy.prod(shape)) % 7).reshape(shape).astype(dtype)


class WithRuntime(unittest.TestCase):
    def setUp(self):
        self.tenon = tenon.Runtime()
        # Whatever opens lazily is open before anything is counted.
        self.tenon.create(numpy.zeros(1)).release()
        self.start = self.tenon.live()

    def tearDown(self):
        gc.collect()
        if self.tenon.context:
            self.assertEqual(self.tenon.live(), self.start, "something is still held")
            self.tenon.close()

    @contextlib.contextmanager
    def refused(self, status):
        with self.assertRaises(tenon.TenonError) as caught:
            yield caught
        self.assertEqual(caught.exception.status, status)

    def assert_same_window(self, tensor, array):
        view = tensor.view()
        self.assertEqual(view.data, address_of(array))
        self.assertEqual(view.dtype, tenon.DTYPES[array.dtype.name])
        self.assertEqual(tensor.shape(), array.shape)
        self.assertEqual(tensor.strides(), element_strides(array))
        self.assertEqual(tensor.get_bytes(array.nbytes), array.tobytes())


class FromNumpy(WithRuntime):
    def test_every_dtype_is_shared(self):
        for dtype in tenon.DTYPES:
            with self.subTest(dtype):
                array = sample(dtype)
                tensor = to_tenon(self.tenon, array)
                self.assert_same_window(tensor, array)
                array[0, 0] = 1
                self.assertEqual(tensor.get_bytes(array.nbytes), array.tobytes())
                tensor.set_bytes(bytes(array.nbytes))
                self.assertFalse(array.any())
                self.assertEqual(tensor.view().flags & tenon.READ_ONLY, 0)
                tensor.release()

    def test_strides_of_any_kind(self):
        base = sample("float32", (6, 8))
        cube = sample("int16", (3, 4, 5))
        windows = {
            "transposed": base.T,
            "gaps": base[::2, 1::3],
            "offset": base[2:5, 3:7],
            "backwards": base[::-1],
            "backwards both, gaps": base[::-2, ::-3],
            "permuted": cube.transpose(2, 0, 1),
            "diagonal": numpy.lib.stride_tricks.as_strided(base, (6,), (36,)),
            "sliding": numpy.lib.stride_tricks.sliding_window_view(base[0], 3),
            "one": base[3, 3:4],
            "scalar": base[3:4, 3].reshape(()),
        }
        for name, array in windows.items():
            with self.subTest(name):
                tensor = to_tenon(self.tenon, array)
                self.assert_same_window(tensor, array)
                tensor.release()

    def test_writes_go_through_negative_strides(self):
        base = numpy.zeros((3, 4), "float64")
        tensor = to_tenon(self.tenon, base[::-1, ::2])
        tensor.set_bytes(numpy.arange(1.0, 7.0).tobytes())
        expected = [[5, 0, 6, 0], [3, 0, 4, 0], [1, 0, 2, 0]]
        self.assertEqual(base.tolist(), expected)
        tensor.release()

    def test_read_only_is_honoured(self):
        fixed = sample("float32")
        fixed.flags.writeable = False
        for array in (fixed, numpy.broadcast_to(numpy.float32(3), (2, 3))):
            tensor = to_tenon(self.tenon, array)
            self.assertEqual(tensor.view().flags & tenon.READ_ONLY, tenon.READ_ONLY)
            with self.refused(tenon.E_ALIAS):
                tensor.set_bytes(bytes(array.nbytes))
            again = to_numpy(tensor)
            self.assertFalse(again.flags.writeable)
            self.assertTrue((again == array).all())
            del again
            tensor.release()

    def test_empty_arrays(self):
        for shape in ((0,), (3, 0, 2)):
            tensor = to_tenon(self.tenon, numpy.zeros(shape, "int32"))
            self.assertEqual(tensor.shape(), shape)
            tensor.release()

    def test_tensor_keeps_the_array_alive(self):
        array = sample("int64")
        expected = array.tobytes()
        gone = weakref.ref(array)
        tensor = to_tenon(self.tenon, array)
        del array
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(tensor.get_bytes(len(expected)), expected)
        alias = self.tenon.make("tenon_tensor_create_detached", tensor.handle)
        tensor.release()
        self.assertIsNotNone(gone())
        alias.release()
        self.assertIsNone(gone())

    def test_array_is_given_back_after_the_runtime_closed(self):
        array = sample("int64")
        gone = weakref.ref(array)
        tensor = to_tenon(self.tenon, array)
        del array
        self.tenon.close()
        self.assertIsNotNone(gone())
        tensor.release()
        self.assertIsNone(gone())

    def test_array_is_given_back_on_another_thread(self):
        array = sample("int64")
        gone = weakref.ref(array)
        tensor = to_tenon(self.tenon, array)
        del array
        thread = threading.Thread(target=tensor.release)
        thread.start()
        thread.join()
        self.assertIsNone(gone())

    def test_refused_arrays_are_not_held(self):
        refused = {
            tenon.E_DTYPE: numpy.zeros(3, "complex64"),
            tenon.E_SHAPE: numpy.zeros((1,) * 9, "float32"),
        }
        for status, array in refused.items():
            before = sys.getrefcount(array)
            with self.refused(status):
                to_tenon(self.tenon, array)
            gc.collect()
            self.assertEqual(sys.getrefcount(array), before)

    def test_another_major_version_is_deleted(self):
        array = sample("float32")
        before = sys.getrefcount(array)
        capsule = array.__dlpack__(max_version=(1, 0))
        address = pythonapi.PyCapsule_GetPointer(capsule, FRESH)
        Managed.from_address(address).major = 2
        with self.refused(tenon.E_UNSUPPORTED):
            self.tenon.make("tenon_tensor_create_dlpack", c_void_p(address))
        pythonapi.PyCapsule_SetName(capsule, USED)
        del capsule
        self.assertEqual(sys.getrefcount(array), before)


class ToNumpy(WithRuntime):
    def test_every_dtype_is_shared(self):
        for dtype in tenon.DTYPES:
            with self.subTest(dtype):
                source = sample(dtype)
                tensor = self.tenon.create(source)
                array = to_numpy(tensor)
                self.assert_same_window(tensor, array)
                self.assertTrue((array == source).all())
                self.assertTrue(array.flags.writeable)
                array[1, 2] = 1
                self.assertEqual(tensor.get_bytes(array.nbytes), array.tobytes())
                del array
                tensor.release()

    def test_strided_windows(self):
        tensor = self.tenon.create(sample("float32", (6, 8)))
        for shape, strides, offset in (
            ((8, 6), (1, 8), 0),
            ((3, 2), (16, -3), 7),
            ((2, 6), (0, -8), 40),
            ((), (), 13),
            ((0, 3), (3, 1), 0),
        ):
            with self.subTest(strides):
                window = tensor.window(shape, strides, offset)
                array = to_numpy(window)
                self.assertEqual(array.shape, shape)
                if array.size:
                    self.assert_same_window(window, array)
                del array
                window.release()
        tensor.release()

    def test_array_keeps_the_tensors_memory(self):
        source = sample("float64")
        tensor = self.tenon.create(source)
        array = to_numpy(tensor)
        again = array[1:]
        tensor.release()
        self.assertEqual(self.tenon.live()[:2], (self.start[0], self.start[1] + 1))
        del array
        self.assertTrue((again == source[1:]).all())
        del again
        self.assertEqual(self.tenon.live(), self.start)

    def test_array_outlives_the_runtime(self):
        deleted = []
        deleter = tenon.DELETER(lambda user: deleted.append(threading.get_ident()))
        memory = sample("float32")
        tensor = self.tenon.make(
            "tenon_tensor_create_external",
            c_uint32(tenon.DTYPES["float32"]),
            ctypes.c_int32(2),
            tenon.int64s(memory.shape),
            None,
            c_void_p(address_of(memory)),
            c_uint32(0),
            deleter,
            None,
        )
        array = to_numpy(tensor)
        tensor.release()
        self.tenon.close()
        self.assertEqual(address_of(array), address_of(memory))
        self.assertTrue((array == memory).all())
        self.assertEqual(deleted, [])
        holder = [array]
        del array
        thread = threading.Thread(target=holder.clear)
        thread.start()
        thread.join()
        self.assertEqual(len(deleted), 1)
        self.assertNotEqual(deleted[0], threading.get_ident())

    def test_capsule_that_nobody_takes_is_deleted(self):
        tensor = self.tenon.create(sample("float32"))
        capsule = Exporter(tensor).__dlpack__(max_version=(1, 0))
        tensor.release()
        self.assertEqual(self.tenon.live()[1], self.start[1] + 1)
        del capsule
        self.assertEqual(self.tenon.live(), self.start)

    def test_tensors_that_require_grad_are_refused(self):
        tensor = self.tenon.create(sample("float32"))
        self.tenon.call("tenon_tensor_set_requires_grad", tensor.handle, c_uint32(1))
        with self.refused(tenon.E_GRAD) as caught:
            to_numpy(tensor)
        self.assertIn("detach", caught.exception.hint)
        detached = self.tenon.make("tenon_tensor_create_detached", tensor.handle)
        self.assertEqual(address_of(to_numpy(detached)), tensor.view().data)
        detached.release()
        tensor.release()


class ThereAndBack(WithRuntime):
    def test_the_address_stays(self):
        array = sample("float32", (6, 8))[::-2, 1::3]
        tensor = to_tenon(self.tenon, array)
        back = to_numpy(tensor)
        tensor.release()
        self.assertEqual(address_of(back), address_of(array))
        self.assertEqual(back.strides, array.strides)
        self.assertTrue((back == array).all())

    def test_thousands_of_exchanges_hold_nothing(self):
        array = sample("float32")
        before = sys.getrefcount(array)
        for _ in range(2000):
            tensor = to_tenon(self.tenon, array)
            back = to_numpy(tensor)
            tensor.release()
            del back
        self.assertEqual(sys.getrefcount(array), before)
        self.assertEqual(self.tenon.live(), self.start)


if __name__ == "__main__":
    unittest.main()
