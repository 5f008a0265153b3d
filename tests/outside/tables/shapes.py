# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/shapes.py: the same elements in another shape or order, parts of them,
# several together.

import torch
from opinfo_table import AXIS_OF_RANK_0, Entry, Row, call, sizes


def unflattened(input, dim, sizes):
    dim %= input.dim()
    return call(input, shape=[*input.shape[:dim], *sizes, *input.shape[dim + 1 :]])


def flattened(input, start_dim=0, end_dim=-1):
    return call(input, shape=list(torch.flatten(input, start_dim, end_dim).shape))


def concatenated(tensors, dim=0):
    # PyTorch skips an operand of shape (0,) among others of higher rank.
    ranks = {tensor.dim() for tensor in tensors}
    return call(list(tensors), axis=dim, lacks={"operands of different rank": len(ranks) > 1})


def select(input, dim, index):
    index %= input.shape[dim]
    return call(input, axis=dim, start=index, stop=index + 1, finish=lambda y: y.unsqueeze(dim))


def narrow(input, dim, start, length):
    start = int(start) % max(input.shape[dim], 1) if int(start) < 0 else int(start)
    return call(input, axis=dim, start=start, stop=start + length)


def get_item(input, index):
    lone = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if not isinstance(lone, slice):
        return call(input, lacks={"an index that is not one slice": True})
    return call(input, axis=0, start=lone.start, stop=lone.stop, step=lone.step or 1)


def slice_put(input, source, dim=0, start=None, end=None, step=1):
    return call(source, shape=list(input.shape), axis=dim, start=start or 0, step=step)


def slice_into_zeros(input, source, *arguments):
    return torch.slice_scatter(torch.zeros_like(input), source, *arguments)


def squeeze(input, dim=None):
    """PyTorch leaves an axis that is longer than 1; Tenon refuses it."""
    if dim is None:
        return call(input, axes=None)
    axes = [dim] if isinstance(dim, int) else list(dim)
    scalar = input.dim() == 0 and bool(axes)
    longer = not scalar and any(input.shape[axis] != 1 for axis in axes)
    return call(input, axes=axes, lacks={"axis longer than 1": longer, AXIS_OF_RANK_0: scalar})


def transposed(input):
    return call(input, axis0=0, axis1=-1, lacks={"rank below 2": input.dim() < 2})


def transpose(input, dim0, dim1):
    return call(input, axis0=dim0, axis1=dim1, lacks={AXIS_OF_RANK_0: input.dim() == 0})


def movedim(input, source, destination):
    # Sizes that tell the axes apart; without memory, for eight axes would fill much of it.
    marked = torch.empty([axis + 1 for axis in range(input.dim())], device="meta")
    moved = torch.movedim(marked, source, destination)
    return call(input, axes=[size - 1 for size in moved.shape])


TABLE = {
    "tenon.concat": Entry([Row("cat", concatenated)]),
    "tenon.expand": Entry(
        [
            Row("expand", sizes),
            Row("broadcast_to", sizes),
            Row("expand_as", lambda input, other: call(input, shape=list(other.shape))),
        ]
    ),
    "tenon.permute": Entry(
        [Row("permute", lambda input, dims: call(input, axes=list(dims))), Row("movedim", movedim)]
    ),
    "tenon.reshape": Entry(
        [
            Row("reshape", sizes),
            Row("view", sizes),
            Row("flatten", flattened),
            Row("ravel", flattened),
            Row("unflatten", unflattened),
        ]
    ),
    "tenon.slice": Entry(
        [Row("narrow", narrow), Row("select", select), Row("__getitem__", get_item)]
    ),
    "tenon.slice_put": Entry([Row("slice_scatter", slice_put, reference=slice_into_zeros)]),
    "tenon.squeeze": Entry([Row("squeeze", squeeze)]),
    "tenon.transpose": Entry([Row("transpose", transpose), Row("t", transposed)]),
}
