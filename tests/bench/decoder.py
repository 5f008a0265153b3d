# SPDX-License-Identifier: Apache-2.0
"""tests/bench/decoder.py: training steps of a one-layer decoder by Tenon, eager and captured, and
by PyTorch in turn, from the same weights; writes a table in Markdown.

usage    PYTHON decoder.py [--rounds N] [--threads N] BUILD

The model: width 256, 8 heads of 32 over 4 heads of keys and values, norms of q and k, rotated
heads, 1024 gated hidden units, a vocabulary of 1024: 19 tensors, 1,511,232 numbers. A step is a
sequence of T tokens; after each eighth gradients are clipped to a norm of 1 and AdamW updates.
PYTHON has PyTorch and NumPy. Nothing here is a test: machines differ and are busy.
"""


import numpy as np
import torch
from timing import begin, in_turns, medians
from torch.nn import functional

WIDTH, HEADS, GROUPS, HEAD, HIDDEN, TOKENS = 256, 8, 4, 32, 1024, 1024
LENGTHS = (8, 32, 128)
MICRO_STEPS = 8
SECONDS = 0.5  # of updates, of which the best counts


class Ours:
    def __init__(self, tenon, tokens, targets):
        self.tenon, nn = tenon, tenon.nn
        block = nn.transformer_block(
            width=WIDTH, heads=HEADS, kv_heads=GROUPS, hidden=HIDDEN, activation="swiglu",
            norm="rms", eps=1e-6, qk_norm=True, causal=True, packed=False, positions=LENGTHS[-1],
        )  # fmt: skip
        self.model = nn.sequential(
            nn.embedding(rows=TOKENS, width=WIDTH),
            block,
            nn.rms_norm(sizes=[WIDTH], eps=1e-6),
            nn.linear(inputs=WIDTH, outputs=TOKENS, bias=False),
        )
        self.parameters = list(self.model.parameters())
        self.optimizer = tenon.optim.adamw(self.parameters, lr=1e-4, weight_decay=0.01)
        self.xy = tenon.tensor(tokens, dtype="i64"), tenon.tensor(targets, dtype="i64")
        self.captured_step = tenon.captured(self.step)

    def step(self, x, y):
        loss = self.tenon.softmax_cross_entropy(self.model(x), y)
        loss.backward()
        return loss

    def finish(self):
        self.tenon.clip_grad_norm(self.parameters, 1.0)
        self.optimizer.step(clear_grad=True)

    def update(self):
        for _ in range(MICRO_STEPS):
            self.step(*self.xy)
        self.finish()

    def update_captured(self):
        for _ in range(MICRO_STEPS):
            self.captured_step(*self.xy)
        self.finish()

    def launches(self):
        """Of a forward, a backward and an update, when the optimizer has its states."""
        self.step(*self.xy)
        self.finish()
        counts = [self.tenon.stats()["launches"]]
        loss = self.tenon.softmax_cross_entropy(self.model(self.xy[0]), self.xy[1])
        counts.append(self.tenon.stats()["launches"])
        loss.backward()
        counts.append(self.tenon.stats()["launches"])
        self.finish()
        counts.append(self.tenon.stats()["launches"])
        return [b - a for a, b in zip(counts, counts[1:])]


class Theirs:
    def __init__(self, weights, tokens, targets):
        self.p = {name: torch.tensor(w).requires_grad_() for name, w in weights.items()}
        self.tokens, self.targets = torch.tensor(tokens), torch.tensor(targets)
        rates = 10000 ** -(torch.arange(0, HEAD, 2).double() / HEAD)
        angles = torch.outer(torch.arange(len(tokens)).double(), rates)
        self.cos, self.sin = angles.cos().float(), angles.sin().float()
        self.optimizer = torch.optim.AdamW(
            self.p.values(), lr=1e-4, weight_decay=0.01, fused=True
        )

    def norm(self, x, name, eps):
        return functional.rms_norm(x, x.shape[-1:], self.p[f"{name}.weight"], eps)

    def linear(self, x, name):
        return functional.linear(x, self.p[f"{name}.weight"], self.p.get(f"{name}.bias"))

    def heads(self, x, name, count):
        x = self.linear(x, f"1.self_attn.{name}_proj").view(-1, count, HEAD)
        if name != "v":
            x = self.norm(x, f"1.self_attn.{name}_norm", 1e-5)
        x = x.transpose(0, 1)
        if name == "v":
            return x[None]
        a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
        turned = a * self.cos - b * self.sin, b * self.cos + a * self.sin
        return torch.cat(turned, -1)[None]

    def logits(self):
        x = functional.embedding(self.tokens, self.p["0.weight"])
        h = self.norm(x, "1.norm1", 1e-6)
        q, k, v = self.heads(h, "q", HEADS), self.heads(h, "k", GROUPS), self.heads(h, "v", GROUPS)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.linear(y[0].transpose(0, 1).reshape(-1, WIDTH), "1.self_attn.out_proj")
        gate, up = self.linear(self.norm(x, "1.norm2", 1e-6), "1.linear1").chunk(2, -1)
        x = x + self.linear(functional.silu(gate) * up, "1.linear2")
        return self.linear(self.norm(x, "2", 1e-6), "3")

    def update(self):
        for _ in range(MICRO_STEPS):
            functional.cross_entropy(self.logits(), self.targets).backward()
        torch.nn.utils.clip_grad_norm_(self.p.values(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()


def compare(tenon, length, rounds):
    draw = np.random.default_rng(length)
    tokens, targets = (draw.integers(0, TOKENS, length) for _ in range(2))
    targets[::7] = -100
    ours = Ours(tenon, tokens, targets)
    weights = {name: np.asarray(x.detach()) for name, x in ours.model.named_parameters()}
    theirs = Theirs(weights, tokens, targets)
    loss = functional.cross_entropy(theirs.logits(), theirs.targets).item()
    assert abs(ours.step(*ours.xy).item() - loss) < 1e-4 * loss
    ours.optimizer.zero_grad()
    launches = "/".join(map(str, ours.launches()))
    calls = ours.update, ours.update_captured, theirs.update
    eager, captured, peer = (
        seconds / MICRO_STEPS for seconds in medians(in_turns(calls, rounds, SECONDS))
    )
    return (
        f"| {length} | {eager * 1e3:.2f} | {captured * 1e3:.2f} | {peer * 1e3:.2f} "
        f"| {peer / eager:.2f} | {peer / captured:.2f} | {launches} |"
    )


def main():
    arguments, tenon = begin(__doc__)
    tenon.seed(0)
    print("| T | Tenon, ms | captured, ms | PyTorch, ms | PyTorch / Tenon | / captured | calls |")
    print("|---:|---:|---:|---:|---:|---:|---|")
    for length in LENGTHS:
        print(compare(tenon, length, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
