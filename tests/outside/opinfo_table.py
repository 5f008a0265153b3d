# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_table.py: which of PyTorch's OpInfos show what each op of Tenon means.
"""In each file of tables/ TABLE maps an op of Tenon to rows; WITHOUT names the ops that no OpInfo
can show, and why. Every registered op is in one of the two of one file.

A row names an OpInfo ("div", or "div.no_rounding_mode" for one variant) and translates its samples:
a function with the parameters of PyTorch's op that gives a Call: Tenon's inputs and attributes.

lacks   {what: given}: where `given` is true the sample asks for what Tenon's op does not offer, and
        counts as uncovered under that name
finish  from PyTorch's result to Tenon's, where the two differ in form

A sample the function has no parameter for is an error, so nothing that PyTorch adds goes unseen.
"""

import dataclasses
from collections.abc import Callable

import torch

AXIS_OF_RANK_0 = "axis of a tensor of rank 0"
HOST = "host"  # an attribute that is the host device's kind

# Where a slack comes from.
LIBRARY = "one call of a mathematical function on either side, and products in the gradient"
SUMS = "PyTorch adds in another order"

CALLED_FOR_GRADIENT = "no OpInfo: what {} calls for its gradient, which is compared"


@dataclasses.dataclass
class Call:
    inputs: list
    attributes: dict
    lacks: dict
    finish: Callable


@dataclasses.dataclass
class Row:
    opinfo: str
    translate: Callable
    reference: Callable | None = None  # instead of PyTorch's op
    writes: bool = False  # the op's first input is its result
    outputs: int = 1  # that the op has
    output: int = 0  # which of them is compared


@dataclasses.dataclass
class Entry:
    """`slack`: how many units in the last place a result may be off; None: not at all, save that
    zeros of either sign are equal, and NaNs. With `sums` the units are those of the largest number
    among operands and results, because an order of adding shows where terms cancel. Units of a
    gradient (float64) are always those, and its slack is wide because broadcasting adds a hundred
    numbers and more. `why` says where a slack comes from.
    """

    rows: list
    slack: float | None = None
    gradient_slack: float = 32
    why: str = "every result is exact"
    sums: bool = False


def call(*inputs, lacks=None, finish=lambda y: y, **attributes):
    return Call(list(inputs), attributes, lacks or {}, finish)


def axes_of(dim):
    """PyTorch's dim as Tenon's axes; an empty tuple stands for all, as none does."""
    if dim is None or isinstance(dim, int):
        return None if dim is None else [dim]
    return list(dim) or None


def shape_of(given):
    """Sizes given as one tuple or one by one."""
    return list(given[0] if len(given) == 1 and not isinstance(given[0], int) else given)


def beyond(dtype, *numbers):
    """What Tenon refuses and PyTorch wraps: elements of an integer dtype that it does not hold."""
    if dtype is torch.bool or dtype.is_floating_point or dtype.is_complex:
        return False
    limits = torch.iinfo(dtype)
    return any(not limits.min <= number <= limits.max for number in numbers)


OUT_OF_RANGE = "a number that the dtype does not hold"


def on_cpu(device):
    return device is None or torch.device(device).type == "cpu"


# ---- translations that several rows share -------------------------------------------------------


def unary(input):
    return call(input)


def binary(input, other):
    return call(input, other)


def reduction(input, dim=None, keepdim=False, *, dtype=None):
    axes = axes_of(dim)
    lacks = {"dtype": dtype is not None, AXIS_OF_RANK_0: input.dim() == 0 and axes is not None}
    return call(input, axes=axes, keepdims=keepdim, lacks=lacks)


def in_dtype_of(input):
    """sum_to and einsum add integers in their own dtype, modulo 2^bits; PyTorch in int64."""
    return lambda y: y if y.dtype.is_floating_point else y.to(input.dtype)


def sizes(input, *size):
    return call(input, shape=shape_of(size))


def maximum_along(input, dim, keepdim=False):
    plain = reduction(input, dim, keepdim)
    return dataclasses.replace(plain, finish=lambda y: y.values)


def argmax(input, dim=None, keepdim=False):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0 and dim is not None}
    return call(input, axis=dim, keepdims=keepdim, lacks=lacks)
