# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/losses.py: losses of differences, of classes, of probabilities and of angles.

import torch
from opinfo_table import AXIS_OF_RANK_0, SUMS, Entry, Row, call


def of_differences(input, target, *, reduction="mean"):
    return call(input, target, reduction=reduction)


def huber_loss(input, target, *, reduction="mean", delta=1.0):
    return call(input, target, reduction=reduction, delta=float(delta))


def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0):
    return call(input, target, reduction=reduction, beta=float(beta))


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    return call(input, target, weight, ignore_index=ignore_index, reduction=reduction)


def with_logits(input, target, weight=None, *, reduction="mean", pos_weight=None):
    return call(input, target, weight, pos_weight, reduction=reduction)


def kl_div(input, target, *, reduction="mean", log_target=False):
    return call(input, target, reduction=reduction, log_target=log_target)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    lacks = {AXIS_OF_RANK_0: x1.dim() == 0 and x2.dim() == 0}
    return call(x1, x2, axis=dim, eps=eps, lacks=lacks)


def cosine_embedding_loss(input1, input2, target, *, margin=0.0, reduction="mean"):
    lacks = {"an unsigned target, of which PyTorch reads 255 as -1": target.dtype == torch.uint8}
    return call(input1, input2, target, reduction=reduction, margin=float(margin), lacks=lacks)


def entry(name, translate, slack=4):
    return Entry([Row(f"nn.functional.{name}", translate)], slack, 32, SUMS, sums=True)


TABLE = {
    "tenon.mse_loss": entry("mse_loss", of_differences),
    "tenon.l1_loss": entry("l1_loss", of_differences),
    "tenon.huber_loss": entry("huber_loss", huber_loss),
    "tenon.smooth_l1_loss": entry("smooth_l1_loss", smooth_l1_loss),
    "tenon.nll_loss": entry("nll_loss", nll_loss),
    "tenon.kl_div": entry("kl_div", kl_div),
    "tenon.binary_cross_entropy_with_logits": entry(
        "binary_cross_entropy_with_logits", with_logits, 8
    ),
    "tenon.cosine_similarity": entry("cosine_similarity", cosine_similarity),
    "tenon.cosine_embedding_loss": entry("cosine_embedding_loss", cosine_embedding_loss),
}
