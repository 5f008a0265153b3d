# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/columns.py: the windows of an image as columns. PyTorch takes images of two
# dimensions alone, and one without a batch as well.

from opinfo_table import CALLED_FOR_GRADIENT, Entry, Row, call
from tables.pools import BATCH, listed


def windows(kernel_size, dilation=1, padding=0, stride=1):
    return {
        "kernel": listed(kernel_size),
        "dilation": listed(dilation),
        "padding": listed(padding),
        "stride": listed(stride),
    }


def im2col(input, *given, **named):
    return call(input, **windows(*given, **named), lacks={BATCH: input.dim() != 4})


TABLE = {
    "tenon.im2col": Entry([Row("nn.functional.unfold", im2col)]),
}

WITHOUT = {"tenon.col2im": CALLED_FOR_GRADIENT.format("im2col")}
