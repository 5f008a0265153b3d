# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_samples.py: the registry's own sample calls with arrays of JAX, for the
# jax_*_test.py files.

import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import jax.test_util
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
import numpy
import registry_samples as registry  # which says where the package is
import tenon.jax
from registry_samples import BUILD, FOLDER, flat
from sample_text import Dtype, TensorText, parse
from tenon import _schema

__all__ = [
    "BUILD", "FOLDER", "Sample", "in_jax", "is_float", "jax", "same", "same_bits", "samples",
    "tenon", "to_tenon",
]  # fmt: skip


def jax_dtype(name):
    return numpy.dtype(getattr(jax.numpy, _schema._DTYPES[name]))


def is_float(x):
    return isinstance(x, jax.Array) and jax.numpy.issubdtype(x.dtype, jax.numpy.floating)


def to_tenon(array):
    """A tensor on memory of its own. NumPy is quicker than DLPack, and has no bfloat16."""
    if array.dtype == jax.numpy.bfloat16:
        return tenon.from_dlpack(array).clone()
    return tenon.asarray(numpy.asarray(array)).clone()


class Drawing:
    """Arrays of sample texts; all f64 in place of other floats if `double`."""

    def __init__(self, double):
        self.generator = numpy.random.Generator(numpy.random.Philox(registry.SEED))
        self.double = double

    def array(self, text):
        dtype = jax_dtype(text.dtype)
        floats = jax.numpy.issubdtype(dtype, jax.numpy.floating)
        if self.double and floats:
            dtype = numpy.dtype(numpy.float64)
        if text.given is not None:
            return jax.device_put(self.exact(text, dtype).reshape(text.shape))
        drawn = self.generator.random(text.shape)
        if dtype.kind == "b":
            return jax.device_put(drawn < 0.5)
        drawn = text.low + drawn * (text.high - text.low)
        return jax.device_put((drawn if floats else numpy.floor(drawn)).astype(dtype))

    @staticmethod
    def exact(text, dtype):
        if dtype.kind in "iu":
            return numpy.array([int(each) for each in text.given], dtype)
        with numpy.errstate(over="ignore"):
            return numpy.array(text.given, numpy.float64).astype(dtype)

    def operand(self, given):
        if isinstance(given, TensorText):
            return self.array(given)
        return [self.array(each) for each in given] if isinstance(given, list) else given


class Sample:
    """One call: operands by position, attributes by name."""

    def __init__(self, op, text, double):
        self.op, self.text = op, text
        inputs, attributes = parse(text)
        drawing = Drawing(double)
        self.inputs = [drawing.operand(each) for each in inputs]
        self.attributes = {
            name: jax_dtype(value.name) if isinstance(value, Dtype) else value
            for name, value in attributes.items()
        }

    def floats(self):
        return [x for x in flat(self.inputs) if is_float(x)]

    def with_floats(self, given):
        """The operands with other floats."""
        left = iter(given)

        def put(x):
            if isinstance(x, list):
                return [put(each) for each in x]
            return next(left) if is_float(x) else x

        return [put(x) for x in self.inputs]

    def for_tenon(self):
        """The same call, of tensors on Tenon's own memory."""
        def ours(given):
            if isinstance(given, jax.Array):
                return to_tenon(given)
            return [ours(each) for each in given] if isinstance(given, list) else given

        attributes = {name: each.name if isinstance(each, numpy.dtype) else each
                      for name, each in self.attributes.items()}  # fmt: skip
        return [ours(each) for each in self.inputs], attributes


def samples(op, double=False):
    """The calls that must work."""
    return [Sample(op, text, double) for text in registry.SAMPLES.get(op, [])]


def in_jax(op):
    return registry.named(tenon.jax.ops, op)


def same(a, b):
    """Are they equal, bit by bit?"""
    a, b = numpy.asarray(a), numpy.asarray(b)
    return (a.dtype, a.shape) == (b.dtype, b.shape) and a.tobytes() == b.tobytes()


def same_bits(ours, theirs):
    """The same of a tensor and an array."""
    ours = ours.detach().contiguous()
    return same(jax.dlpack.from_dlpack(ours) if ours.dtype.name == "bfloat16" else ours, theirs)
