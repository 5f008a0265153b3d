# SPDX-License-Identifier: Apache-2.0
# tests/python/test_dlpack.py: memory shared through DLPack, with producers and consumers that are
# written here, of DLPack 1.0 and of before.
import ctypes
import gc
import os
import threading
import unittest

from support import Case, build_folder, run_python, tenon

SIM = build_folder() / "sim_plugins"
CODES = {"bool": 6, "uint8": 1, "bfloat16": 4} | dict.fromkeys("int8 int16 int32 int64".split(), 0)
CODES |= dict.fromkeys("float16 float32 float64".split(), 2)
READ_ONLY, COPIED = 1, 2


class Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    _fields_ = [("array", Array), ("owner", ctypes.c_void_p), ("deleter", DELETER)]
    name = b"dltensor"


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("owner", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("array", Array),
    ]
    name = b"dltensor_versioned"


capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = ctypes.c_void_p
get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
KEPT = {name: b"used_" + name for name in (Unversioned.name, Versioned.name)}


def peek(capsule, kind):
    """What lies in a capsule, which lives as long."""
    managed = kind.from_address(get_pointer(capsule, kind.name))
    managed.capsule = capsule
    return managed


class Consumer:
    """Takes a capsule as another library would; `end` gives it back."""

    def __init__(self, capsule, kind):
        self.address = get_pointer(capsule, kind.name)
        self.managed = kind.from_address(self.address)
        set_name(capsule, KEPT[kind.name])
        self.array = self.managed.array

    def floats(self):
        """The values of a contiguous float32 tensor."""
        count = 1
        for i in range(self.array.rank):
            count *= self.array.shape[i]
        return list((ctypes.c_float * count).from_address(self.array.data))

    def end(self):
        self.managed.deleter(self.address)


class Producer:
    """Three floats 1, 2, 3 in a [3] of another library; `deleted` counts its deleter's calls."""

    lent = []  # keeps those that somebody uses

    def __init__(self, kind, **changes):
        self.deleted = 0
        self.values = (ctypes.c_float * 4)(0.0, 1.0, 2.0, 3.0)
        self.shape = (ctypes.c_int64 * 9)(3, *[1] * 8)
        self.deleter = DELETER(self.delete)  # the struct has but its address
        self.managed = kind(deleter=self.deleter)
        if kind is Versioned:
            self.managed.major, self.managed.minor = 1, 1
        array = self.managed.array
        array.data, array.byte_offset = ctypes.addressof(self.values), 4
        array.device_type, array.rank, array.code, array.bits, array.lanes = 1, 1, 2, 32, 1
        array.shape = self.shape
        for name, value in changes.items():
            setattr(array if hasattr(array, name) else self.managed, name, value)
        self.capsule = capsule_new(ctypes.addressof(self.managed), kind.name, None)

    def delete(self, address):
        assert address == ctypes.addressof(self.managed)
        self.deleted += 1
        self.lent.remove(self)

    def __dlpack_device__(self):
        return self.managed.array.device_type, 0


class Old(Producer):
    """One that knows no versions."""

    def __init__(self, **changes):
        super().__init__(Unversioned, **changes)

    def __dlpack__(self):
        self.lent.append(self)
        return self.capsule


class New(Producer):
    def __init__(self, **changes):
        super().__init__(Versioned, **changes)
        self.asked = None

    def __dlpack__(self, **asked):
        self.asked = asked
        self.lent.append(self)
        return self.capsule


