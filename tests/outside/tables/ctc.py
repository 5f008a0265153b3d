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


def derivative_alone(log_probs, targets, input_lengths, target_lengths, **options):
    """PyTorch's loss without what its gradient has more than the derivative: exp(log_probs) in the
    frames of each sequence, as if log_probs were made by a log_softmax."""
    reduction = options.pop("reduction", "mean")
    counts = lengths(target_lengths)
    loss = torch.nn.functional.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, reduction="none", **options
    )
    frames = torch.arange(log_probs.shape[0])[:, None] < lengths(input_lengths)
    more = (log_probs.exp().sum(-1) * frames).sum(0)
    loss = loss - torch.where(loss == 0, 0, more - more.detach())
    if reduction == "mean":
        loss = (loss / counts.clamp(min=1)).mean()
    return loss.sum() if reduction == "sum" else loss


TABLE = {
    "tenon.ctc_loss": Entry(
        [Row("nn.functional.ctc_loss", ctc_loss, reference=derivative_alone)],
        64,
        256,
        SUMS,
        sums=True,
    ),
}

WITHOUT = {
    "tenon.ctc_nll": "no OpInfo: what tenon.ctc_loss is composed of, which is compared",
    "tenon.ctc_nll_grad": CALLED_FOR_GRADIENT.format("tenon.ctc_nll"),
}
