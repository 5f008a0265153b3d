# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/data.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Iterator, Sequence
from typing import Any

from tenon import Dtype, Tensor

class Dataset:
    """Samples of one or more fields, in host memory when asked for."""

    def __getitem__(self, key: Any) -> Any: ...
    def __init__(self, name: Any, **options: Any) -> None: ...
    def __len__(self) -> Any: ...
    def take(self, indices: Any) -> Any:
        """Samples by number: a tuple of tensors [n, ...], one for each field."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


def batches(dataset: Any, size: Any, *, seed: Any = ..., drop_last: Any = ...) -> Any:
    """Goes once through a data set, `size` samples at a time."""
    ...
def cifar(*, paths: _b.str, classes: _b.int | None = ...) -> Dataset:
    """Colour pictures in the binary files of CIFAR-10 and CIFAR-100."""
    ...
def csv(
    *,
    path: _b.str,
    label: _b.str | None = ...,
    target: _b.str | None = ...,
    delimiter: _b.str | None = ...,
    header: _b.bool | None = ...,
) -> Dataset:
    """Rows of numbers in a text file."""
    ...
def idx(*, images: _b.str, labels: _b.str | None = ...) -> Dataset:
    """Samples and labels in idx files, the format of MNIST."""
    ...
def npy(*, x: _b.str, y: _b.str | None = ...) -> Dataset:
    """Arrays that NumPy saved."""
    ...
def text(
    *,
    path: _b.str,
    tokenizer: _b.str,
    window: _b.int,
    stride: _b.int | None = ...,
) -> Dataset:
    """Windows of tokens of one text."""
    ...