class Export(Case):
    def test_versions(self):
        x = tenon.full([2], 1.0)
        for asked in (None, (0, 8)):
            self.assertIn('"dltensor"', repr(x.__dlpack__(max_version=asked)))
        self.assertIn('"dltensor"', repr(x.__dlpack__()))
        for asked in ((1, 0), (1, 3), (2, 0)):
            capsule = x.__dlpack__(max_version=asked)
            self.assertIn('"dltensor_versioned"', repr(capsule))
            self.assertEqual(peek(capsule, Versioned).major, 1)

    def test_layouts(self):
        x = tenon.full([4, 6], 1.0)
        for view in (x, x.T, x[::-1, 1::2], x[1, 2], x[:, :0], x[0:0], x[None].expand(3, 4, 6)):
            for kind, asked in ((Unversioned, None), (Versioned, (1, 0))):
                array = peek(view.__dlpack__(max_version=asked), kind).array
                self.assertEqual(array.rank, view.ndim)
                self.assertEqual(tuple(array.shape[: view.ndim]), view.shape)
                self.assertEqual(tuple(array.strides[: view.ndim]), view.strides)
                self.assertEqual((array.device_type, array.device_id, array.lanes), (1, 0, 1))
                place = (array.data or 0) + array.byte_offset
                self.assertEqual(place, view.data_ptr if view.size else 0)

    def test_dtypes(self):
        for name, code in CODES.items():
            dtype = getattr(tenon, name)
            x = tenon.full([3], 1, dtype)
            array = peek(x.__dlpack__(), Unversioned).array
            self.assertEqual((array.code, array.bits), (code, 8 * dtype.itemsize), name)
            shared = tenon.from_dlpack(x)
            self.assertEqual((shared.dtype, shared.data_ptr), (dtype, x.data_ptr))

    def test_read_only(self):
        x = tenon.asarray(b"ab")
        self.refused(BufferError, x.__dlpack__, "read-only", "max_version=(1, 0)")
        self.assertEqual(peek(x.__dlpack__(max_version=(1, 0)), Versioned).flags, READ_ONLY)
        copied = x.__dlpack__(max_version=(1, 0), copy=True)
        self.assertEqual(peek(copied, Versioned).flags, COPIED)
        self.assertEqual(peek(x.__dlpack__(copy=True), Unversioned).array.rank, 1)
        self.assertTrue(tenon.from_dlpack(x).is_read_only)
        repeated = tenon.full([1, 3], 1.0).expand([2, 3])  # its strides say so to who asks of old
        self.assertEqual(peek(repeated.__dlpack__(max_version=(1, 0)), Versioned).flags, READ_ONLY)
        self.assertEqual(peek(repeated.__dlpack__(), Unversioned).array.strides[0], 0)
        self.refused(BufferError, repeated[:1].__dlpack__, "x.clone()")

    def test_copies(self):
        x = tenon.full([2], 1.0)
        for copied, shared in ((None, True), (False, True), (True, False)):
            array = peek(x.__dlpack__(copy=copied), Unversioned).array
            self.assertEqual(array.data == x.data_ptr, shared)
            made = tenon.from_dlpack(x, copy=copied)
            self.assertEqual(made.data_ptr == x.data_ptr, shared)

    def test_refusals(self):
        x = tenon.full([2], 1.0)
        self.refused(BufferError, lambda: x.__dlpack__(stream=1), "no streams", "found 1")
        x.__dlpack__(stream=None), x.__dlpack__(stream=-1)
        self.refused(BufferError, lambda: x.__dlpack__(dl_device=(2, 0)), "x.to(...)")
        self.assertEqual(x.__dlpack_device__(), (1, 0))
        x.__dlpack__(dl_device=(1, 0), copy=False)
        x.requires_grad = True
        self.refused(BufferError, x.__dlpack__, "detach")
        self.refused(BufferError, lambda: tenon.from_dlpack(x), "detach")

    @unittest.skipUnless((SIM / "tenon.sim/tenon.sim.so").exists(), "tenon.sim is not built")
    def test_other_devices(self):
        done = run_python(
            "import tenon\n"
            "x = tenon.full([2], 3.0, device='sim')\n"
            "def refused(call):\n"
            "    try: call()\n"
            "    except BufferError as error: print(error)\n"
            "refused(x.__dlpack_device__)\n"
            "refused(x.__dlpack__)\n"
            "refused(lambda: x.__dlpack__(dl_device=(1, 0), copy=False))\n"
            "class There:\n"
            "    def __dlpack__(self, **asked): return x.__dlpack__(**asked)\n"
            "    def __dlpack_device__(self): return 12, 0\n"
            "refused(lambda: tenon.from_dlpack(There()))\n"
            "print(tenon.from_dlpack(There(), device='cpu').tolist())\n",
            TENON_PLUGIN_PATH=str(SIM),
        )
        lends = "Tenon lends host memory: copy it there first, x.to('cpu')"
        where = "Tenon lends memory where it is, and copies it to host memory, dl_device=(1, 0), "
        where += "unless copy=False: use x.to(...) first"
        lines = [lends, lends, where, lends, "[3.0, 3.0]"]
        self.assertEqual((done.stdout.splitlines(), done.stderr), (lines, ""))


