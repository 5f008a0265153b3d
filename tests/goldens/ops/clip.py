# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/clip.py: gradients made shorter.

import mpmath

import exact
from exact_array import Array
from ops import golden

mpf = mpmath.mpf


def norm_of(values, order):
    sizes = [abs(value) for value in values]
    if any(mpmath.isnan(size) for size in sizes):
        return mpmath.nan
    if mpmath.isinf(order):
        return max(sizes, default=mpf(0))
    if any(mpmath.isinf(size) for size in sizes):
        return mpf("inf")
    return mpmath.fsum(size**order for size in sizes) ** (1 / order)


def factor(call, norm):
    share = mpf(call.attrs["max_norm"]) / (norm + mpf(1e-6))
    return share if mpmath.isnan(share) else min(share, mpf(1))


@golden("tenon.clip_grad_norm")
def clip_grad_norm(call):
    (grads,) = call.inputs
    order = mpf(call.attrs["norm"])
    values = [[mpf(value) for value in grad.elements()] for grad in grads]
    total = norm_of([value for each in values for value in each], order)
    for grad, own in zip(grads, values, strict=True):
        norm = norm_of(own, order) if call.attrs["each"] else total
        places, scale = grad.values.reshape(-1), factor(call, norm)
        for i, value in enumerate(own):
            places[i] = exact.rounded(grad.dtype, value * scale)
    return [Array.of(grads[0].dtype, (), [exact.rounded(grads[0].dtype, total)])]
