# SPDX-License-Identifier: Apache-2.0
# tests/outside/tenon_ctypes.py: the part of Tenon's C API that the tests here use, through ctypes.
"""TENON_LIBRARY names libtenon; plugins are taken from the `plugins` folder beside its folder."""

import ctypes
import json
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p

OK, E_ARGUMENT, E_SHAPE, E_DTYPE, E_ALIAS, E_GRAD, E_UNSUPPORTED = 0, 1, 5, 6, 9, 15, 29
NUL = 2**64 - 1
READ_ONLY = 2  # TENON_VIEW_READ_ONLY

DELETER = ctypes.CFUNCTYPE(None, c_void_p)


def make_dtype(code, bits):
    return code | bits << 8 | 1 << 16


DTYPES = {
    "bool": make_dtype(6, 8),
    "uint8": make_dtype(1, 8),
    "int8": make_dtype(0, 8),
    "int16": make_dtype(0, 16),
    "int32": make_dtype(0, 32),
    "int64": make_dtype(0, 64),
    "float16": make_dtype(2, 16),
    "float32": make_dtype(2, 32),
    "float64": make_dtype(2, 64),
}
BFLOAT16 = make_dtype(4, 16)  # NumPy has no such dtype


class String(ctypes.Structure):
    _fields_ = [("data", c_char_p), ("length", c_uint64)]


class Device(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("index", c_int32)]


class RuntimeOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("paths", POINTER(String)),
        ("n_paths", c_uint32),
        ("policy", c_uint32),
        ("threads", c_int32),
        ("n_exclude", c_uint32),
        ("exclude", POINTER(String)),
        ("memory_limit", c_uint64),
        ("check", String),
    ]


class Diag(ctypes.Structure):
    _fields_ = [("status", c_int32), ("length", c_int32), ("message", ctypes.c_char * 1016)]


class Stats(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("tensors", c_int64),
        ("storages", c_int64),
        ("nodes", c_int64),
        ("plans", c_int64),
        ("bytes_live", c_uint64),
        ("bytes_peak", c_uint64),
        ("bytes_reserved", c_uint64),
        ("allocations", c_uint64),
        ("launches", c_uint64),
    ]


class View(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("rank", c_int32),
        ("dtype", c_uint32),
        ("device", Device),
        ("flags", c_uint32),
        ("reserved", c_uint32),
    ]


class Payload(ctypes.Union):
    _fields_ = [
        ("i64", c_int64),
        ("f64", ctypes.c_double),
        ("pointer", c_void_p),
        ("dtype", c_uint64),
    ]


class Value(ctypes.Structure):
    _fields_ = [("tag", c_uint32), ("count", c_uint32), ("payload", Payload)]


NONE, TENSOR, TENSOR_LIST, I64, F64, BOOL, STRING, INT_LIST, DTYPE = range(9)


class OpInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("name", c_char_p),
        ("schema", c_char_p),
        ("doc", c_char_p),
        ("plugin", c_char_p),
        ("revision", c_uint32),
        ("n_inputs", c_uint32),
        ("n_attrs", c_uint32),
        ("n_outputs", c_uint32),
    ]


class ErrorRecord(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("status", c_int32),
        ("n_causes", c_uint32),
        ("sequence", c_uint64),
        ("message", c_char_p),
        ("op", c_char_p),
        ("operand", c_char_p),
        ("expected", c_char_p),
        ("found", c_char_p),
        ("plugin", c_char_p),
        ("scope", c_char_p),
        ("hint", c_char_p),
        ("causes", POINTER(c_char_p)),
    ]


class TenonError(Exception):
    def __init__(self, status, message, hint=""):
        super().__init__(f"{message} (status {status})")
        self.status = status
        self.hint = hint


def int64s(numbers):
    return (c_int64 * max(len(numbers), 1))(*numbers)


class Dtype(int):
    """A dtype as the value of an attribute."""