class Import(Case):
    def test_memory_is_shared_and_given_back_once(self):
        for kind in (Old, New):
            theirs = kind()
            shared = tenon.from_dlpack(theirs)
            self.same(shared, [1.0, 2.0, 3.0])
            theirs.values[2] = 20.0
            self.same(shared, [1.0, 20.0, 3.0])
            part = shared[1:]
            del shared
            gc.collect()
            self.assertEqual((theirs.deleted, part[0].item()), (0, 20.0))
            del part
            self.assertEqual(theirs.deleted, 1)
            del theirs.capsule
            gc.collect()
            self.assertEqual(theirs.deleted, 1)

    def test_what_is_asked_for(self):
        for copied in (None, True, False):
            theirs = New()
            tenon.from_dlpack(theirs, copy=copied)
            asked = {"max_version": (1, 0)} | ({"copy": False} if copied is False else {})
            self.assertEqual(theirs.asked, asked)
            tenon.from_dlpack(Old(), copy=False)
        theirs = Old()
        made = tenon.from_dlpack(theirs, copy=True)
        self.assertEqual(theirs.deleted, 1)
        self.same(made, [1.0, 2.0, 3.0])
        self.assertFalse(made.is_read_only)

    def test_who_may_write(self):
        for theirs, may in ((New(), True), (New(flags=READ_ONLY), False), (Old(), False)):
            shared = tenon.from_dlpack(theirs)
            self.assertEqual(shared.is_read_only, not may)
            if may:
                shared[1] = 20.0
            else:
                self.refused(tenon.AliasError, lambda x=shared: x.fill_(20.0), "x.clone()")
            self.assertEqual(theirs.values[2], 20.0 if may else 2.0)

    def test_a_copy_may_be_written(self):
        for theirs in (New(), New(flags=READ_ONLY), New(flags=READ_ONLY | COPIED), Old()):
            made = tenon.from_dlpack(theirs, copy=True)
            made.fill_(9.0)
            self.assertEqual((made.tolist(), theirs.values[2]), ([9.0] * 3, 2.0))

    def test_a_capsule_is_taken_once(self):
        for theirs in (Old(), New()):
            self.same(tenon.from_dlpack(theirs), [1.0, 2.0, 3.0])
            self.refused(TypeError, lambda t=theirs: tenon.from_dlpack(t), "not yet taken")
            self.assertEqual(theirs.deleted, 1)

        class Nothing:
            def __dlpack__(self, **asked):
                return asked

        self.refused(TypeError, lambda: tenon.from_dlpack(Nothing()), "a capsule", "dict")

    def test_what_is_refused_stays_theirs(self):
        for changes, kind in (
            ({"device_type": 2}, tenon.DeviceError),
            ({"lanes": 2}, tenon.DtypeError),
            ({"code": 5, "bits": 64}, tenon.DtypeError),
            ({"bits": 24}, tenon.DtypeError),
            ({"rank": 9}, tenon.ShapeError),
            ({"rank": -1}, tenon.ShapeError),
            ({"shape": None}, tenon.ArgumentError),
        ):
            for make in (Old, New):
                theirs = make(**changes)
                self.refused(kind, lambda t=theirs: tenon.from_dlpack(t))
                self.assertEqual(theirs.deleted, 0, changes)
                self.assertNotIn("used", repr(theirs.capsule))
        theirs = New(major=2)
        self.refused(tenon.UnsupportedError, lambda: tenon.from_dlpack(theirs), "2.1")
        self.assertEqual((theirs.deleted, "used" in repr(theirs.capsule)), (1, True))

    def test_errors_of_a_producer_are_its_own(self):
        class Broken:
            def __dlpack__(self, **asked):
                raise TypeError("broken") if asked else ValueError("broken twice")

        self.refused(ValueError, lambda: tenon.from_dlpack(Broken()), "broken twice")

    def test_with_itself(self):
        x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        shared = tenon.from_dlpack(x.T)
        self.assertEqual((shared.strides, shared.storage != x.storage), ((1, 2), True))
        shared += 1
        self.same(x, [[2.0, 3.0], [4.0, 5.0]])
        self.same(tenon.from_dlpack(x[::-1, ::-1]), [[5.0, 4.0], [3.0, 2.0]])
        self.same(tenon.from_dlpack(x[1, 1]), 5.0)
        self.assertEqual(tenon.from_dlpack(x[:, :0]).shape, (2, 0))


