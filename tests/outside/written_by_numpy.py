# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_by_numpy.py: npy and npz files as NumPy and SciPy write them, for
# written_files_test.py.

import io

import ml_dtypes
import numpy
import scipy.sparse
from written import Foreign

HELD = ["?", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8"]
NUMBERS_NOT_HELD = ["u2", "u4", "u8", "f16", "c8", "c16", "c32"]
# Bytes, texts, dates, spans of time, and bytes of no kind.
OTHERS = [
    "S1", "S7", "U1", "U5", "V3", "M8[ns]", "M8[D]", "M8[25s]", "M8", "m8[us]", "m8[W]", "m8",
]  # fmt: skip
RECORDS = {
    "plain": [("a", "<f4"), ("b", ">i2")],
    "text": [("name", "U8"), ("key", "S3"), ("when", "M8[s]")],
    "nested": [("at", [("x", "f8"), ("y", "f8")]), ("n", "u1")],
    "arrays": [("row", "f4", (2, 3)), ("one", "i8", (1,)), ("z", "c8")],
    "titles": [(("the first", "a"), "f4"), (("the second", "b"), "u2")],
    "quotes": [("it's", "f4"), ('say "a"', "f4"), ("back\\slash", "f4"), ("a b", "f4")],
    "unnamed": "f4,i8,S5",
    "latin": [("größe", "f4")],
    "greek": [("μέγεθος", "f8"), ("数", "i4")],
    "aligned": numpy.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True),
    "with gaps": numpy.dtype(
        {"names": ["a", "b"], "formats": ["i4", "f4"], "offsets": [4, 12], "itemsize": 24}
    ),
    "long": [(f"column_{i}", "f4") for i in range(300)],
}
SPARSE = ["csr", "csc", "bsr", "coo", "dia"]


def file_name(text):
    return text.replace("?", "b1").replace("[", "_").replace("]", "")


def write_arrays(make):
    """Every dtype by its layouts."""
    for code in HELD + NUMBERS_NOT_HELD + OTHERS:
        base = file_name(code)
        dtype = numpy.dtype(code)
        # Random bits are no characters, and NumPy itself may not save what begins as a sub-normal.
        table = texts(make, (4, 3), dtype) if dtype.kind == "U" else make.values(dtype, (4, 3))
        numpy.save(make(f"{base}_rows.npy"), table)
        numpy.save(make(f"{base}_columns.npy"), numpy.asfortranarray(table))
        numpy.save(make(f"{base}_0d.npy"), table[1, 2])
        if dtype.newbyteorder(">") != dtype:
            swapped = table.byteswap().view(dtype.newbyteorder(">"))
            numpy.save(make(f"{base}_big.npy"), swapped)
            numpy.save(make(f"{base}_big_columns.npy"), numpy.asfortranarray(swapped))


