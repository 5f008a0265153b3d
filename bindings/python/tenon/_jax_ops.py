# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_jax_ops.py: ops of the registry as functions of JAX's arrays.

import collections
import functools
import inspect
import operator

import jax
import numpy

from tenon import _core, _errors, _schema
from tenon._jax_calls import ABSENT, DTYPES, ONE, WIDE, Call, Dtype, encode, function

_ARRAYS = (jax.Array, numpy.ndarray, numpy.generic)


def _refuse(*words, **more):
    raise _errors.make_refusal(*words, **more)


# ---- operands -----------------------------------------------------------------------------------


class _Taking:
    """The operands of a call, as JAX's arrays in a row and what a Call says of them."""

    def __init__(self, op):
        self.op, self.arrays, self.operands = op, [], []

    def take(self, said, given):
        name = said["name"]
        if said["list"]:
            if not isinstance(given, (list, tuple)):
                _refuse("type", self.op.name, name, "a list of arrays", _kind(given))
            self.operands.append(len(given))
            self.arrays += [self._array(name, each) for each in given]
        elif given is None:
            self.operands.append(ABSENT)
        elif isinstance(given, (bool, int, float)):
            self.operands.append(self._number(name, given))
        else:
            array = self._array(name, given)
            wide = said["dtype"] == "i64" and not said["mutated"] and self._is_int32(array)
            self.operands.append(WIDE if wide else ONE)
            self.arrays.append(array)

    def _array(self, name, given):
        if not isinstance(given, _ARRAYS):
            _refuse("type", self.op.name, name, "an array or a number", _kind(given),
                    "jax.numpy.asarray(...) makes an array of lists")  # fmt: skip
        if given.dtype not in DTYPES:
            _refuse("DTYPE", self.op.name, name, f"one of {', '.join(DTYPES.values())}",
                    str(given.dtype), "convert it first: x.astype(jax.numpy.float32)")  # fmt: skip
        return given

    @staticmethod
    def _is_int32(array):
        return jax.dtypes.canonicalize_dtype(array.dtype) == numpy.int32

    def _number(self, name, given):
        if isinstance(given, int) and not _fits(given):
            _refuse("large", self.op.name, name, "an integer of at most 64 bits", "a larger one")
        return encode(given)


def _kind(given):
    return type(given).__name__


def _are_arrays(arguments, named):
    return not named and all([isinstance(x, jax.Array) for x in arguments])


def _fits(number):
    return -(2**63) <= number < 2**63


# ---- attributes ---------------------------------------------------------------------------------

_EXPECTED = {
    _schema.INT: "an integer", _schema.FLOAT: "a number", _schema.BOOL: "True or False",
    _schema.TEXT: "a text", _schema.NUMBER: "a number",
    _schema.INTS: "a list of integers",
}  # fmt: skip


def _converted(kind, count, given):
    """What an attribute of a schema stands for; a TypeError for what it cannot be. Anything that a
    number could mean goes on, to the op's own rule."""
    if kind == _schema.INTS:
        several = isinstance(given, (list, tuple, numpy.ndarray))
        return tuple(map(operator.index, given if several else [given] * max(count, 1)))
    if kind == _schema.DTYPE:
        return Dtype(_dtype_name(given))
    if kind == _schema.TEXT:
        if not isinstance(given, str):
            raise TypeError
        return given
    if isinstance(given, (bool, numpy.bool_)):
        return bool(given)
    if hasattr(given, "__index__"):
        number = operator.index(given)
        return float(number) if kind == _schema.FLOAT else number
    if not hasattr(given, "__float__"):
        raise TypeError
    return float(given)


def _dtype_name(given):
    try:
        given = numpy.dtype(given).name
    except TypeError:  # a name that NumPy has not, or not a dtype
        pass
    return _core.as_dtype(given).name


# What JAX's programs have no place for: operand, expected, found, hint.
_REFUSED = {
    "dynamic-out": ("outputs", "lengths that shapes decide", "lengths that values decide",
                    "JAX compiles for lengths that it knows"),
    "effect": ("op", "one that only gives results", "one that must run even if none is used",
               "JAX leaves out calls whose results are not used"),
}  # fmt: skip


# ---- one op -------------------------------------------------------------------------------------


