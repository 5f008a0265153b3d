# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/schedules.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class Schedule:
    """One number for each step, an iterator without an end."""

    def __init__(self, name: Any, base_value: Any, **hypers: Any) -> None: ...
    def __iter__(self) -> Any: ...
    def __next__(self) -> Any: ...
    def advance(self, metric: Any = ...) -> Any:
        """The value of the next step; `metric` is what was measured in the one before."""
        ...
    def load_state_dict(self, saved: Any) -> Any:
        """Goes on where `state_dict` was."""
        ...
    def state_dict(self) -> Any:
        """What it remembers between steps, by name."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...

def constant(base_value: Any, *, factor: _b.float = ..., steps: _b.int = ...) -> Schedule:
    """The base value; in the first `steps` steps multiplied by `factor`."""
    ...
def cosine(
    base_value: Any,
    *,
    period: _b.int,
    minimum: _b.float = ...,
    restarts: _b.bool = ...,
    growth: _b.int = ...,
) -> Schedule:
    """From the base value to `minimum` along half a cosine in `period` steps; then it stays there, or with `restarts` begins again, each time `growth` times as slowly."""
    ...
def exponential(base_value: Any, *, factor: _b.float) -> Schedule:
    """The base value, multiplied by `factor` once more in each step."""
    ...
def linear_warmup(
    base_value: Any,
    *,
    steps: _b.int,
    start_factor: _b.float = ...,
    end_factor: _b.float = ...,
) -> Schedule:
    """A straight line from `start_factor` times the base value in step 0 to `end_factor` times it in step `steps`, which then stays."""
    ...
def multi_step(
    base_value: Any,
    *,
    milestones: Sequence[_b.int],
    factor: _b.float = ...,
) -> Schedule:
    """The base value, multiplied by `factor` once more from each milestone on; one that is listed twice counts twice."""
    ...
def one_cycle(
    base_value: Any,
    *,
    steps: _b.int,
    warm_share: _b.float = ...,
    start_divisor: _b.float = ...,
    end_divisor: _b.float = ...,
    three_phases: _b.bool = ...,
    linear: _b.bool = ...,
) -> Schedule:
    """Grows from a share of the base value to the base value and then falls far below where it began; a cycle has `steps` steps and no more."""
    ...
def plateau(
    base_value: Any,
    *,
    factor: _b.float = ...,
    patience: _b.int = ...,
    threshold: _b.float = ...,
    relative: _b.bool = ...,
    maximize: _b.bool = ...,
    cooldown: _b.int = ...,
    minimum: _b.float = ...,
    smallest_change: _b.float = ...,
) -> Schedule:
    """The base value, multiplied by `factor` when more than `patience` metrics in a row were no better than the best before."""
    ...
def step(base_value: Any, *, period: _b.int, factor: _b.float = ...) -> Schedule:
    """The base value, multiplied by `factor` once more every `period` steps."""
    ...
