# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/reduce_more.py: OpInfos of reductions and scans besides sum, mean and max.

import dataclasses

import torch

from opinfo_table import (
    AXIS_OF_RANK_0,
    Entry,
    Row,
    argmax,
    axes_of,
    call,
    maximum_along,
    reduction,
    unary,
)

FREEDOM = "n - correction not positive: NaN here, also where PyTorch gives inf"
ORDER = "a norm that is not a vector norm"
DOUBLE = "computed in f64 and rounded once; PyTorch rounds in between"


def argmin_along(input, dim, keepdim=False):
    return dataclasses.replace(argmax(input, dim, keepdim), finish=lambda y: y.indices)


def truth(input, dim=None, keepdim=False):
    """Of uint8 PyTorch gives uint8."""
    plain = reduction(input, dim, keepdim)
    return dataclasses.replace(plain, finish=lambda y: y.bool())


def variance(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1.0 if unbiased is None else float(unbiased)
    plain = reduction(input, dim, keepdim)
    axes = plain.attributes["axes"]
    sizes = input.shape if axes is None else [input.shape[axis] for axis in axes]
    count = torch.Size(sizes).numel() if not plain.lacks[AXIS_OF_RANK_0] else 1
    plain.attributes["correction"] = float(correction)
    plain.lacks[FREEDOM] = count - correction <= 0
    return plain


def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None):
    plain = reduction(input, dim, keepdim, dtype=dtype)
    plain.attributes["ord"] = float(ord)
    return plain


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    matrix = not isinstance(p, (int, float)) and p not in (None, "fro")
    plain = vector_norm(input, 2 if isinstance(p, str) or p is None else p, dim, keepdim)
    plain.lacks.update({ORDER: matrix, "dtype": dtype is not None})
    return plain


def linalg_norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    """An order of two axes is one of matrices."""
    axes = axes_of(dim)
    rank = input.dim() if axes is None else len(axes)
    plain = vector_norm(input, ord if isinstance(ord, (int, float)) else 2, dim, keepdim)
    plain.lacks.update({ORDER: ord is not None and rank > 1, "dtype": dtype is not None})
    plain.lacks[ORDER] = plain.lacks[ORDER] or isinstance(ord, str)
    return plain


def scan(input, dim, *, dtype=None):
    lacks = {"dtype": dtype is not None, AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, axis=dim, lacks=lacks)


TABLE = {
    "tenon.all": Entry([Row("all", truth)]),
    "tenon.any": Entry([Row("any", truth)]),
    "tenon.count_nonzero": Entry([Row("count_nonzero", reduction)]),
    "tenon.argmin": Entry([Row("argmin", argmax), Row("min.reduction_with_dim", argmin_along)]),
    "tenon.cumprod": Entry([Row("cumprod", scan)], 8, 64, DOUBLE, sums=True),
    "tenon.cumsum": Entry([Row("cumsum", scan)], 4, 32, DOUBLE, sums=True),
    "tenon.logsumexp": Entry([Row("logsumexp", reduction)], 4, 32, DOUBLE, sums=True),
    "tenon.min": Entry(
        [
            Row("amin", reduction),
            Row("min.reduction_no_dim", unary),
            Row("min.reduction_with_dim", maximum_along),
        ]
    ),
    "tenon.norm": Entry(
        [
            Row("linalg.vector_norm", vector_norm),
            Row("norm", norm),
            Row("norm.inf", norm),
            Row("linalg.norm", linalg_norm),
        ],
        4,
        64,
        DOUBLE,
        sums=True,
    ),
    "tenon.prod": Entry([Row("prod", reduction)], 8, 64, DOUBLE, sums=True),
    "tenon.std": Entry(
        [Row("std", variance), Row("std.unbiased", variance)], 8, 64, DOUBLE, sums=True
    ),
    "tenon.var": Entry(
        [Row("var", variance), Row("var.unbiased", variance)], 8, 64, DOUBLE, sums=True
    ),
}

WITHOUT = {
    "tenon.linear_recurrence": "no OpInfo: PyTorch has no such op; cumprod's gradient has it",
}
