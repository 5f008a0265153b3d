# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_jax_calls.py: calls of ops, and their gradients, in JAX's programs.
"""A call is one `jax.ffi.ffi_call` to the handler in core/xla.cc, which reads from its attributes
which op it is. Its gradient is another such call, that runs the op once more, recorded, and its
backward rule; it has a gradient by the same means: each order is the gradient of the one before.
"""

import dataclasses
import functools
import os
import struct

import numpy

try:
    import jax
except ImportError as missing:
    raise ImportError("tenon.jax uses JAX, which is not installed: pip install jax") from missing
from jax.custom_derivatives import SymbolicZero

from tenon import _bridge, _core, _errors, _schema

_errors._packages.append(os.path.dirname(os.path.abspath(jax.__file__)) + os.sep)
_TARGET = "tenon_call"
jax.ffi.register_ffi_target(_TARGET, _core.xla_handler(), platform="cpu")
for _platform in ("CUDA", "ROCM"):
    jax.ffi.register_ffi_target(_TARGET, _core.xla_refusal(), platform=_platform)

DTYPES = {numpy.dtype(getattr(jax.numpy, name)): name for name in _schema._DTYPES.values()}
_THEIRS = {name: dtype for dtype, name in DTYPES.items()}
_CODES = {
    "bool": (6, 8), "uint8": (1, 8), "int8": (0, 8), "int16": (0, 16), "int32": (0, 32),
    "int64": (0, 64), "float16": (2, 16), "bfloat16": (4, 16), "float32": (2, 32),
    "float64": (2, 64),
}  # fmt: skip
# Tags of tenon_value, and what xla_call.h says of operands.
_I64, _F64, _BOOL, _INTS, _DTYPE = 3, 4, 5, 7, 8
ONE, ABSENT, NUMBER, WIDE = -1, -2, -3, -4


# ---- values as whole numbers --------------------------------------------------------------------


def encode(value):
    """A number, dtype or list of integers as (tag, bits, ...); a text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, Dtype):
        code, bits = _CODES[value.name]
        return _DTYPE, code | bits << 8 | 1 << 16
    if isinstance(value, bool):
        return _BOOL, int(value)
    if isinstance(value, int):
        return _I64, value
    if isinstance(value, float):
        return _F64, struct.unpack("q", struct.pack("d", value))[0]
    return _INTS, *value


def decode(encoded):
    """The same as the package's own functions take it."""
    if isinstance(encoded, str):
        return encoded
    tag, *rest = encoded
    if tag == _INTS:
        return rest
    if tag == _F64:
        return struct.unpack("d", struct.pack("q", rest[0]))[0]
    if tag == _DTYPE:
        pair = rest[0] & 0xFF, rest[0] >> 8 & 0xFF
        return next(name for name, code in _CODES.items() if code == pair)
    return bool(rest[0]) if tag == _BOOL else rest[0]


@dataclasses.dataclass(frozen=True)
class Dtype:
    """A dtype as an attribute, by its name."""

    name: str


