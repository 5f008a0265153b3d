# SPDX-License-Identifier: Apache-2.0
# tests/outside/written.py: what a file holds as its reference reads it and as Tenon does, and how
# the two are compared, for written_files_test.py.
"""A file's content is {name: Held, Foreign or Refused}. An entry that Tenon can hold is compared by
dtype, shape and bits, with NaNs and all; any other by its dtype, shape and raw bytes."""

import ast
import functools
import os
import pathlib
import pickle
import re
import sys
import warnings
from typing import Any, NamedTuple

import numpy
import numpy.lib.recfunctions
import pandas
import safetensors
import torch

sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon  # noqa: E402

EQUAL, NEITHER = "equal", "neither"
MAX_RANK = 8
HELD = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"}
# Of safetensors: the name that Tenon gives the dtype.
SAFETENSORS = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
}  # fmt: skip


class Held(NamedTuple):
    dtype: str
    shape: tuple
    data: bytes  # row-major, little-endian


class Foreign(NamedTuple):
    dtype: Any  # a numpy.dtype, or words
    shape: tuple
    data: Any  # bytes, as they lie in the file; of objects those objects


class Refused(NamedTuple):
    words: str


class File(NamedTuple):
    writer: str
    path: pathlib.Path
    expected: str  # EQUAL, NEITHER, or a name of written_rules.RULES
    options: dict
    content: Any = None  # what Tenon alone reads, or the path of an equal file

    @property
    def format(self):
        return next(each for each in REFERENCES if f".{each}" in self.path.suffixes)

    @property
    def words(self):
        return f"{self.writer}: {self.path.name}"


class Maker:
    """Names the files of one writer, in a folder of their own."""

    def __init__(self, writer, folder):
        self.writer, self.folder, self.files = writer, folder / writer.replace(" ", "_"), []
        self.folder.mkdir()
        self.random = numpy.random.default_rng(20261129)

    def __call__(self, name, expected=EQUAL, *, content=None, **options):
        """The path to write. `options` are for the readers."""
        path = self.folder / name
        if any(each.path == path for each in self.files):
            raise ValueError(f"{path} is named twice")
        self.files.append(File(self.writer, path, expected, options, content))
        return path

    def values(self, dtype, shape):
        """Random bits, so floats have NaNs of every kind; of bool true and false."""
        dtype = numpy.dtype(dtype)
        count = int(numpy.prod(shape, dtype=int))
        if dtype.kind == "b":
            return self.random.integers(0, 2, shape).astype(bool)
        return numpy.frombuffer(self.random.bytes(count * dtype.itemsize), dtype).reshape(shape)


# ---- As the reference reads it ------------------------------------------------------------------


def entry_of_array(array):
    dtype = array.dtype
    if dtype.hasobject:
        return Foreign(
            numpy.dtype(object) if array.dtype.names is None else dtype, array.shape, array
        )
    if dtype.newbyteorder("=").name in HELD and array.ndim <= MAX_RANK:
        swap = not dtype.isnative
        native = array.byteswap().view(dtype.newbyteorder("=")) if swap else array
        return Held(native.dtype.name, array.shape, native.tobytes())
    return Foreign(dtype, array.shape, array.tobytes("F" if array.flags.fnc else "C"))


def entry_of_member(file, member):
    try:
        found = file[member]
    except Exception as error:
        return Refused(f"{type(error).__name__}: {error}")
    if isinstance(found, bytes):
        folder = member.endswith("/")
        return Foreign("a folder" if folder else "a file that is not an array", (), found)
    return entry_of_array(found)


def numpy_array(path, allow_pickle=False):
    return {"data": entry_of_array(numpy.load(path, allow_pickle=allow_pickle))}


def numpy_archive(path, allow_pickle=False, begins_otherwise=False):
    """Of two members that differ in ".npy" alone the longer one has all of its name. `load` looks
    at the first bytes and leaves the rest to NpzFile, which passes over what stands before."""
    found = {}
    load = numpy.lib.npyio.NpzFile if begins_otherwise else numpy.load
    with load(path, allow_pickle=allow_pickle) as file:
        members = file.zip.namelist()
        others = {member for member in members if not member.endswith(".npy")}
        for member in members:
            name = member.removesuffix(".npy")
            shared = name != member and (name in others or name in found)
            found[member if shared else name] = entry_of_member(file, member)
    return found


