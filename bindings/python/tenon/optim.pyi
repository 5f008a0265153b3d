# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/optim.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class Optimizer:
    """Updates parameters by their gradients."""

    def __init__(self, name: Any, params: Any, **hypers: Any) -> None: ...
    def load_state_dict(self, saved: Any) -> Any:
        """Goes on where `state_dict` was, with all of its numbers and states: a parameter that had none makes its first step next."""
        ...
    def state_dict(self) -> Any:
        """Hyper-parameters as numbers, and state tensors by '<place>.<name>': for checkpoints."""
        ...
    def step(self, *, clear_grad: Any = ...) -> Any:
        """Updates every parameter that has a gradient, and then drops the gradients if asked."""
        ...
    def zero_grad(self) -> Any:
        """Drops the gradients of all parameters."""
        ...
    def __setattr__(self, name: _b.str, value: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...


class ParamGroup:
    """Parameters with the same hyper-parameters: `group['lr'] = 0.01`, `group['params']`."""

    def __getitem__(self, key: Any) -> Any: ...
    def __init__(self, handle: Any, name: Any, place: Any, params: Any) -> None: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> Any: ...
    def get(self, key: Any, default: Any = ...) -> Any:
        """D.get(k[,d]) -> D[k] if k in D, else d."""
        ...
    def items(self) -> Any:
        """D.items() -> a set-like object providing a view on D's items"""
        ...
    def keys(self) -> Any:
        """D.keys() -> a set-like object providing a view on D's keys"""
        ...
    def values(self) -> Any:
        """D.values() -> an object providing a view on D's values"""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...

def adadelta(
    params: Any,
    *,
    lr: _b.float = ...,
    rho: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """Adadelta with L2 penalty, as torch.optim.Adadelta."""
    ...
def adafactor(
    params: Any,
    *,
    lr: _b.float = ...,
    beta2_decay: _b.float = ...,
    eps1: _b.float = ...,
    eps2: _b.float = ...,
    clip_threshold: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """Adafactor, as torch.optim.Adafactor: of a matrix it keeps a number for each row and each column."""
    ...
def adagrad(
    params: Any,
    *,
    lr: _b.float = ...,
    lr_decay: _b.float = ...,
    weight_decay: _b.float = ...,
    eps: _b.float = ...,
) -> Optimizer:
    """Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad."""
    ...
def adam(
    params: Any,
    *,
    lr: _b.float = ...,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """Adam with bias correction and L2 penalty, as torch.optim.Adam."""
    ...
def adamw(
    params: Any,
    *,
    lr: _b.float = ...,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """Adam with decoupled weight decay, as torch.optim.AdamW."""
    ...
def lamb(
    params: Any,
    *,
    lr: _b.float = ...,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """LAMB: Adam whose steps are a share of each parameter's norm, for large batches."""
    ...
def lion(
    params: Any,
    *,
    lr: _b.float = ...,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    weight_decay: _b.float = ...,
) -> Optimizer:
    """Lion with decoupled weight decay, as its authors publish it."""
    ...
def muon(
    params: Any,
    *,
    lr: _b.float = ...,
    momentum: _b.float = ...,
    nesterov: _b.bool = ...,
    weight_decay: _b.float = ...,
    eps: _b.float = ...,
    iterations: _b.int = ...,
    match_adamw: _b.bool = ...,
) -> Optimizer:
    """Muon for matrices, as torch.optim.Muon but without its rounding to bf16."""
    ...
def nadam(
    params: Any,
    *,
    lr: _b.float = ...,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum_decay: _b.float = ...,
    decoupled: _b.bool = ...,
) -> Optimizer:
    """Adam with Nesterov momentum, as torch.optim.NAdam."""
    ...
def rmsprop(
    params: Any,
    *,
    lr: _b.float = ...,
    alpha: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum: _b.float = ...,
    centered: _b.bool = ...,
) -> Optimizer:
    """RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop."""
    ...
def sgd(
    params: Any,
    *,
    lr: _b.float = ...,
    momentum: _b.float = ...,
    dampening: _b.float = ...,
    weight_decay: _b.float = ...,
    nesterov: _b.bool = ...,
) -> Optimizer:
    """Stochastic gradient descent with momentum, dampening, weight decay and Nesterov's rule, as torch.optim.SGD."""
    ...
