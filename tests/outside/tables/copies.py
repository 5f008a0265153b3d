# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/copies.py: the same elements in memory of their own or in other dtypes, and
# tensors of one value.

import torch
from opinfo_table import HOST, OUT_OF_RANGE, Entry, Row, beyond, call, on_cpu


def in_format(input, *, memory_format=None):
    """A memory format says where the result lies, not what it is."""
    return call(input)


def cast_to(dtype):
    def translate(input, *, memory_format=None):
        return cast(input, dtype)

    return translate


def cast(input, dtype):
    undefined = False
    if input.is_floating_point() and not (dtype.is_floating_point or dtype == torch.bool):
        limits = torch.iinfo(dtype)
        value = input.detach().double()
        undefined = not bool(((value > limits.min - 1.0) & (value < limits.max + 1.0)).all())
    lacks = {"NaN or a float outside the integer's range, undefined in PyTorch": undefined}
    return call(input, dtype=dtype, lacks=lacks)


def rounded_once(dtype):
    """A cast to 16 bits. PyTorch rounds float64 to float32 first and so, now and then, twice. Here
    the first rounding is to odd, which leaves the second all it needs."""

    def reference(input, *, memory_format=None):
        out = input.to(dtype)
        if input.dtype == torch.float64:
            exact = input.detach()
            near = exact.float()
            bits = near.view(torch.int32) - (near.double().abs() > exact.abs()).int()
            odd = torch.where(near.double() == exact, near.view(torch.int32), bits | 1)
            with torch.no_grad():
                out.copy_(odd.view(torch.float32))
        return out

    return reference


def target(input, arguments, dtype):
    """The dtype that Tensor.to is asked for."""
    for argument in (*arguments, dtype):
        if isinstance(argument, torch.Tensor):
            return argument.dtype
        if isinstance(argument, torch.dtype):
            return argument
    return input.dtype


def to_cast(input, *arguments, dtype=None, memory_format=None):
    return cast(input, target(input, arguments, dtype))


def to_device(input, *arguments, dtype=None, memory_format=None):
    lacks = {"dtype": target(input, arguments, dtype) != input.dtype}
    return call(input, kind=HOST, index=0, lacks=lacks)


def filled(value):
    def translate(size, *, dtype, device):
        lacks = {"device": not on_cpu(device)}
        return call(shape=list(size), value=value, dtype=dtype, lacks=lacks)

    return translate


def full(size, fill_value, *, dtype, device):
    return call(shape=list(size), value=fill_value, dtype=dtype)


def full_like(input, fill_value, *, dtype=None, device=None):
    return new_full(input, input.shape, fill_value, dtype=dtype, device=device)


def new_full(input, size, fill_value, *, dtype=None, device=None):
    lacks = {"device": not on_cpu(device)}
    if not isinstance(fill_value, complex):
        lacks[OUT_OF_RANGE] = beyond(dtype or input.dtype, fill_value)
    return call(shape=list(size), value=fill_value, dtype=dtype or input.dtype, lacks=lacks)


CASTS = {
    "bool": torch.bool,
    "byte": torch.uint8,
    "char": torch.int8,
    "short": torch.int16,
    "int": torch.int32,
    "long": torch.int64,
    "float": torch.float32,
    "double": torch.float64,
}
NARROW_CASTS = {"half": torch.float16, "bfloat16": torch.bfloat16}

TABLE = {
    "tenon.cast": Entry(
        [
            Row("to", to_cast),
            *[Row(name, cast_to(dtype)) for name, dtype in CASTS.items()],
            *[
                Row(name, cast_to(dtype), rounded_once(dtype))
                for name, dtype in NARROW_CASTS.items()
            ],
        ]
    ),
    "tenon.copy": Entry([Row("clone", in_format), Row("contiguous", in_format)]),
    "tenon.full": Entry(
        [
            Row("full", full),
            Row("zeros", filled(0)),
            Row("ones", filled(1)),
            Row("full_like", full_like),
            Row("new_full", new_full),
        ]
    ),
    "tenon.to": Entry([Row("to", to_device)]),
}
