# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_names.py: ops in PyTorch by name, and those of one plugin.
"""All ops of a namespace are registered when it is made, so `torch.compile` finds them."""

from tenon import _bridge_names
from tenon._torch_ops import find

_bridge = _bridge_names.Bridge(
    "tenon.torch", "PyTorch", lambda full: find(full).overload, eager=True
)
ops = _bridge.ops


def load(plugin):
    """The ops of one plugin as functions of PyTorch's tensors.

    plugin   its id, "acme.fast", or the path of its folder, which need not be on Tenon's paths if
             nothing of Tenon has run yet
    """
    return _bridge.load(plugin)
