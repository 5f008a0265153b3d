# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/norms.py: channels of a batch, groups of channels and channels of a sample
# normalised.

import torch
from opinfo_table import CALLED_FOR_GRADIENT, Entry, Row, call

SUMS_AND_SQUARES = (
    "PyTorch adds in another order, and folds weight, scale and bias of a channel into a factor "
    "and a summand; its gradient where all cancels is not an exact 0, but a rounding times "
    "1 / sqrt(eps)"
)


def statistics(running):
    """Running statistics of 16-bit numbers are f32, which holds them exactly."""
    if running is None or running.dtype not in (torch.float16, torch.bfloat16):
        return running
    return running.float()


def batch_norm(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-5,
    cudnn_enabled=None,
):
    """What PyTorch writes into the running statistics is the layer's."""
    known = (None, None) if training else (statistics(running_mean), statistics(running_var))
    return call(input, weight, bias, *known, eps=eps, lacks={"rank 1": input.dim() < 2})


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    return call(input, weight, bias, groups=num_groups, eps=eps, lacks={"a negative eps": eps < 0})


def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
    cudnn_enabled=None,
):
    lacks = {"running statistics in evaluation": not use_input_stats}
    return call(input, weight, bias, eps=eps, lacks=lacks)


def entry(rows):
    return Entry(rows, 8, 8192, SUMS_AND_SQUARES, sums=True)


TABLE = {
    "tenon.batch_norm": entry([Row("nn.functional.batch_norm", batch_norm)]),
    "tenon.group_norm": entry([Row("nn.functional.group_norm", group_norm)]),
    "tenon.instance_norm": entry([Row("nn.functional.instance_norm", instance_norm)]),
}

WITHOUT = {"tenon.batch_norm_grad": CALLED_FOR_GRADIENT.format("batch_norm")}
