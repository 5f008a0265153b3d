# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/numpy.py: ops of plugins as functions of NumPy's arrays.
"""Ops of Tenon's plugins as functions of NumPy's arrays, on the same memory.

    import tenon.numpy

    y = tenon.numpy.gelu(x)                       # x: numpy.ndarray
    tenon.numpy.add(x, 1, out=x)                  # as NumPy's own functions do
    fast = tenon.numpy.load("acme.fast")          # a plugin by its id, or by its folder
    y = tenon.numpy.ops.acme.swish_beta(x, beta=2.0)

docs/python.md states the rules.
"""

import collections
import functools

try:
    import numpy
except ImportError as missing:
    raise ImportError(
        "tenon.numpy uses NumPy, which is not installed: pip install numpy"
    ) from missing

from tenon import _bridge_names, _core, _errors, _schema, _tensor

__all__ = ["load", "ops"]


def _taken(given):
    """A tensor on the memory of an array, a list of them for a list."""
    if isinstance(given, numpy.ndarray):
        return _tensor.asarray(given)
    if isinstance(given, (list, tuple)) and any(isinstance(x, numpy.ndarray) for x in given):
        return [_taken(x) for x in given]
    return given


@functools.lru_cache(maxsize=None)
def _find(name):
    """The function of an op."""
    op = _core.Op(name)
    outputs = _schema.Schema(name, op.revision).output_names()
    results = collections.namedtuple(op.__name__, outputs, rename=True)

    def given(x):
        if x.dtype.name == "bfloat16":
            raise _errors.make_refusal(
                "DTYPE", name, "result", "a dtype that NumPy has", x.dtype.name,
                f"tenon.op.{name} gives a tensor",
            )  # fmt: skip
        return x.numpy()

    def called(*arguments, out=None, **named):
        if out is not None:
            named["out"] = _taken(out)
        found = op(*map(_taken, arguments), **{word: _taken(x) for word, x in named.items()})
        if out is not None or found is None:
            return out
        return results(*map(given, found)) if isinstance(found, tuple) else given(found)

    called.__name__ = called.__qualname__ = op.__name__
    called.__module__ = "tenon.numpy"
    called.__doc__, called.__signature__ = op.__doc__, op.__signature__
    return called


_bridge = _bridge_names.Bridge("tenon.numpy", "NumPy", _find)
ops = _bridge.ops


def load(plugin):
    """The ops of one plugin as functions of NumPy's arrays.

    plugin   its id, "acme.fast", or the path of its folder, which need not be on Tenon's paths if
             nothing of Tenon has run yet
    """
    return _bridge.load(plugin)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(ops.tenon, name)


def __dir__():
    return sorted([*__all__, *dir(ops.tenon)])
