# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/__init__.py: the package `tenon`.
"""Tensors and automatic differentiation behind one stable C ABI; everything is a plugin.

    import tenon

    x = tenon.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    x.grad              # 2 x

Ops are those of the registry: `tenon.exp(x)` and `x.exp()` are the op "tenon.exp", and
`tenon.op.<vendor>.<name>` is any op that an installed plugin brings. `dir(tenon.op.tenon)` lists
them, `help(tenon.exp)` shows what one takes. Nothing is looked for at import: the runtime is made,
and a plugin opened, when something first needs it.
"""

from tenon import _called, _core, _errors, _indexing, _ops, _runtime, _schema, _tensor
from tenon._autograd import (
    backward,
    draw,
    enable_grad,
    grad,
    guard_finite,
    inference,
    no_grad,
    serial,
    value_and_grad,
)
from tenon._core import (
    Dtype,
    Op,
    Tensor,
    bfloat16,
    bool,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from tenon._dtypes import finfo, iinfo
from tenon._errors import *  # noqa: F403 - each status has an exception
from tenon._ops import op
from tenon._runtime import (
    configure,
    fast_arithmetic,
    get_rng_state,
    plugins,
    query,
    release_cache,
    scope,
    seed,
    set_rng_state,
    set_threads,
    stats,
)
from tenon._tensor import asarray, from_dlpack, full, info, tensor

__version__, __array_api_version__ = _core.version, "2024.12"

_core.connect(
    make_error=_errors.make_error,
    make_refusal=_errors.make_refusal,
    runtime_options=_runtime.options,
    describe_schema=_schema.describe,
    reduce_results=_schema.reduce_results,
    make_operand=_tensor.make_operand,
    make_signature=_schema.make_signature,
    find_dtype=_tensor.find_dtype,
    get_item=_indexing.get_item,
    set_item=_indexing.set_item,
    find_method=_ops.find_method,
    make_size=_called.Size,
    make_address=_called.Address,
    make_truth=_called.truth,
    reword_write=_errors.reword_write,
)

# Without `bool`, which would hide Python's if all of this is imported.
__all__ = [
    "Dtype",
    "Op",
    "Tensor",
    "asarray",
    "backward",
    "bfloat16",
    "configure",
    "draw",
    "enable_grad",
    "fast_arithmetic",
    "finfo",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "full",
    "get_rng_state",
    "grad",
    "guard_finite",
    "iinfo",
    "inference",
    "info",
    "int16",
    "int32",
    "int64",
    "int8",
    "no_grad",
    "op",
    "plugins",
    "query",
    "release_cache",
    "scope",
    "seed",
    "serial",
    "set_rng_state",
    "set_threads",
    "stats",
    "tensor",
    "uint8",
    "value_and_grad",
    *_errors.__all__,
]


# What is imported when it is first asked for: modules, and functions with the module they are in.
_MODULES = ("data", "linalg", "nn", "optim", "processes", "schedules")
_FUNCTIONS = {
    "ForeignTensor": "_files",
    "History": "_history",
    "capture": "_plan",
    "captured": "_plan",
    "clip_grad_norm": "_clip",
    "custom_op": "_custom",
    "gradcheck": "_gradcheck",
    "load": "_files",
    "op_log": "_plan",
    "profile": "_plan",
    "save": "_files",
}


def __getattr__(name):
    """Parts of the package and ops of the vendor `tenon`, when they are first asked for."""
    if name == "__array_namespace_info__":
        from tenon._standard import __array_namespace_info__

        return __array_namespace_info__
    if name.startswith("_"):
        raise AttributeError(f"module 'tenon' has no attribute {name!r}")
    if name in _MODULES or name in _FUNCTIONS:
        from importlib import import_module

        found = import_module(f"tenon.{_FUNCTIONS.get(name, name)}")
        found = getattr(found, name) if name in _FUNCTIONS else found
    else:
        from tenon import _names

        if name in _names.CONSTANTS:
            found = _names.CONSTANTS[name]
        elif name in _names.FUNCTIONS or name in _names.ALIASES:
            found = _names.find_function(name)
        else:
            try:
                found = getattr(op.tenon, name)
            except AttributeError:
                if name not in _names.INSTEAD:
                    raise
                words = f"module 'tenon' has no attribute {name!r}\n  hint: {_names.INSTEAD[name]}"
                raise AttributeError(words) from None
    globals()[name] = found
    return found


# PyTorch's names.
inference_mode, set_num_threads = inference, set_threads


def get_default_dtype():
    """float32, of numbers with a point."""
    return float32


def __dir__():
    from tenon import _names

    named = {*_names.CONSTANTS, *_names.FUNCTIONS, *_names.ALIASES}
    return sorted({*globals(), *_MODULES, *_FUNCTIONS, *named, *dir(op.tenon)})