def of_safetensors(path):
    """By the functions that know every dtype; `safe_open` must list the same."""
    found = {}
    for name, parts in safetensors.deserialize(path.read_bytes()):
        dtype, shape, data = parts["dtype"], tuple(parts["shape"]), bytes(parts["data"])
        held = dtype in SAFETENSORS and len(shape) <= MAX_RANK
        found[name] = Held(SAFETENSORS[dtype], shape, data) if held else Foreign(dtype, shape, data)
    with safetensors.safe_open(path, "np") as file:
        if sorted(file.keys()) != sorted(found):
            raise AssertionError(f"safetensors contradicts itself: {file.keys()}")
        texts = file.metadata() or {}
    return found | {("metadata", key): Foreign("metadata", (), text) for key, text in texts.items()}


def of_table(path, label=None, target=None, header=True, delimiter=",", reader=None):
    """pandas' numbers, rounded to float32; whole numbers of a label stay what they are."""
    read = functools.partial(
        pandas.read_csv, path, sep=delimiter, float_precision="round_trip",
        **({"header": 0 if header else None, "index_col": False} | (reader or {})),
    )  # fmt: skip
    frame = read()
    names = list(frame.columns)
    asked = {"label": label, "target": target}
    places = {field: place_of(names, each) for field, each in asked.items() if each is not None}
    plain = [name for i, name in enumerate(names) if i != places.get("label")]
    others = [str(name) for name in plain if len(frame) and frame[name].dtype.kind not in "iuf"]
    if others:
        return {"features": Foreign(f"no numbers in {others}", frame.shape, b"")}
    # All as floats, since among whole numbers -0 is 0.
    frame_of_floats = read(dtype=dict.fromkeys(plain, "float64"))
    rest = [i for i in range(len(names)) if i not in places.values()]
    found = {"features": rounded(frame_of_floats.iloc[:, rest])}
    if label is not None:
        found["label"] = whole_numbers(frame.iloc[:, places["label"]])
    if target is not None:
        found["target"] = rounded(frame_of_floats.iloc[:, places["target"]])
    return {name: entry_of_array(array) for name, array in found.items()}


def place_of(names, column):
    return names.index(column) if column in names else int(column) % len(names)


def rounded(numbers):
    with numpy.errstate(over="ignore"):
        return numpy.ascontiguousarray(numbers.to_numpy("float64").astype("float32"))


def whole_numbers(column):
    found = column.to_numpy()
    if found.dtype != "int64" and not (found == numpy.trunc(found)).all():
        raise ValueError("a label is not a whole number")
    return found.astype("int64")


REFERENCES = {
    "npy": numpy_array,
    "npz": numpy_archive,
    "safetensors": of_safetensors,
    "csv": of_table,
}


# ---- As Tenon reads it --------------------------------------------------------------------------


def held_by_tenon(tensor):
    shape, name = tuple(tensor.shape), tensor.dtype.name
    if name == "bfloat16":  # which NumPy has not
        return Held(name, shape, torch.from_dlpack(tensor).view(torch.int16).numpy().tobytes())
    return Held(name, shape, tensor.numpy().tobytes())


def foreign_in_tenon(foreign):
    try:
        data = foreign.bytes().numpy().tobytes()
    except tenon.Error as error:
        return Refused(str(error))
    return Foreign(foreign.dtype, foreign.shape, data)


def archive_in_tenon(path, allow_pickle=False, begins_otherwise=False):
    tensors, texts = tenon.load(path, metadata=True)
    found = {
        name: (foreign_in_tenon if isinstance(each, tenon.ForeignTensor) else held_by_tenon)(each)
        for name, each in tensors.items()
    }
    return found | {("metadata", key): Foreign("metadata", (), text) for key, text in texts.items()}