def value_of(given):
    """A tenon_value; memory it points to lives as long as it does."""
    value = Value()
    if given is None:
        return value
    if isinstance(given, Tensor):
        value.tag, value.payload.pointer = TENSOR, given.handle.value
    elif isinstance(given, bool):
        value.tag, value.payload.i64 = BOOL, given
    elif isinstance(given, Dtype):
        value.tag, value.payload.dtype = DTYPE, given
    elif isinstance(given, int):
        value.tag, value.payload.i64 = I64, given
    elif isinstance(given, float):
        value.tag, value.payload.f64 = F64, given
    elif isinstance(given, str):
        text = given.encode()
        value.memory = ctypes.create_string_buffer(text, len(text) + 1)
        value.tag, value.count = STRING, len(text)
        value.payload.pointer = ctypes.addressof(value.memory)
    elif isinstance(given, (list, tuple)):
        of_tensors = bool(given) and isinstance(given[0], Tensor)
        value.memory = handles(given) if of_tensors else int64s(given)
        value.tag, value.count = TENSOR_LIST if of_tensors else INT_LIST, len(given)
        value.payload.pointer = ctypes.addressof(value.memory)
    else:
        raise TypeError(f"no tenon_value holds a {type(given).__name__}")
    return value


def values_of(given):
    """An array of tenon_values, and what keeps their memory."""
    values = [value_of(each) for each in given]
    return (Value * max(len(values), 1))(*values), values


def handles(tensors):
    return (c_void_p * max(len(tensors), 1))(*[tensor and tensor.handle for tensor in tensors])


def load():
    path = os.environ.get("TENON_LIBRARY")
    if not path:
        raise SystemExit("TENON_LIBRARY must name libtenon")
    library = ctypes.CDLL(path)
    for name in ("tenon_tensor_release", "tenon_context_release", "tenon_runtime_release"):
        getattr(library, name).restype = None
        getattr(library, name).argtypes = [c_void_p]
    library.tenon_text_release.restype = None
    library.tenon_text_release.argtypes = [c_void_p]
    return library


class Runtime:
    """A runtime and one context on the build tree's plugins."""

    def __init__(self):
        self.library = load()
        plugins = pathlib.Path(os.environ["TENON_LIBRARY"]).resolve().parents[1] / "plugins"
        path = String(str(plugins).encode(), NUL)
        options = RuntimeOptions(struct_size=ctypes.sizeof(RuntimeOptions), flags=3, n_paths=1)
        options.paths = ctypes.pointer(path)
        diag = Diag()
        self.runtime = c_void_p()
        self.context = c_void_p()
        status = self.library.tenon_runtime_create(byref(options), byref(diag), byref(self.runtime))
        if status == OK:
            status = self.library.tenon_context_create(
                self.runtime, byref(diag), byref(self.context)
            )
        if status != OK:
            raise TenonError(status, diag.message.decode())

    def close(self):
        self.library.tenon_context_release(self.context)
        self.library.tenon_runtime_release(self.runtime)
        self.context = self.runtime = c_void_p()

    def call(self, name, *arguments):
        """Calls a function of the C API with the context first; raises TenonError."""
        status = getattr(self.library, name)(self.context, *arguments)
        if status == OK:
            return
        record = ErrorRecord(struct_size=ctypes.sizeof(ErrorRecord))
        self.library.tenon_context_get_error(self.context, byref(record))
        raise TenonError(status, (record.message or b"").decode(), (record.hint or b"").decode())

    def stats(self):
        stats = Stats(struct_size=ctypes.sizeof(Stats))
        self.call("tenon_runtime_get_stats", byref(stats))
        return stats

    def live(self):
        stats = self.stats()
        return stats.tensors, stats.storages, stats.bytes_live

    def make(self, name, *arguments):
        """The tensor that a tenon_tensor_create... function makes."""
        out = c_void_p()
        self.call(name, *arguments, byref(out))
        return Tensor(self, out.value)

    def create(self, array):
        """A tensor of its own with the contents of a row-major array."""
        data = array.tobytes()
        return self.make(
            "tenon_tensor_create_from",
            c_uint32(DTYPES[array.dtype.name]),
            None,
            c_int32(array.ndim),
            int64s(array.shape),
            data,
            c_uint64(len(data)),
        )

    def host_kind(self):
        """The number by which the runtime knows the kind of host memory."""
        device = Device()
        self.call("tenon_device_find", b"", c_uint64(0), c_int32(0), byref(device))
        return device.kind

    def wrap(self, dtype, shape, strides, address):
        """A tensor on memory of the caller's, who keeps it; strides in elements."""
        return self.make(
            "tenon_tensor_create_external",
            c_uint32(dtype),
            c_int32(len(shape)),
            int64s(shape),
            int64s(strides),
            c_void_p(address),
            c_uint32(0),
            None,
            None,
        )

    def take_text(self, text):
        data, length = c_char_p(), c_uint64()
        self.library.tenon_text_get(text, byref(data), byref(length))
        words = ctypes.string_at(data, length.value).decode()
        self.library.tenon_text_release(text)
        return words

    def query(self, topic):
        """What tenon_runtime_query answers, read from its JSON."""
        text = c_void_p()
        self.call("tenon_runtime_query", topic.encode(), c_uint64(NUL), byref(text))
        return json.loads(self.take_text(text))

    def set_seed(self, seed, stream=0, counter=0):
        self.call("tenon_context_set_seed", c_uint64(seed), c_uint64(stream))
        self.call("tenon_context_set_counter", c_uint64(counter))

    def get_seed(self):
        """Seed, stream and counter."""
        words = [c_uint64() for _ in range(3)]
        self.call("tenon_context_get_seed", *[byref(word) for word in words])
        return tuple(word.value for word in words)

    def gradients(self, root, seed, inputs):
        """Gradients of sum(root * seed) with respect to inputs; None if there is none."""
        out = (c_void_p * len(inputs))()
        self.call(
            "tenon_gradient_call",
            handles([root]),
            handles([seed]),
            c_uint32(1),
            handles(inputs),
            c_uint32(len(inputs)),
            c_uint32(0),
            out,
        )
        return [Tensor(self, handle) if handle else None for handle in out]


