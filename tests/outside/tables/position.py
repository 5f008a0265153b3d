# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/position.py: rotations, waves and biases that say where a row stands, as
# programs of PyTorch write them. PyTorch has none of its own: samples of other ops lend the shapes.

import math

import torch
from opinfo_table import Entry, Row, call, on_cpu

PRODUCTS = "both round the same products and sums; PyTorch's gradients add in another order"
ANGLES = "an angle is rounded, and sine and cosine are within one unit"
HEAD = 6  # of a row of layer_norm's samples, the elements that may be rotated


def angles(rows, pairs):
    return torch.outer(torch.arange(rows) + 3, 0.7 ** torch.arange(pairs)).double()


def operands(input):
    """Three rows of the tables are of no use: x begins at position 3."""
    rows, pairs = input.shape[-2], min(input.shape[-1], HEAD) // 2
    angle = torch.cat([torch.zeros(3, pairs), angles(rows, pairs)])
    return input, angle.cos().to(input.dtype), angle.sin().to(input.dtype)


def rope(layout):
    def translate(input, *_, **__):
        lacks = {"rank below 2": input.dim() < 2}
        if input.dim() < 2:
            return call(input, lacks=lacks)
        return call(*operands(input), layout=layout, offset=3)

    return translate


def in_arithmetic(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def rotate_half(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def by_halves(input, *_, **__):
    """apply_rotary_pos_emb of Hugging Face's Llama, of GPT-NeoX where rows are longer."""
    x, cos, sin = (in_arithmetic(each) for each in operands(input))
    turned, rest = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    cos, sin = (torch.cat([each[3:]] * 2, -1) for each in (cos, sin))
    return torch.cat([turned * cos + rotate_half(turned) * sin, rest], -1).to(input.dtype)


def by_complex_numbers(input, *_, **__):
    """apply_rotary_emb of Meta's Llama: a pair is a complex number, multiplied by one of size 1."""
    x, cos, sin = (in_arithmetic(each) for each in operands(input))
    turned, rest = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    pairs = torch.view_as_complex(turned.unflatten(-1, (-1, 2)).contiguous())
    turned = torch.view_as_real(pairs * torch.complex(cos, sin)[3:]).flatten(-2)
    return torch.cat([turned, rest], -1).to(input.dtype)


# ---- tables, of the sizes that eye is asked for --------------------------------------------------


def sizes(n, m=None):
    return n, n if m is None else m


def rope_tables(n, m=None, *, dtype, device, requires_grad=False):
    positions, pairs = sizes(n, m)
    lacks = {"device": not on_cpu(device), "no pairs": pairs == 0}
    return call(positions=positions, dims=2 * pairs, scale=0.5, dtype=dtype, lacks=lacks)


def rope_table(n, m=None, *, dtype, device, requires_grad=False):
    positions, pairs = sizes(n, m)
    lacks = {"device": not on_cpu(device), "no pairs": pairs == 0}
    return call(shape=[positions, pairs], part="sin", scale=0.5, dtype=dtype, lacks=lacks)


def rope_tables_of(function):
    def reference(n, m=None, *, dtype, **_):
        """As Hugging Face's LlamaRotaryEmbedding, in float64."""
        positions, pairs = sizes(n, m)
        exponents = torch.arange(0, 2 * pairs, 2, dtype=torch.float64) / (2 * pairs)
        inverse = 1.0 / (10000**exponents)
        return function(torch.outer(torch.arange(positions).double() * 0.5, inverse)).to(dtype)

    return reference


def sinusoidal(n, m=None, *, dtype, device, requires_grad=False):
    positions, dims = sizes(n, m)
    lacks = {"device": not on_cpu(device), "no columns": dims == 0}
    return call(shape=[positions, dims], dtype=dtype, lacks=lacks)


def sinusoidal_reference(n, m=None, *, dtype, **_):
    """As in PyTorch's tutorial on the Transformer."""
    positions, dims = sizes(n, m)
    position = torch.arange(positions, dtype=torch.float64).unsqueeze(1)
    rate = torch.exp(torch.arange(0, dims, 2).double() * (-math.log(10000.0) / dims))
    table = torch.zeros(positions, dims, dtype=torch.float64)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate[: dims // 2])
    return table.to(dtype)


def alibi(n, m=None, *, dtype, device, requires_grad=False):
    heads, keys = sizes(n, m)
    lacks = {"device": not on_cpu(device), "no heads": heads == 0}
    return call(heads=heads, queries=2, keys=keys, offset=keys - 2, dtype=dtype, lacks=lacks)


def slopes(heads):
    """get_slopes of the paper's code."""

    def of_power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return of_power(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return of_power(closest) + slopes(2 * closest)[0::2][: heads - closest]


def alibi_reference(n, m=None, *, dtype, **_):
    heads, keys = sizes(n, m)
    apart = torch.arange(keys - 2, keys).unsqueeze(1) - torch.arange(keys)
    slope = torch.tensor(slopes(heads), dtype=torch.float64).reshape(-1, 1, 1)
    return (slope * -apart.abs()).to(dtype)


TABLE = {
    "tenon.rope": Entry(
        [
            Row("nn.functional.glu", rope("halves"), by_halves),
            Row("nn.functional.glu", rope("pairs"), by_complex_numbers),
            Row("nn.functional.layer_norm", rope("halves"), by_halves),
            Row("nn.functional.layer_norm", rope("pairs"), by_complex_numbers),
        ],
        2,
        8,
        PRODUCTS,
        sums=True,
    ),
    "tenon.rope_tables": Entry(
        [
            Row("eye", rope_tables, rope_tables_of(torch.cos), outputs=2, output=0),
            Row("eye", rope_tables, rope_tables_of(torch.sin), outputs=2, output=1),
        ],
        8,
        32,
        ANGLES,
        sums=True,
    ),
    "tenon.rope_table": Entry(
        [Row("eye", rope_table, rope_tables_of(torch.sin))], 8, 32, ANGLES, sums=True
    ),
    "tenon.sinusoidal_positions": Entry(
        [Row("eye", sinusoidal, sinusoidal_reference)], 8, 32, ANGLES, sums=True
    ),
    "tenon.alibi_bias": Entry([Row("eye", alibi, alibi_reference)], 8, 32, "a power of a power"),
}
