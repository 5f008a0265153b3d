# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/reductions.py: sums and their like, products of matrices, norms, softmax
# and its loss.

import dataclasses

import torch
from opinfo_table import (
    AXIS_OF_RANK_0,
    CALLED_FOR_GRADIENT,
    SUMS,
    Entry,
    Row,
    argmax,
    binary,
    call,
    in_dtype_of,
    maximum_along,
    reduction,
    shape_of,
    unary,
)

NEGATIVE_EPS = "a negative eps"
PRODUCTS = "matmul", "mm", "bmm", "mv", "dot"


def sum_to_size(input, *size):
    return call(input, shape=shape_of(size), finish=in_dtype_of(input))


def softmax(input, dim, *, dtype=None):
    lacks = {"dtype": dtype is not None, AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, axis=dim, lacks=lacks)


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    lacks = {
        "rank other than 2": input.dim() != 2,
        "probabilities as target": target.is_floating_point(),
    }
    return call(
        input,
        target,
        weight,
        ignore_index=ignore_index,
        label_smoothing=float(label_smoothing),
        reduction=reduction,
        lacks=lacks,
    )


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return call(
        input,
        weight,
        bias,
        dims=len(normalized_shape),
        eps=eps,
        lacks={NEGATIVE_EPS: eps < 0},
    )


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    plain = layer_norm(input, normalized_shape, weight, bias, eps)
    return dataclasses.replace(plain, finish=lambda outputs: outputs[0])


def rms_norm(input, normalized_shape, weight=None, eps=None):
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    return call(input, weight, dims=len(normalized_shape), eps=eps, lacks={NEGATIVE_EPS: eps < 0})


def argmax_along(input, dim, keepdim=False):
    return dataclasses.replace(argmax(input, dim, keepdim), finish=lambda y: y.indices)


TABLE = {
    "tenon.argmax": Entry([Row("argmax", argmax), Row("max.reduction_with_dim", argmax_along)]),
    "tenon.layer_norm": Entry(
        [Row("nn.functional.layer_norm", layer_norm), Row("native_layer_norm", native_layer_norm)],
        4,
        8192,
        "PyTorch adds in another order; its gradient of a row of one element is not an exact 0, "
        "but a rounding times 1 / sqrt(eps)",
        sums=True,
    ),
    "tenon.log_softmax": Entry([Row("log_softmax", softmax)], 4, 32, SUMS, sums=True),
    "tenon.matmul": Entry([Row(name, binary) for name in PRODUCTS], 4, 32, SUMS, sums=True),
    "tenon.max": Entry(
        [
            Row("amax", reduction),
            Row("max.reduction_no_dim", unary),
            Row("max.reduction_with_dim", maximum_along),
        ]
    ),
    "tenon.mean": Entry([Row("mean", reduction)], 4, 32, SUMS, sums=True),
    "tenon.rms_norm": Entry([Row("nn.functional.rms_norm", rms_norm)], 4, 32, SUMS, sums=True),
    "tenon.softmax": Entry([Row("softmax", softmax)], 4, 32, SUMS, sums=True),
    "tenon.softmax_cross_entropy": Entry(
        [Row("nn.functional.cross_entropy", cross_entropy)], 4, 32, SUMS, sums=True
    ),
    "tenon.sum": Entry([Row("sum", reduction)], 4, 32, SUMS, sums=True),
    "tenon.sum_to": Entry([Row("sum_to_size", sum_to_size)], 4, 32, SUMS, sums=True),
}

WITHOUT = {
    "tenon.layer_norm_grad": CALLED_FOR_GRADIENT.format("layer_norm"),
    "tenon.rms_norm_grad": CALLED_FOR_GRADIENT.format("rms_norm"),
    "tenon.softmax_cross_entropy_grad": CALLED_FOR_GRADIENT.format("softmax_cross_entropy"),
}