class Op:
    """An op by name; attributes are given by name, inputs in the schema's order."""

    def __init__(self, owner, name):
        self.owner = owner
        self.handle = c_void_p()
        owner.call("tenon_op_find", name.encode(), c_uint64(NUL), c_uint32(0), byref(self.handle))
        self.info = OpInfo(struct_size=ctypes.sizeof(OpInfo))
        owner.call("tenon_op_get_info", self.handle, byref(self.info))

    def arguments(self, inputs, attributes):
        attrs = [None] * self.info.n_attrs
        for name, given in attributes.items():
            index = c_uint32()
            self.owner.call(
                "tenon_op_find_attribute",
                self.handle,
                name.encode(),
                c_uint64(NUL),
                byref(index),
            )
            attrs[index.value] = given
        input_array, input_memory = values_of(inputs)
        attr_array, attr_memory = values_of(attrs)
        counts = c_uint32(len(inputs)), c_uint32(len(attrs))
        return (
            (self.handle, input_array, counts[0], attr_array, counts[1]),
            (input_memory, attr_memory),
        )

    def call(self, inputs, attributes=None, outputs=1):
        """New tensors, `outputs` of them."""
        arguments, _memory = self.arguments(inputs, attributes or {})
        out = (c_void_p * max(outputs, 1))()
        self.owner.call("tenon_op_call", *arguments, out, c_uint32(outputs))
        return [Tensor(self.owner, handle) for handle in out[:outputs]]

    def apply(self, inputs, attributes, outputs):
        """Writes into the given tensors."""
        arguments, _memory = self.arguments(inputs, attributes)
        self.owner.call("tenon_op_call_into", *arguments, handles(outputs), c_uint32(len(outputs)))


class Tensor:
    def __init__(self, owner, handle):
        self.owner = owner
        self.handle = c_void_p(handle)

    def release(self):
        self.owner.library.tenon_tensor_release(self.handle)
        self.handle = c_void_p()

    def view(self):
        view = View()
        self.owner.call("tenon_tensor_get_view", self.handle, byref(view))
        return view

    def shape(self):
        view = self.view()
        return tuple(view.shape[: view.rank])

    def strides(self):
        view = self.view()
        return tuple(view.strides[: view.rank])

    def window(self, shape, strides, offset):
        return self.owner.make(
            "tenon_tensor_create_view",
            self.handle,
            c_int32(len(shape)),
            int64s(shape),
            int64s(strides),
            c_int64(offset),
        )

    def get_bytes(self, count):
        out = ctypes.create_string_buffer(count)
        self.owner.call("tenon_tensor_get_data", self.handle, out, c_uint64(count))
        return out.raw[:count]

    def set_bytes(self, data):
        self.owner.call("tenon_tensor_set_data", self.handle, data, c_uint64(len(data)))

    def text(self, flags=0):
        text = c_void_p()
        self.owner.call("tenon_tensor_get_text", self.handle, c_uint32(flags), byref(text))
        return self.owner.take_text(text)

    def require_grad(self):
        self.owner.call("tenon_tensor_set_requires_grad", self.handle, c_uint32(1))
