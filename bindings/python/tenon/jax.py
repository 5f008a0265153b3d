# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/jax.py: ops of plugins in JAX.
"""Ops of Tenon's plugins as functions of JAX's arrays, on the same memory.

    import tenon.jax

    y = tenon.jax.ops.tenon.gelu(x)              # x: jax.Array; under jit, grad, vmap
    fast = tenon.jax.load("acme.fast")           # a plugin by its id, or by its folder
    y = fast.swish_beta(x, beta=2.0)

A call is one node of the compiled program, its gradient another. docs/jax.md states the rules.
"""

from tenon import _bridge_names
from tenon._jax_ops import find

_bridge = _bridge_names.Bridge("tenon.jax", "JAX", find)
ops = _bridge.ops


def load(plugin):
    """The ops of one plugin as functions of JAX's arrays.

    plugin   its id, "acme.fast", or the path of its folder, which need not be on Tenon's paths if
             nothing of Tenon has run yet
    """
    return _bridge.load(plugin)


__all__ = ["load", "ops"]