# ---- calls as data ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Call:
    """What of a call is not arrays.

    op          the described op (_jax_ops.py)
    operands    for each operand of the op how many arrays a list has, ONE, ABSENT, WIDE (an array
                of int32 that becomes int64), or an encoded number
    attributes  ((name, encoded), ...)
    orders      for each order of a gradient (results of the order before that have a seed, arrays
                of the order before that are differentiated for)
    """

    op: object
    operands: tuple
    attributes: tuple
    orders: tuple = ()

    def written(self):
        """Which arrays the op writes into."""
        found, at = [], 0
        for said, each in zip(self.op.schema.said["inputs"], self.operands, strict=True):
            count = 0 if each == ABSENT or isinstance(each, tuple) else 1 if each < 0 else each
            found += range(at, at + count) if said["mutated"] else ()
            at += count
        return found

    def numbers(self):
        """As xla_call.h says."""
        said = [len(self.op.schema.outputs), int(self.op.random)]
        said += [len(self.written()), *self.written(), len(self.operands)]
        for each in self.operands:
            said += [NUMBER, *each] if isinstance(each, tuple) else [each]
        said.append(len(self.orders))
        for seeded, wanted in self.orders:
            said += [len(seeded), *seeded, len(wanted), *wanted]
        return numpy.array(said, numpy.int64)

    def arrays(self, arrays):
        """Of those of the last order, those of the op itself, without the key."""
        first = sum(len(seeded) for seeded, _ in self.orders)
        return arrays[first : len(arrays) - self.op.random]

    def results(self, arrays):
        """[(shape, dtype), ...] of what this call gives of `arrays`."""
        if self.orders:
            seeded, wanted = self.orders[-1]
            inner = arrays[len(seeded) :]
            return [(inner[i].shape, inner[i].dtype) for i in wanted]
        found = [(shape, _THEIRS[dtype]) for shape, dtype in self._inferred(self.arrays(arrays))]
        return found + [(arrays[i].shape, arrays[i].dtype) for i in self.written()]

    def _inferred(self, arrays):
        left = iter(arrays)
        given = []
        for each in self.operands:
            if isinstance(each, tuple):
                given.append(decode(each))
            elif each >= 0:
                given.append([self._placeholder(next(left)) for _ in range(each)])
            else:
                given.append(
                    None if each == ABSENT else self._placeholder(next(left), each == WIDE)
                )  # fmt: skip
        named = {name: decode(each) for name, each in self.attributes}
        return _bridge.infer(self.op.op, *given, **named)

    def _placeholder(self, x, wide=False):
        if not all(isinstance(length, int) for length in x.shape):
            raise _errors.make_refusal(
                "SHAPE", self.op.name, "operands", "lengths that are numbers", str(x.shape),
                "export the function once for each shape",
            )  # fmt: skip
        dtype = _core.as_dtype("int64" if wide else DTYPES[x.dtype])
        return _core.placeholder(dtype, tuple(x.shape), _bridge.row_major(x.shape))

    def derivative(self, seeded, wanted):
        return dataclasses.replace(self, orders=(*self.orders, (tuple(seeded), tuple(wanted))))

    def is_elementwise(self, arrays):
        """Does the call do the same for each element of arrays of one shape?"""
        return (
            "elementwise" in self.op.schema.said["flags"] and not self.op.random
            and len({x.shape for x in arrays}) == 1
        )  # fmt: skip


# ---- calls in a program -------------------------------------------------------------------------


def _is_float(x):
    return jax.numpy.issubdtype(x.dtype, jax.numpy.floating)


def _call(call, arrays):
    """The node of the program: a tuple of results."""
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in call.results(arrays)]
    method = "broadcast_all" if call.is_elementwise(arrays) else "sequential"
    count = len(call.op.schema.outputs)
    aliases = {i: count + place for place, i in enumerate(call.written())}
    attributes = {
        name: each if isinstance(each, str) else numpy.array(each, numpy.int64)
        for name, each in call.attributes
    }
    found = jax.ffi.ffi_call(
        _TARGET, results, vmap_method=method,
        input_output_aliases=None if call.orders else aliases,
    )(*arrays, tenon_op=call.op.full, tenon_call=call.numbers(), **attributes)  # fmt: skip
    # Programs without jax_enable_x64 have no 64-bit numbers.
    return tuple(
        jax.lax.convert_element_type(x, jax.dtypes.canonicalize_dtype(x.dtype)) for x in found
    )


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class _Wanted:
    numbers: tuple


@functools.lru_cache(maxsize=4096)
def function(call):
    """The function of arrays that a call is; equal calls have one, so that JAX compiles it once."""

    def run(*arrays):
        return _call(call, arrays)

    def forward(*arrays):
        wanted = tuple(
            i for i, x in enumerate(arrays) if x.perturbed and _is_float(x.value)
        )  # fmt: skip
        values = tuple(x.value for x in arrays)
        return differentiable(*values), (values, _Wanted(wanted))

    def backward(saved, gradients):
        arrays, wanted = saved[0], saved[1].numbers
        seeded = [i for i, x in enumerate(gradients) if _counts(x)]
        given = [None] * len(arrays)
        if not seeded or not wanted:
            return tuple(given)
        call.op.check_differentiable()
        seeds = [gradients[i] for i in seeded]
        found = function(call.derivative(seeded, wanted))(*seeds, *arrays)
        for i, each in zip(wanted, found, strict=True):
            given[i] = each
        return tuple(given)

    run.__name__ = call.op.short
    differentiable = jax.custom_vjp(run)
    differentiable.defvjp(forward, backward, symbolic_zeros=True)
    return jax.jit(differentiable, inline=True)


def _counts(gradient):
    """Is that more than zeros that JAX knows of?"""
    return not isinstance(gradient, SymbolicZero) and gradient.dtype != jax.dtypes.float0