class Lifetimes(Case):
    def capsules(self, x):
        yield x.__dlpack__(), Unversioned
        yield x.__dlpack__(max_version=(1, 0)), Versioned

    def test_a_consumer_outlives_the_tensor(self):
        x = tenon.full([1000], 7.0)
        taken = [Consumer(capsule, kind) for capsule, kind in self.capsules(x)]
        address = x.data_ptr
        del x
        gc.collect()
        others = [tenon.full([1000], 1.0) for _ in range(8)]  # would take memory that is free
        self.assertNotIn(address, [each.data_ptr for each in others])
        for each in taken:
            self.assertEqual(each.floats(), [7.0] * 1000)
            each.end()

    def test_a_capsule_that_nobody_takes(self):
        x = tenon.full([1000], 7.0)
        kept = [capsule for capsule, _ in self.capsules(x)]
        del x
        self.assertEqual(peek(kept[0], Unversioned).array.rank, 1)
        del kept

    def test_deleters_run_in_any_thread(self):
        x = tenon.full([10], 7.0)
        taken = [Consumer(capsule, kind) for capsule, kind in self.capsules(x)]
        del x
        for each in taken:
            thread = threading.Thread(target=each.end)
            thread.start()
            thread.join()
        theirs = [Old(), New()]
        made = [tenon.from_dlpack(each) for each in theirs]
        thread = threading.Thread(target=made.clear)
        thread.start()
        thread.join()
        self.assertEqual([each.deleted for each in theirs], [1, 1])

    def test_many_threads(self):
        x, failures = tenon.full([100], 1.0), []

        def work():
            try:
                for _ in range(100):
                    for capsule, kind in self.capsules(x):
                        taken = Consumer(capsule, kind)
                        assert taken.floats()[99] == 1.0
                        taken.end()
                    assert tenon.from_dlpack(x)[99].item() == 1.0
                    theirs = Old()
                    assert tenon.from_dlpack(theirs).tolist() == [1.0, 2.0, 3.0]
                    assert theirs.deleted == 1
            except BaseException as error:
                failures.append(repr(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_fork(self):
        theirs = Old()
        shared = tenon.from_dlpack(theirs)
        x = tenon.full([10], 7.0)
        taken = Consumer(x.__dlpack__(), Unversioned)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                assert (shared + 1).tolist() == [2.0, 3.0, 4.0]
                del shared
                assert theirs.deleted == 1 and taken.floats() == [7.0] * 10
                taken.end()
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual((theirs.deleted, shared.tolist()), (0, [1.0, 2.0, 3.0]))
        taken.end()

    def test_exit_with_all_of_it_alive(self):
        done = run_python(
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import tenon\n"
            "from test_dlpack import Consumer, New, Old, Unversioned\n"
            "shared = [tenon.from_dlpack(each) for each in (Old(), New())]\n"
            "x = tenon.full([3], 1.0)\n"
            "kept = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))\n"
            "taken = Consumer(x.__dlpack__(), Unversioned)\n"
            "print(tenon.from_dlpack(x).tolist())\n",
            os.path.dirname(os.path.abspath(__file__)),
            ASAN_OPTIONS="detect_leaks=0",  # what was taken is never given back
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[1.0, 1.0, 1.0]\n", ""))


if __name__ == "__main__":
    unittest.main()