class Described:
    """One op of the registry.

    op      the op of Tenon, and `schema`, what it takes and gives
    name    "tenon.gelu", and `full`, "tenon.gelu@1", with its revision
    random  does it draw numbers?
    plain   {dtypes: the function of a call of arrays alone that has one result}
    """

    def __init__(self, name):
        self.op = _core.Op(name)
        self.name, self.full = name, f"{name}@{self.op.revision}"
        self.short = name.rpartition(".")[2]
        self.schema = schema = _schema.Schema(name, self.op.revision)
        flags = schema.said["flags"]
        self.random = "random" in flags
        for flag, words in _REFUSED.items():
            if flag in flags:
                _refuse("UNSUPPORTED", name, *words)
        self.inputs = schema.said["inputs"]
        self.names = [name for name, *_ in [*schema.inputs, *schema.attributes]]
        self.synonyms = {other: self.names[i] for other, i in schema.synonyms().items()}
        written = [each["name"] for each in self.inputs if each["mutated"]]
        self.results = collections.namedtuple(
            self.short, [*schema.output_names(), *written], rename=True
        )
        self.plain = {}

    def __eq__(self, other):
        return self.full == other.full

    def __hash__(self):
        return hash(self.full)

    def signature(self):
        """As Python would write it, for people and for errors."""
        found = inspect.signature(self.op)
        parameters = [each for each in found.parameters.values() if each.name != "out"]
        if self.random:
            parameters.append(inspect.Parameter("key", inspect.Parameter.KEYWORD_ONLY))
        return found.replace(parameters=parameters)

    def _given(self, arguments, named):
        """{name: argument}"""
        limit = len(self.inputs) + self.schema.positional()
        if len(arguments) > limit:
            _refuse("type", self.name, "arguments", f"{limit} without a name", str(len(arguments)),
                    str(self.signature()))  # fmt: skip
        given = dict(zip(self.names, arguments, strict=False))
        for word, value in named.items():
            name = self.synonyms.get(word, word)
            if name not in self.names:
                _refuse("keyword", self.name, word, str(self.signature()),
                        "an argument of another name")  # fmt: skip
            if given.get(name) is not None:
                _refuse("type", self.name, name, "one value", "two")
            given[name] = value
        return given

    def _key(self, named):
        """The words of the key, as the last array of the call."""
        if not self.random:
            return []
        key = named.pop("key", None)
        hint = f"{self.short}(..., key=jax.random.key(0)): equal keys draw equal numbers"
        if not isinstance(key, jax.Array):
            found = "none" if key is None else _kind(key)
            _refuse("type", self.name, "key", "a key of jax.random", found, hint)
        if jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key):
            key = jax.random.key_data(key)
        if key.dtype != numpy.uint32 or key.ndim != 1 or key.size < 2:
            _refuse("SHAPE", self.name, "key", "one key of jax.random",
                    f"{key.dtype}{list(key.shape)}", hint)  # fmt: skip
        return [key]

    def _attributes(self, given):
        for name, kind, count, _ in self.schema.attributes:
            value = given.get(name)
            if value is None:
                continue
            if isinstance(value, jax.core.Tracer):
                _refuse("type", self.name, name, "a value that is known when JAX compiles",
                        "one that is traced",
                        f'jax.jit(f, static_argnames=[{name!r}]) leaves an argument as it is'
                        )  # fmt: skip
            try:
                converted = _converted(kind, count, value)
            except _errors.Error:  # of the dtype
                raise
            except TypeError:
                _refuse("type", self.name, name, _EXPECTED[kind], _kind(value))
            several = converted if isinstance(converted, tuple) else [converted]
            if any(isinstance(x, int) and not _fits(x) for x in several):
                _refuse("large", self.name, name, "an integer of at most 64 bits", "a larger one")
            yield name, encode(converted)

    def call(self, arguments, named):
        """The op on arrays: an array, or a tuple with names."""
        key = self._key(named)
        given = self._given(arguments, named)
        taking = _Taking(self)
        for said in self.inputs:
            taking.take(said, given.get(said["name"]))
        call = Call(self, tuple(taking.operands), tuple(self._attributes(given)))
        results = self._shaped(call, function(call)(*taking.arrays, *key))
        if len(results) > 1:
            return self.results(*results)
        if _are_arrays(arguments, named) and len(taking.arrays) == len(arguments) and not key:
            self.plain[tuple(x.dtype for x in arguments)] = function(call)
        return results[0]

    def _shaped(self, call, results):
        """The outputs, and what the op has written in place of each operand that it writes into."""
        count = len(self.schema.outputs)
        found, left = list(results[:count]), iter(results[count:])
        for said, each in zip(self.inputs, call.operands, strict=True):
            if not said["mutated"]:
                continue
            if said["list"]:
                found.append([next(left) for _ in range(each)])
            else:
                found.append(None if each == ABSENT else next(left))
        return found

    def check_differentiable(self):
        """Refuses what has no gradient."""
        written = [each["name"] for each in self.inputs if each["mutated"]]
        if written:
            _refuse("GRAD", self.name, written[0], "a call that is not differentiated",
                    "one in jax.grad", "an op that writes into its operands has no gradient"
                    )  # fmt: skip
        said = _schema.Schema(self.name, self.op.revision).said  # what a device brought, too
        if said["vjp"] is None and not said["compose"]:
            _refuse("GRAD", self.name, "gradient", "an op with a backward rule", "none",
                    "jax.lax.stop_gradient(x) asks for no gradient of it")  # fmt: skip


def _make(name):
    """The function of an op."""
    op = Described(name)

    def called(*arguments, **named):
        if _are_arrays(arguments, named):
            known = op.plain.get(tuple([x.dtype for x in arguments]))
            if known:
                return known(*arguments)[0]
        return op.call(arguments, named)

    called.__name__ = called.__qualname__ = op.short
    called.__module__ = "tenon.jax"
    called.__doc__ = op.op.__doc__
    called.__signature__ = op.signature()
    return called


find = functools.lru_cache(maxsize=None)(_make)
