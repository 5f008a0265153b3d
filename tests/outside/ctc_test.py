# SPDX-License-Identifier: Apache-2.0
# tests/outside/ctc_test.py: ctc_loss and its gradients beside PyTorch's: of logits, which both have
# alike, and of log_probs, of which PyTorch's has exp(log_probs) more than the derivative.

import itertools
import os
import pathlib
import sys
import unittest

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon

CLOSE = {torch.float32: 2e-5, torch.float64: 1e-12}
FRAMES, BATCH, CLASSES, LABELS = 14, 6, 5, 4
INPUT_LENGTHS = torch.tensor([14, 13, 9, 14, 0, 7])
TARGET_LENGTHS = torch.tensor([4, 3, 4, 0, 0, 1])
TARGETS = torch.tensor(
    [[1, 1, 2, 2], [3, 4, 3, -1], [4, 4, 4, 4], [9, 9, 9, 9], [0, 0, 0, 0], [2, 0, 0, 0]]
)
JOINED = torch.cat([row[:n] for row, n in zip(TARGETS, TARGET_LENGTHS, strict=True)])


def ours(tensor):
    return tenon.from_dlpack(tensor.detach().contiguous().clone())


def theirs(tensor):
    return torch.from_dlpack(tensor.detach().contiguous())


class Ctc(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(25)

    def close(self, found, expected, what):
        torch.testing.assert_close(
            found, expected, rtol=CLOSE[expected.dtype], atol=CLOSE[expected.dtype], msg=what,
            equal_nan=True,
        )

    def run_both(self, logits, targets, input_lengths, target_lengths, reduction, **options):
        """Losses and gradients of the logits."""
        logits = logits.detach().requires_grad_()
        expected = torch.nn.functional.ctc_loss(
            logits.log_softmax(-1), targets, input_lengths, target_lengths, reduction=reduction,
            **options,
        )
        weight = torch.rand_like(expected)
        (expected * weight).sum().backward()
        own = ours(logits).requires_grad_()
        found = tenon.ctc_loss(
            tenon.log_softmax(own, axis=-1), ours(targets), ours(input_lengths),
            ours(target_lengths), reduction=reduction, **options,
        )
        tenon.sum(found * ours(weight)).backward()
        return theirs(found), expected.detach(), theirs(own.grad), logits.grad

    def test_losses_and_gradients_of_logits(self):
        for dtype, reduction, targets in itertools.product(
            CLOSE, ("mean", "sum", "none"), (TARGETS, JOINED)
        ):
            with self.subTest(dtype=dtype, reduction=reduction, joined=targets is JOINED):
                logits = 3 * torch.randn(FRAMES, BATCH, CLASSES, dtype=dtype)
                loss, expected, gradient, wanted = self.run_both(
                    logits, targets, INPUT_LENGTHS, TARGET_LENGTHS, reduction
                )
                self.close(loss, expected, "loss")
                self.close(gradient, wanted, "gradient")

    def test_other_blank(self):
        logits = torch.randn(FRAMES, BATCH, CLASSES, dtype=torch.float64)
        targets = torch.randint(0, CLASSES - 1, (BATCH, LABELS))
        frames, labels = torch.full((BATCH,), FRAMES), torch.full((BATCH,), LABELS)
        loss, expected, gradient, wanted = self.run_both(
            logits, targets, frames, labels, "mean", blank=CLASSES - 1
        )
        self.close(loss, expected, "loss")
        self.close(gradient, wanted, "gradient")

    def test_one_sequence(self):
        logits = torch.randn(FRAMES, CLASSES, dtype=torch.float64)
        loss, expected, gradient, wanted = self.run_both(
            logits, TARGETS[0], torch.tensor(FRAMES), torch.tensor(LABELS), "none"
        )
        self.close(loss, expected, "loss")
        self.close(gradient, wanted, "gradient")

    def test_impossible(self):
        """Four equal labels need seven frames."""
        logits = torch.randn(6, 2, CLASSES, dtype=torch.float64)
        targets = torch.tensor([[4, 4, 4, 4], [1, 2, 3, 4]])
        lengths = (torch.tensor([6, 6]), torch.tensor([4, 4]))
        loss, expected, gradient, wanted = self.run_both(logits, targets, *lengths, "none")
        self.assertEqual(loss[0].item(), float("inf"))
        self.close(loss, expected, "loss")
        self.close(gradient, wanted, "gradient")
        self.assertTrue(gradient[:, 0].isnan().all())
        loss, expected, gradient, wanted = self.run_both(
            logits, targets, *lengths, "none", zero_infinity=True
        )
        self.close(loss, expected, "loss")
        self.close(gradient, wanted, "gradient")
        self.assertEqual(gradient[:, 0].abs().max().item(), 0)

    def test_gradient_of_log_probs(self):
        """It is the derivative; PyTorch's is exp(log_probs) larger in the frames of a sequence."""
        log_probs = torch.randn(FRAMES, BATCH, CLASSES, dtype=torch.float64).log_softmax(-1)
        leaf = log_probs.clone().requires_grad_()
        torch.nn.functional.ctc_loss(
            leaf, TARGETS, INPUT_LENGTHS, TARGET_LENGTHS, reduction="sum"
        ).backward()
        own = ours(log_probs).requires_grad_()
        tenon.ctc_loss(
            own, ours(TARGETS), ours(INPUT_LENGTHS), ours(TARGET_LENGTHS), reduction="sum"
        ).backward()
        frames = torch.arange(FRAMES)[:, None] < INPUT_LENGTHS
        more = torch.where(frames[..., None], log_probs.exp(), 0)
        self.close(theirs(own.grad) + more, leaf.grad, "gradient")


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
