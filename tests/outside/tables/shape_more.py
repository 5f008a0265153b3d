# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/shape_more.py: more of the same elements in other places, and tensors that
# follow from attributes.

import torch
from opinfo_table import (
    AXIS_OF_RANK_0,
    CALLED_FOR_GRADIENT,
    OUT_OF_RANGE,
    Entry,
    Row,
    beyond,
    call,
    on_cpu,
    shape_of,
    sizes,
)


def viewed(input, *size):
    """A view only where PyTorch has one, too."""
    shape = shape_of(size)
    try:
        input.detach().view(shape)
    except RuntimeError:
        return call(input, lacks={"strides that no view has": True})
    return call(input, shape=shape)


def flatten(input, start_dim=0, end_dim=-1):
    return call(input, start_axis=start_dim, end_axis=end_dim)


def unsqueeze(input, dim):
    return call(input, axes=[dim])


def flip(input, dims):
    axes = [dims] if isinstance(dims, int) else list(dims)
    return call(input, axes=axes, lacks={AXIS_OF_RANK_0: input.dim() == 0 and bool(axes)})


def diagonal(input, offset=0, dim1=0, dim2=1):
    return call(input, offset=offset, axis0=dim1, axis1=dim2)


def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return diagonal(A, offset, dim1, dim2)


def unfold(input, dimension, size, step):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, axis=dimension, size=size, step=step, lacks=lacks)


def piece(input, index, **attributes):
    """PyTorch gives a list of pieces, Tenon one of them: here the last but one, or the only one."""
    return call(input, index=index, finish=lambda pieces: pieces[index], **attributes)


def split(tensor, split_size_or_sections, dim=0):
    given = split_size_or_sections
    if isinstance(given, int):
        length = tensor.shape[dim]
        given = [min(given, length - start) for start in range(0, length, given)]
    return piece(tensor, max(len(given) - 2, 0), sizes=list(given), axis=dim)


def chunk(input, chunks, dim=0):
    pieces = len(torch.chunk(input, chunks, dim))
    return piece(input, max(pieces - 2, 0), chunks=chunks, axis=dim)


def stack(tensors, dim=0):
    return call(list(tensors), axis=dim)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    lacks = {
        "a number of its own for each element": isinstance(repeats, torch.Tensor),
        AXIS_OF_RANK_0: input.dim() == 0 and dim is not None,
    }
    return call(input, repeats=repeats, axis=dim, lacks=lacks)


def tile(input, *dims):
    return call(input, repetitions=shape_of(dims))


def roll(input, shifts, dims=None):
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    axes = [dims] if isinstance(dims, int) else dims and list(dims)
    return call(input, shifts=shifts, axes=axes or None)


def pad(input, pad, mode="constant", value=None):
    """PyTorch's pairs begin at the last axis."""
    pairs = list(pad)
    axes = [-1 - i for i in range(len(pairs) // 2)]
    lacks = {"negative pads but with a constant": mode != "constant" and min(pairs) < 0}
    return call(input, pads=pairs, axes=axes, mode=mode, value=value or 0, lacks=lacks)


def zeros_like(input, *, dtype=None, device=None):
    return filled_like(input, 0, dtype=dtype, device=device)


def ones_like(input, *, dtype=None, device=None):
    return filled_like(input, 1, dtype=dtype, device=device)


def filled_like(input, fill_value, *, dtype=None, device=None):
    lacks = {
        "dtype": dtype not in (None, input.dtype),
        "device": not on_cpu(device),
        "complex number": isinstance(fill_value, complex),
    }
    if not isinstance(fill_value, complex):
        lacks[OUT_OF_RANGE] = beyond(dtype or input.dtype, fill_value)
    return call(input, value=fill_value, lacks=lacks)


def eye(n, m=None, *, dtype, device, requires_grad=False):
    return call(n=n, m=m, dtype=dtype, lacks={"device": not on_cpu(device)})


def arange(start, *bounds, end=None, dtype=None, device=None):
    bounds = bounds if end is None else (end, *bounds)
    start, stop, step = (*((start, *bounds) if bounds else (0, start)), 1)[:3]
    whole = not any(isinstance(bound, float) for bound in (start, stop, step))
    dtype = dtype or (torch.int64 if whole else torch.get_default_dtype())
    lacks = {
        "integers from floats, which PyTorch truncates before it adds": not whole
        and not dtype.is_floating_point,
    }
    if whole:
        elements = range(start, stop, step)
        lacks[OUT_OF_RANGE] = len(elements) > 0 and beyond(dtype, elements[0], elements[-1])
    return call(start=start, stop=stop, step=step, dtype=dtype, lacks=lacks)


def linspace(start, end, steps, *, dtype=None, device=None):
    start, stop = (e.item() if isinstance(e, torch.Tensor) else e for e in (start, end))
    lacks = {
        "complex number": isinstance(start, complex) or isinstance(stop, complex),
        "no dtype, which is another than that of the sample": dtype is None,
    }
    return call(start=start, stop=stop, num=steps, dtype=dtype, lacks=lacks)


SPACED = "PyTorch computes in the dtype, and linspace from either end"

TABLE = {
    "tenon.arange": Entry([Row("arange", arange)], 2, 32, SPACED, sums=True),
    "tenon.broadcast_to": Entry([Row("broadcast_to", sizes)]),
    "tenon.chunk": Entry([Row("chunk", chunk), Row("unsafe_chunk", chunk)]),
    "tenon.diagonal": Entry(
        [
            Row("diagonal", diagonal),
            Row("diagonal_copy", diagonal),
            Row("linalg.diagonal", linalg_diagonal),
        ]
    ),
    "tenon.eye": Entry([Row("eye", eye)]),
    "tenon.flatten": Entry([Row("flatten", flatten), Row("ravel", flatten)]),
    "tenon.flip": Entry(
        [
            Row("flip", flip),
            Row("fliplr", lambda input: flip(input, 1)),
            Row("flipud", lambda input: flip(input, 0)),
        ]
    ),
    "tenon.full_like": Entry(
        [
            Row("full_like", filled_like),
            Row("zeros_like", zeros_like),
            Row("ones_like", ones_like),
        ]
    ),
    "tenon.linspace": Entry(
        [Row("linspace", linspace), Row("linspace.tensor_overload", linspace)],
        4,
        32,
        SPACED,
        sums=True,
    ),
    "tenon.pad": Entry(
        [
            Row("nn.functional.pad.constant", pad),
            Row("nn.functional.pad.reflect", pad),
            Row("nn.functional.pad.replicate", pad),
            Row("nn.functional.pad.replicate_negative", pad),
            Row("nn.functional.pad.circular", pad),
        ],
    ),
    "tenon.repeat": Entry([Row("repeat_interleave", repeat_interleave)]),
    "tenon.roll": Entry([Row("roll", roll)]),
    "tenon.split": Entry(
        [
            Row("split", split),
            Row("split.list_args", split),
            Row("unsafe_split", split),
            Row("split_with_sizes", split),
        ]
    ),
    "tenon.stack": Entry([Row("stack", stack)]),
    "tenon.tile": Entry([Row("tile", tile), Row("repeat", tile)]),
    "tenon.unfold": Entry([Row("unfold", unfold), Row("unfold_copy", unfold)]),
    "tenon.unsqueeze": Entry([Row("unsqueeze", unsqueeze), Row("unsqueeze_copy", unsqueeze)]),
    "tenon.view": Entry([Row("view", viewed)]),
}

WITHOUT = {"tenon.unfold_add": CALLED_FOR_GRADIENT.format("unfold")}