def table_in_tenon(path, reader=None, **options):
    table = tenon.data.csv(path=str(path), **options)
    names = [name for name, _, _ in table.fields]
    fields = table.take(range(len(table)))
    return {name: held_by_tenon(each) for name, each in zip(names, fields, strict=True)}


# ---- Comparing ----------------------------------------------------------------------------------


def is_tensor(name):
    return isinstance(name, str)


def difference(reference, found, passed_over=""):
    """In words; empty if there is none. Entries that Tenon refuses in the words `passed_over` are
    not compared, and there must be one."""
    if missing := [name for name in reference if name not in found]:
        return f"Tenon lacks {missing[:5]}"
    if more := [name for name in found if name not in reference]:
        return f"only Tenon has {more[:5]}"
    passed = 0
    for name, wanted in reference.items():
        if passed_over and isinstance(found[name], Refused) and passed_over in found[name].words:
            passed += 1
        elif words := difference_of_entries(wanted, found[name]):
            return f"{name!r}: {words}"
    return "" if passed or not passed_over else f"no entry is refused in the words {passed_over!r}"


def difference_of_entries(wanted, found):
    if type(wanted) is not type(found):
        return f"{shown(wanted)} is {shown(found)} in Tenon"
    if isinstance(wanted, Refused):
        return f"both refuse it: {wanted.words}"
    if isinstance(wanted, Foreign):
        return difference_of_foreign(wanted, found)
    for part, a, b in zip(wanted._fields, wanted, found, strict=True):
        if a != b:
            return f"{part}: {shown(wanted)} is {shown(found)} in Tenon"
    return ""


def without_padding(data, dtype):
    """Between the fields of records lies anything: NumPy reads an archive field by field."""
    if not isinstance(dtype, numpy.dtype) or dtype.names is None or len(data) % dtype.itemsize:
        return data
    return numpy.lib.recfunctions.repack_fields(
        numpy.frombuffer(data, dtype), recurse=True
    ).tobytes()


def difference_of_foreign(wanted, found):
    flat = len(wanted.shape) > MAX_RANK
    words = found.dtype
    if flat:
        if not words.endswith(f" of {len(wanted.shape)} dimensions"):
            return f"the dtype {words!r} does not say {len(wanted.shape)} dimensions"
        words = words[: words.rindex(" of ")]
    if isinstance(wanted.dtype, numpy.dtype):
        descr = ast.literal_eval(re.sub(r"(\d)L\b", r"\1", words))  # Python 2's numbers
        same = numpy.lib.format.descr_to_dtype(descr) == wanted.dtype
    else:
        same = words == wanted.dtype
    if not same:
        return f"the dtype {wanted.dtype!r} is {words!r} in Tenon"
    if found.shape != (() if flat else wanted.shape):
        return f"the shape {wanted.shape} is {found.shape} in Tenon"
    if isinstance(wanted.data, numpy.ndarray):  # a pickle
        objects = pickle.loads(found.data)
        same = repr(objects) == repr(wanted.data)
    else:
        same = without_padding(found.data, wanted.dtype) == without_padding(
            wanted.data, wanted.dtype
        )
    return "" if same else f"other bytes: {shown(wanted)} is {shown(found)} in Tenon"


def shown(entry):
    if isinstance(entry, Refused):
        return f"refused ({entry.words[:200]})"
    data = entry.data if isinstance(entry.data, numpy.ndarray) else entry.data[:48]
    return f"{entry.dtype!r} {entry.shape} {data!r}"


def attempt(read, errors, file):
    """What `read` gives, or a Refused with the error's words."""
    with warnings.catch_warnings():
        # NumPy's, on headers of Python 2 and on what it leaves open when an archive is none.
        warnings.simplefilter("ignore")
        try:
            return read(file.path, **file.options)
        except errors as error:
            return Refused(f"{type(error).__name__}: {error}")


def as_reference(file):
    """What it reads, all of it: a file with a member that cannot be read is refused."""
    return attempt(REFERENCES[file.format], Exception, file)


def as_tenon(file):
    read = table_in_tenon if file.format == "csv" else archive_in_tenon
    return attempt(read, tenon.Error, file)
