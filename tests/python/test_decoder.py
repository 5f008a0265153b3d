# SPDX-License-Identifier: Apache-2.0
# tests/python/test_decoder.py: training a decoder of one layer has equal bits eagerly and captured,
# and on one thread and two.

import hashlib
import unittest

from support import Case, tenon

nn = tenon.nn
ROWS, WIDTH, LENGTH = 64, 32, 24


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.embedding(rows=ROWS, width=WIDTH)
        self.block = nn.transformer_block(
            width=WIDTH, heads=4, kv_heads=2, hidden=48, norm="rms", activation="swiglu",
            packed=False, qk_norm=True, positions=LENGTH, causal=True,
        )  # fmt: skip
        self.norm = nn.rms_norm(sizes=[WIDTH])
        self.head = nn.linear(inputs=WIDTH, outputs=ROWS, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.block(self.embedding(tokens))))


def train(captured=False, steps=4):
    """The digests of losses and of parameters."""
    tenon.seed(27)
    model = Decoder()
    if not captured:
        # A plan has no gradients of rows; with a hook the table's is dense here as well.
        dict(model.named_parameters())["embedding.weight"].register_hook(lambda each: each)
    optimizer = tenon.optim.adamw(model.parameters(), lr=1e-2, weight_decay=0.01)

    def step(tokens, targets):
        loss = tenon.softmax_cross_entropy(model(tokens), targets)
        loss.backward()
        optimizer.step(clear_grad=True)
        return loss

    step = tenon.captured(step) if captured else step
    losses = []
    for _ in range(steps):
        tokens, targets = (
            tenon.random_integers(shape=[LENGTH], low=0, high=ROWS) for _ in range(2)
        )
        losses.append(float(step(tokens, targets).detach()))
    tensors = {
        name: hashlib.sha256(memoryview(each.detach().contiguous()).cast("B")).hexdigest()
        for name, each in model.named_parameters()
    }
    return losses, tensors


class SameBits(Case):
    def test_captured(self):
        eager = train()
        self.assertEqual(len(set(eager[0])), 4)
        self.assertEqual(train(captured=True), eager)

    def test_threads(self):
        before = tenon.query("environment")["threads"]
        self.addCleanup(tenon.set_threads, before)
        found = []
        for threads in (1, 2):
            tenon.set_threads(threads)
            found += [train(), train(captured=True)]
        self.assertEqual(found, [found[0]] * 4)


if __name__ == "__main__":
    unittest.main()
