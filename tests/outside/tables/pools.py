# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/pools.py: windows that slide over an image.
#
# PyTorch takes an image without a batch as well, which Tenon asks to be reshaped.

import torch

from opinfo_table import CALLED_FOR_GRADIENT, SUMS, Entry, Row, call

BATCH = "an image without a batch"
NO_SIZE = "a size that is left as it is"


def listed(given):
    return [given] if isinstance(given, int) else list(given)


def unbatched(input, rank):
    return {BATCH: input.dim() != rank + 2}


def max_pool(rank):
    def translate(
        input,
        kernel_size,
        stride=None,
        padding=0,
        dilation=1,
        ceil_mode=False,
        return_indices=False,
    ):
        return call(
            input,
            kernel=listed(kernel_size),
            stride=None if stride is None else listed(stride),
            padding=listed(padding),
            dilation=listed(dilation),
            ceil_mode=ceil_mode,
            finish=lambda y: y[0] if isinstance(y, tuple) else y,
            lacks=unbatched(input, rank),
        )

    return translate


def positions(rank):
    pool = getattr(torch.nn.functional, f"max_pool{rank}d_with_indices")

    def reference(input, *given, **named):
        return pool(input, *given, **{**named, "return_indices": True})[1]

    return reference


def avg_pool(rank):
    def translate(
        input,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        lacks = {"a divisor of its own": divisor_override is not None}
        return call(
            input,
            kernel=listed(kernel_size),
            stride=None if stride is None else listed(stride),
            padding=listed(padding),
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            lacks={**unbatched(input, rank), **lacks},
        )

    return translate


def adaptive(rank):
    def translate(input, output_size):
        sizes = listed(output_size)
        return call(
            input,
            size=sizes,
            lacks={**unbatched(input, rank), NO_SIZE: None in sizes, "no place": 0 in input.shape},
        )

    return translate


def max_rows(rank):
    """The values and the positions."""
    name, translate = f"nn.functional.max_pool{rank}d", max_pool(rank)
    yield Row(name, translate, outputs=2)
    yield Row(name, translate, positions(rank), outputs=2, output=1)


RANKS = (1, 2, 3)

TABLE = {
    "tenon.adaptive_avg_pool": Entry(
        [Row(f"nn.functional.adaptive_avg_pool{rank}d", adaptive(rank)) for rank in RANKS],
        2,
        why=SUMS,
        sums=True,
    ),
    "tenon.avg_pool": Entry(
        [Row(f"nn.functional.avg_pool{rank}d", avg_pool(rank)) for rank in RANKS],
        2,
        why=SUMS,
        sums=True,
    ),
    "tenon.max_pool": Entry(
        [row for rank in RANKS for row in max_rows(rank)],
    ),
}

WITHOUT = {
    "tenon.adaptive_avg_pool_grad": CALLED_FOR_GRADIENT.format("adaptive_avg_pool"),
    "tenon.avg_pool_grad": CALLED_FOR_GRADIENT.format("avg_pool"),
    "tenon.max_pool_grad": CALLED_FOR_GRADIENT.format("max_pool"),
}