def texts(make, shape, dtype):
    points = make.random.integers(0x20, 0xD7FF, (*shape, dtype.itemsize // 4), "u4")
    return points.view(dtype).reshape(shape)


def write_shapes(make):
    values = make.values("f4", (6, 5, 4))
    numpy.save(make("sliced.npy"), values[1:5:2, :, ::3])
    numpy.save(make("reversed.npy"), values[::-1, ::-1])
    numpy.save(make("transposed.npy"), values.transpose(2, 0, 1))
    numpy.save(make("broadcast.npy"), numpy.broadcast_to(values[0], (3, 5, 4)))
    for shape in [(0,), (0, 4), (3, 0, 2), (1, 1, 1)]:
        base = "x".join(map(str, shape))
        numpy.save(make(f"of_{base}.npy"), numpy.zeros(shape, "f4"))
        numpy.save(make(f"of_{base}_columns.npy"), numpy.zeros(shape, "i2", "F"))
        numpy.save(make(f"of_{base}_c8.npy"), numpy.zeros(shape, "c8"))
    for rank in [8, 9, 16, 64]:
        shape = (2,) + (1,) * (rank - 2) + (3,)
        numpy.save(make(f"rank{rank}.npy"), make.values("f8", shape))
        numpy.save(make(f"rank{rank}_columns.npy"), numpy.asfortranarray(make.values("i4", shape)))
    numpy.save(make("large.npy"), make.values("u1", (300, 1001)))
    mapped = numpy.lib.format.open_memmap(make("mapped.npy"), "w+", "f4", (5, 6), True)
    mapped[:] = make.values("f4", (5, 6))
    mapped.flush()
    numpy.save(make("matrix.npy"), numpy.asmatrix(values[0]))
    for name in ["bfloat16", "float8_e4m3fn", "int4"]:
        numpy.save(make(f"ml_{name}.npy"), numpy.arange(6).astype(getattr(ml_dtypes, name)))
    # NumPy calls it '<f1' and does not read that.
    float8 = numpy.arange(6).astype(ml_dtypes.float8_e5m2)
    content = {"data": Foreign("'<f1'", (6,), float8.tobytes())}
    numpy.save(make("ml_float8_e5m2.npy", "no such dtype", content=content), float8)


def write_records(make):
    for name, dtype in RECORDS.items():
        dtype = numpy.dtype(dtype)
        array = numpy.zeros((2, 3), dtype)
        fill(make, array)
        base = "record_" + name.replace(" ", "_")
        numpy.save(make(f"{base}.npy"), array)
        numpy.save(make(f"{base}_columns.npy"), numpy.asfortranarray(array))
    numpy.save(make("record_array.npy"), numpy.zeros(2, RECORDS["plain"]).view(numpy.recarray))
    for name, content in {
        "objects": [1, "text", None],
        "objects_nested": [[1, 2], {"a": (3, 4)}],
    }.items():
        given = numpy.empty(len(content), object)
        given[:] = content
        numpy.save(make(f"{name}.npy", allow_pickle=True), given)
    record = numpy.array([(1.0, [2])], [("x", "f4"), ("y", "O")])
    numpy.save(make("record_with_object.npy", allow_pickle=True), record)
    strings = numpy.array(["a", "longer than fits"], numpy.dtypes.StringDType())
    numpy.save(make("strings.npy", allow_pickle=True), strings)


def fill(make, array):
    if array.dtype.names is None:
        array[...] = make.random.integers(0, 100, array.shape).astype(array.dtype.base)
        return
    for name in array.dtype.names:
        fill(make, array[name])


def write_versions(make):
    for version in [(1, 0), (2, 0), (3, 0)]:
        for code in ["f4", ">i8", "c8", "S3"]:
            name = f"version{version[0]}_{code.replace('>', 'big_')}.npy"
            with open(make(name), "wb") as file:
                numpy.lib.format.write_array(file, make.values(code, (3, 2)), version)
    long = numpy.zeros(2, [(f"a column with a long name, {i}", "f4") for i in range(2000)])
    numpy.save(make("header_of_70_kB.npy", "neither"), long)
    numpy.save(make("header_of_70_kB_trusted.npy", "long header", allow_pickle=True), long)
    with open(make("saved_twice.npy", "second array"), "wb") as file:
        numpy.save(file, make.values("f4", 3))
        numpy.save(file, make.values("f4", 3))


def contents(make):
    """{name: {key: array}} of archives."""
    held = {f"of_{file_name(code)}": make.values(code, (3, 4)) for code in HELD}
    foreign = {f"of_{file_name(code)}": make.values(code, 5) for code in NUMBERS_NOT_HELD}
    records = {name: numpy.zeros(2, dtype) for name, dtype in RECORDS.items()}
    odd = ["ä", "数", "a/b.weight", "a b", "x.npy", "x", "a\\b", "-", "0", "a'b\"c", "\n"]
    return {
        "held": held,
        "foreign": foreign,
        "mixed": held | {"text": numpy.array("csr"), "when": numpy.array(["2026-11-29"], "M8")},
        "records": records,
        "names": {name: make.values("f4", 2) for name in odd},
        "columns": {name: numpy.asfortranarray(each) for name, each in held.items()},
        "big": {name: each.astype(each.dtype.newbyteorder(">")) for name, each in held.items()},
        "empty": {"a": numpy.zeros((0, 3), "f4"), "b": numpy.zeros(0, "c8")},
        "nothing": {},
        "zeros": {"a": numpy.zeros((500, 500), "f4")},
        "many": {f"{i}": make.values("i2", 2) for i in range(300)},
        "rank9": {"a": numpy.zeros((1,) * 9), "b": numpy.zeros(3)},
    }


def write_archives(make):
    for name, arrays in contents(make).items():
        numpy.savez(make(f"{name}.npz"), **arrays)
        numpy.savez_compressed(make(f"{name}_compressed.npz"), **arrays)
    numpy.savez(make("by_number.npz"), make.values("f4", 3), make.values("c8", 2))
    objects = numpy.array([None, "a"], object)
    numpy.savez(make("objects.npz", allow_pickle=True), numpy.zeros(3), x=objects)
    with open(make("to_a_stream.npz"), "wb") as file:
        numpy.savez(Stream(file), a=make.values("f8", (9, 9)), b=make.values("u2", 4))
    with open(make("to_a_stream_compressed.npz"), "wb") as file:
        numpy.savez_compressed(Stream(file), a=numpy.zeros((99, 9)), b=make.values("u2", 4))


class Stream(io.RawIOBase):
    """What cannot seek, so sizes and sums stand after each member."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def write_numpy(make):
    write_arrays(make)
    write_shapes(make)
    write_records(make)
    write_versions(make)
    write_archives(make)


def write_scipy(make):
    table = make.random.random((6, 8)) * (make.random.random((6, 8)) < 0.4)
    kinds = {"matrix": "{}_matrix", "array": "{}_array"}
    for form in SPARSE:
        for kind, pattern in kinds.items():
            matrix = getattr(scipy.sparse, pattern.format(form))(table)
            scipy.sparse.save_npz(make(f"{form}_{kind}.npz"), matrix)
            scipy.sparse.save_npz(make(f"{form}_{kind}_stored.npz"), matrix, compressed=False)
    for code in ["?", "i1", "u2", "i4", "f4", "c8", "c16"]:
        matrix = scipy.sparse.csr_array((table * 9).astype(code))
        scipy.sparse.save_npz(make(f"csr_of_{file_name(code)}.npz"), matrix)
    scipy.sparse.save_npz(make("empty.npz"), scipy.sparse.csr_array((0, 5), dtype="f4"))
    blocks = scipy.sparse.bsr_array(table, blocksize=(2, 4))
    scipy.sparse.save_npz(make("blocks.npz"), blocks)
    scipy.sparse.save_npz(make("vector.npz"), scipy.sparse.coo_array(table[0]))
    cube = scipy.sparse.coo_array(table.reshape(2, 3, 8))
    scipy.sparse.save_npz(make("cube.npz"), cube)
