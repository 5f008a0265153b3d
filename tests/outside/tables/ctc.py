# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/ctc.py: the loss of sequences without an alignment.

import torch
from opinfo_table import CALLED_FOR_GRADIENT, SUMS, Entry, Row, call


def lengths(given):
    return given if isinstance(given, torch.Tensor) else torch.tensor(given)


def ctc_loss(
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    return call(
        log_probs,
        targets,
        lengths(input_lengths),
        lengths(target_lengths),
        blank=blank,
        reduction=reduction,
        zero_infinity=zero_infinity,
    )


TABLE = {
    # Gradients: ctc_test.py, as PyTorch's are not the derivative.
    "tenon.ctc_loss": Entry([Row("nn.functional.ctc_loss", ctc_loss)], 64, 256, SUMS, sums=True),
}

WITHOUT = {
    "tenon.ctc_nll": "no OpInfo: what tenon.ctc_loss is composed of, which is compared",
    "tenon.ctc_nll_grad": CALLED_FOR_GRADIENT.format("tenon.ctc_nll"),
}
