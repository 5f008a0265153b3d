# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/processes.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class DataParallel:
    """Training steps whose batch is cut into shards, which the processes of a group share."""

    def __init__(
        self,
        params: Any,
        group: Any = ...,
        shards: Any = ...,
        bucket_bytes: Any = ...,
        buffers: Any = ...,
    ) -> None: ...
    def clip(self, max_norm: Any) -> Any:
        """Makes all gradients together no longer than `max_norm`, before `optimizer.step()`; returns their norm."""
        ...
    def gather_states(self, root: Any = ...) -> Any:
        """Gives rank `root` the whole states of the optimizer until its next step: for its `state_dict`, or a checkpoint."""
        ...
    def shards(self) -> Any:
        """The shards of this process for one step, one after the other: end each by `shard.backward(loss)`."""
        ...
    def share_states(self, optimizer: Any) -> Any:
        """Lets each process hold a size-th of the optimizer's state, from the next step on: it updates its share of every bucket, and `optimizer.step()` gathers the parameters."""
        ...
    def steps(self, batches: Any) -> Any:
        """The steps of one pass through `batches`, which are single shards: for each step its shards, with the batch of each."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Group:
    """Processes that send each other tensors; `join` makes the group of all."""

    def __init__(self, handle: Any) -> None: ...
    def all_gather(self, x: Any) -> Any:
        """[size, ...]: the x of each process."""
        ...
    def all_reduce(self, x: Any, reduction: Any = ...) -> Any:
        """The 'sum', 'mean' or 'max' of all processes' x."""
        ...
    def all_to_all(self, x: Any) -> Any:
        """[size, ...]: our row of the x [size, ...] of each process."""
        ...
    def barrier(self, timeout: Any = ...) -> Any:
        """Returns when all processes have come."""
        ...
    def begin(
        self,
        collective: Any,
        input: Any = ...,
        output: Any = ...,
        peer: Any = ...,
        timeout: Any = ...,
    ) -> Any:
        """Begins a transfer and returns at once: a Transfer."""
        ...
    def begin_all(self, requests: Any, timeout: Any = ...) -> Any:
        """The same for a list of (collective, input, output, peer), 'send' and 'receive' alone, which go on side by side."""
        ...
    def broadcast(self, x: Any, root: Any = ...) -> Any:
        """The x of rank `root`; that of the others gives shape and dtype."""
        ...
    def info(self) -> Any:
        """What was sent so far: a dict of transfers, bytes_sent and bytes_agreed (on what to send)."""
        ...
    def reduce_scatter(self, x: Any) -> Any:
        """Our row of the sum of all processes' x [size, ...]."""
        ...
    def split(self, color: Any, key: Any = ...) -> Any:
        """The group of all processes that give the same color, in the order of their keys, then of their ranks."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Shard:
    """One shard of a step, while it is computed."""

    def __init__(self, parallel: Any, number: Any) -> None: ...
    def backward(self, loss: Any) -> Any:
        """Ends the shard: the backward of its loss, the mean over its samples."""
        ...
    def part(self, batch: Any) -> Any:
        """Our rows of a batch [n, ...] that all processes read whole: n is to be a multiple of the number of shards."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Transfer:
    """Something that is on its way; `end()` waits for it."""

    def __init__(self, handle: Any) -> None: ...
    def end(self) -> Any:
        """Waits."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


def join(engine: Any, timeout: Any = ..., **options: Any) -> Any:
    """All processes of the program, as a Group, when they have joined."""
    ...
