# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/torch.py: ops, layers and optimizers of plugins in PyTorch.
"""Ops of Tenon's plugins as ops of PyTorch, on the same memory.

    import tenon.torch

    y = tenon.torch.ops.tenon.gelu(x)            # x: torch.Tensor; y.backward() works
    fast = tenon.torch.load("acme.fast")          # a plugin by its id, or by its folder
    y = fast.swish_beta(x, beta=2.0)

Each op is `torch.ops.<vendor>.<name>`, with a schema, a gradient and a rule for its shapes, so
`torch.compile` and `torch.export` see one node. `Module` makes a layer of Tenon an `nn.Module`,
`Optimizer` one of its optimizers a `torch.optim.Optimizer`, and `function` makes a function of
PyTorch an op of Tenon. docs/torch.md states the rules.
"""

from tenon._torch_functions import function
from tenon._torch_models import Module, Optimizer
from tenon._torch_names import load, ops

__all__ = ["Module", "Optimizer", "function", "load", "ops"]
