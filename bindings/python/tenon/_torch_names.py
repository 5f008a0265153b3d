# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_names.py: ops in PyTorch by name, and those of one plugin.
"""All ops of a namespace are registered when it is made, so `torch.compile` finds them; one of the
vendor `tenon` also when PyTorch itself asks for it, as `torch.export.load` does."""

import torch
from torch._ops import _OpNamespace

from tenon import _bridge_names, _ops
from tenon._torch_ops import find, register

_bridge = _bridge_names.Bridge(
    "tenon.torch", "PyTorch", lambda full: find(full).overload, eager=True
)
ops = _bridge.ops


class _Asked(_OpNamespace):
    """`torch.ops.tenon`, whose ops are registered when they are asked for."""

    __module__ = _OpNamespace.__module__  # stands in the names of ops

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            full = f"tenon.{name}"
            if name.startswith("_") or full not in _ops.names() or not register(full):
                raise
        return super().__getattr__(name)


torch.ops.tenon = _Asked("tenon")


def load(plugin):
    """The ops of one plugin as functions of PyTorch's tensors.

    plugin   its id, "acme.fast", or the path of its folder, which need not be on Tenon's paths if
             nothing of Tenon has run yet
    """
    return _bridge.load(plugin)
