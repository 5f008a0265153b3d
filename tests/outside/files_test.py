# SPDX-License-Identifier: Apache-2.0
# tests/outside/files_test.py: files against NumPy and the safetensors package, in both directions.
"""Needs NumPy and safetensors."""

import pathlib
import sys
import tempfile
import unittest
from ctypes import byref, c_char_p, c_uint32, c_uint64, c_void_p

import tenon_ctypes as tenon

try:
    import numpy
    import safetensors
    import safetensors.numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

NAMES = {code: name for name, code in tenon.DTYPES.items()}


def arrays():
    """One array of each dtype and of several forms."""
    random = numpy.random.default_rng(9)
    made = {}
    for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32"):
        made[f"of {name}"] = (random.random((3, 2)) * 100).astype(name)
    made["float64/one"] = numpy.array(2.5)
    made["empty"] = numpy.zeros((0, 4), "float32")
    made["ä"] = random.random(5)
    return made


class Files(unittest.TestCase):
    def setUp(self):
        self.runtime = tenon.Runtime()
        self.addCleanup(self.runtime.close)
        self.runtime.library.tenon_archive_release.restype = None
        self.runtime.library.tenon_archive_release.argtypes = [c_void_p]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def load(self, path):
        """Names, arrays and metadata of a file, as Tenon reads it."""
        archive = c_void_p()
        text = str(path).encode()
        self.runtime.call(
            "tenon_archive_load", text, c_uint64(len(text)), None, c_uint64(0), c_uint32(0),
            byref(archive),
        )
        tensors, texts = c_uint32(), c_uint32()
        self.runtime.call("tenon_archive_get_count", archive, byref(tensors), byref(texts))
        found = {}
        for index in range(tensors.value):
            name, length = c_char_p(), c_uint64()
            self.runtime.call(
                "tenon_archive_get_entry", archive, c_uint32(index), byref(name), byref(length),
                None,
            )
            tensor = self.runtime.make(
                "tenon_tensor_create_loaded", archive, c_uint32(index), c_uint32(0)
            )
            dtype = numpy.dtype(NAMES[tensor.view().dtype])
            shape = tensor.shape()
            data = tensor.get_bytes(int(numpy.prod(shape)) * dtype.itemsize)
            found[name.value.decode()] = numpy.frombuffer(data, dtype).reshape(shape)
            tensor.release()
        metadata = {}
        for index in range(texts.value):
            key, value = c_char_p(), c_char_p()
            self.runtime.call(
                "tenon_archive_get_metadata", archive, c_uint32(index), byref(key), None,
                byref(value), None,
            )
            metadata[key.value.decode()] = value.value.decode()
        self.runtime.library.tenon_archive_release(archive)
        return found, metadata

    def save(self, path, content, metadata=()):
        archive = c_void_p()
        self.runtime.call("tenon_archive_create", byref(archive))
        for name, array in content.items():
            tensor = self.runtime.create(array)
            text = name.encode()
            self.runtime.call(
                "tenon_archive_set_tensor", archive, text, c_uint64(len(text)), tensor.handle
            )
            tensor.release()
        for key, value in dict(metadata).items():
            self.runtime.call(
                "tenon_archive_set_metadata", archive, key.encode(), c_uint64(len(key.encode())),
                value.encode(), c_uint64(len(value.encode())),
            )
        text = str(path).encode()
        self.runtime.call(
            "tenon_file_set", text, c_uint64(len(text)), None, c_uint64(0), archive
        )
        self.runtime.library.tenon_archive_release(archive)

    def expect_equal(self, found, expected):
        self.assertEqual(set(found), set(expected))
        for name, array in expected.items():
            self.assertEqual(found[name].dtype, array.dtype, name)
            self.assertEqual(found[name].shape, array.shape, name)
            self.assertEqual(found[name].tobytes(), array.tobytes(), name)

    def test_reads_what_safetensors_writes(self):
        path = self.folder / "a.safetensors"
        safetensors.numpy.save_file(arrays(), path, {"key": 'va"lue\n'})
        found, metadata = self.load(path)
        self.expect_equal(found, arrays())
        self.assertEqual(metadata, {"key": 'va"lue\n'})

    def test_safetensors_reads_what_tenon_writes(self):
        path = self.folder / "a.safetensors"
        self.save(path, arrays(), {"k\t": "v"})
        self.expect_equal(safetensors.numpy.load_file(path), arrays())
        with safetensors.safe_open(path, "numpy") as file:
            self.assertEqual(file.metadata(), {"k\t": "v"})

    def test_both_refuse_what_was_cut(self):
        path = self.folder / "a.safetensors"
        safetensors.numpy.save_file({"w": numpy.arange(3.0)}, path)
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            with self.assertRaises(safetensors.SafetensorError):
                safetensors.numpy.load_file(path)
            with self.assertRaises(tenon.TenonError):
                self.load(path)

    def test_npy_both_ways(self):
        for array in arrays().values():
            swapped = array.astype(array.dtype.newbyteorder(">"))
            for given in (array, numpy.asfortranarray(array), swapped):
                numpy.save(self.folder / "a.npy", given)
                found, _ = self.load(self.folder / "a.npy")
                self.expect_equal(found, {"data": given.astype(array.dtype)})
            self.save(self.folder / "b.npy", {"any": array})
            back = numpy.load(self.folder / "b.npy")
            self.expect_equal({"any": back}, {"any": array})

    def test_npz_both_ways(self):
        for write in (numpy.savez, numpy.savez_compressed):
            write(self.folder / "a.npz", **arrays())
            found, _ = self.load(self.folder / "a.npz")
            self.expect_equal(found, arrays())
        self.save(self.folder / "b.npz", arrays())
        with numpy.load(self.folder / "b.npz") as file:
            self.expect_equal(dict(file), arrays())
            self.assertIsNone(file.zip.testzip())


if __name__ == "__main__":
    unittest.main()
