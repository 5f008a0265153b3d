# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/conv.py: OpInfos of convolution.

from opinfo_table import CALLED_FOR_GRADIENT, SUMS, Entry, Row, call

NO_BATCH = "an image without a batch"


def pairs(given, rank):
    return [given] * rank if isinstance(given, int) else list(given)


def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    rank = weight.dim() - 2
    auto_pad = padding if isinstance(padding, str) else "none"
    return call(
        input,
        weight,
        bias,
        stride=pairs(stride, rank),
        padding=[0] if isinstance(padding, str) else pairs(padding, rank),
        dilation=pairs(dilation, rank),
        groups=groups,
        auto_pad=auto_pad,
        lacks={NO_BATCH: input.dim() != weight.dim()},
    )


def conv_transpose(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The size of the result is named, not what is added to it; the bias is added by `add`."""
    rank = weight.dim() - 2
    if input.dim() != weight.dim():
        return call(input, weight, lacks={NO_BATCH: True})
    stride, padding, dilation = (pairs(each, rank) for each in (stride, padding, dilation))
    more = pairs(output_padding, rank)
    size = [
        (input.shape[d + 2] - 1) * stride[d]
        - 2 * padding[d]
        + dilation[d] * (weight.shape[d + 2] - 1)
        + more[d]
        + 1
        for d in range(rank)
    ]
    return call(
        input,
        weight,
        size=size,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        lacks={
            "bias": bias is not None,
            "places that no window has": any(m >= s for m, s in zip(more, stride, strict=True)),
        },
    )


WITHOUT = {
    "tenon.conv_weight_grad": CALLED_FOR_GRADIENT.format("conv"),
}

TABLE = {
    "tenon.conv": Entry(
        [Row(f"nn.functional.conv{rank}d", conv) for rank in (1, 2, 3)], 8, 128, SUMS, sums=True
    ),
    "tenon.conv_input_grad": Entry(
        [Row(f"nn.functional.conv_transpose{rank}d", conv_transpose) for rank in (1, 2, 3)],
        8,
        128,
        SUMS,
        sums=True,
    ),
}
