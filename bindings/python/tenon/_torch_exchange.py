# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_exchange.py: tensors of PyTorch as tensors of Tenon on the same
# memory, and back.

import os

try:
    import torch
except ImportError as missing:
    raise ImportError(
        "tenon.torch uses PyTorch, which is not installed: pip install torch"
    ) from missing

from tenon import _core, _errors, _tensor

_errors._packages.append(os.path.dirname(os.path.abspath(torch.__file__)) + os.sep)
DTYPES = {
    getattr(torch, name): _core.as_dtype(name)
    for name in (
        "bool", "uint8", "int8", "int16", "int32", "int64",
        "float16", "bfloat16", "float32", "float64",
    )
}  # fmt: skip
THEIRS = {ours.name: theirs for theirs, ours in DTYPES.items()}



def check_dtype(x):
    if x.dtype not in DTYPES:
        raise _errors.make_refusal(
            "DTYPE", "tenon.torch", "x", f"one of {', '.join(THEIRS)}", str(x.dtype),
            "convert it first: x.to(torch.float32)",
        )  # fmt: skip


# Since PyTorch 2.10; before, each tensor goes in a capsule.
_TABLE = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)


def _to_capsule(x):
    check_dtype(x)
    return torch.utils.dlpack.to_dlpack(x.detach())


def note_write(x):
    """Autograd is told that `x` has changed."""
    if not x.is_inference():
        torch.autograd.graph.increment_version(x)


def make_exchange(table=_TABLE):
    return _core.Exchange(
        table, torch.Tensor, torch.dtype, DTYPES, _to_capsule, torch.utils.dlpack.from_dlpack
    )


exchange = make_exchange()
give, share = exchange.give, exchange.share


def take(x):
    """A tensor on the memory of `x`. Where a negation is pending it is a copy, and read-only.

    Operands of ops need no such look: PyTorch's dispatcher has resolved them.
    """
    if isinstance(x, torch.Tensor) and x.is_neg():
        return _tensor.from_dlpack(x.detach())
    return exchange.take(x)
