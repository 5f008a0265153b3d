# SPDX-License-Identifier: Apache-2.0
# tests/outside/decoder_test.py: PyTorch's state dictionaries of attention and of an encoder's layer
# load by name and give its results and gradients; a decoder of one layer trains as PyTorch's does.

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

F = torch.nn.functional
nn = tenon.nn
DTYPES = {"f32": torch.float32, "f64": torch.float64}
OURS = {"f32": tenon.float32, "f64": tenon.float64}
# Largest difference over largest value of a tensor; sums have another order.
CLOSE = {"f32": 2e-5, "f64": 1e-11}
WIDTH, HEADS, BATCH, ROWS, MEMORY = 32, 4, 3, 7, 9


def ours(tensor):
    return tenon.from_dlpack(tensor.detach().clone())


def dense_gradient(parameter):
    """Of a table, whose gradient is held as rows, too."""
    if not parameter.has_grad_rows:
        return torch.from_dlpack(parameter.grad)
    indices, values = (torch.from_dlpack(each.contiguous()) for each in parameter.grad_rows())
    gradient = torch.zeros(parameter.shape, dtype=values.dtype)
    return gradient.index_add_(0, indices, values)


class Close(unittest.TestCase):
    worst = {}

    def close(self, found, expected, dtype, what, close=None):
        if not isinstance(found, torch.Tensor):
            found = torch.from_dlpack(found.detach())
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype), what)
        scale = expected.detach().abs().max().item()
        difference = (found - expected).abs().max().item()
        self.assertLessEqual(difference, (close or CLOSE[dtype]) * scale, what)
        share = difference / scale if scale else 0.0
        test = f"{self._testMethodName} {dtype}"
        self.worst[test] = max(self.worst.get(test, 0.0), share)

    def gradients_close(self, model, theirs, dtype, close=None):
        found, expected = dict(model.named_parameters()), dict(theirs)
        self.assertEqual(sorted(found), sorted(expected))
        for name, parameter in found.items():
            gradient = dense_gradient(parameter)
            self.close(gradient, expected[name].grad, dtype, f"gradient of {name}", close)

    @classmethod
    def tearDownClass(cls):
        for test, share in cls.worst.items():
            print(f"{test}: largest difference {share:.1e} of the largest value", file=sys.stderr)


def drawn(module, dtype):
    """PyTorch's module with no bias of 0 and no gain of 1."""
    module = module.to(DTYPES[dtype])
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return module


def hidden_keys(keys, masked, padded):
    """A mask of PyTorch's, true at keys that are hidden, and lengths; each query sees key 0."""
    mask = torch.rand(ROWS, keys) < 0.4
    mask[:, 0] = False
    lengths = torch.tensor([keys, 1, keys // 2])
    return mask if masked else None, lengths if padded else None


class Layers(Close):
    def compare(self, theirs, model, dtype, inputs, call, masked, padded):
        """Results, and gradients of parameters and inputs, of both."""
        model.load_state_dict({name: ours(each) for name, each in theirs.state_dict().items()})
        mask, lengths = hidden_keys(inputs[-1].shape[1], masked, padded)
        padding = None if lengths is None else torch.arange(inputs[-1].shape[1]) >= lengths[:, None]
        own = [ours(each).requires_grad_() for each in inputs]
        y = model(
            *own,
            *[None] * (2 - len(inputs) if isinstance(theirs, torch.nn.MultiheadAttention) else 0),
            None if mask is None else ours(~mask),
            None if lengths is None else ours(lengths),
        )
        leaves = [each.clone().requires_grad_() for each in inputs]
        expected = call(leaves, mask, padding)
        self.close(y, expected, dtype, "result")
        dy = torch.randn_like(expected)
        theirs.zero_grad()
        expected.backward(dy)
        y.backward(ours(dy))
        for place, (found, leaf) in enumerate(zip(own, leaves, strict=True)):
            self.close(found.grad, leaf.grad, dtype, f"gradient of input {place}")
        self.gradients_close(model, theirs.named_parameters(), dtype)

    def attention(self, count, dtype, bias=True):
        flags = itertools.product((False, True), (False, True))
        for masked, padded in flags:
            with self.subTest(inputs=count, masked=masked, padded=padded, dtype=dtype):
                torch.manual_seed(20261127)
                theirs = torch.nn.MultiheadAttention(WIDTH, HEADS, bias=bias, batch_first=True)
                theirs = drawn(theirs, dtype)
                model = nn.multi_head_attention(
                    width=WIDTH, heads=HEADS, bias=bias, dtype=OURS[dtype]
                )
                shapes = [(BATCH, ROWS, WIDTH), (BATCH, MEMORY, WIDTH)][:count]
                inputs = [torch.randn(shape, dtype=DTYPES[dtype]) for shape in shapes]

                def call(leaves, mask, padding, theirs=theirs):
                    x, memory = leaves[0], leaves[-1]
                    more = {"attn_mask": mask, "key_padding_mask": padding, "need_weights": False}
                    return theirs(x, memory, memory, **more)[0]

                self.compare(theirs, model, dtype, inputs, call, masked, padded)

    def test_self_attention(self):
        for dtype in DTYPES:
            self.attention(1, dtype)
        self.attention(1, "f64", bias=False)

    def test_cross_attention(self):
        for dtype in DTYPES:
            self.attention(2, dtype)
        self.attention(2, "f64", bias=False)

    def block(self, norm_first, activation, masked, padded, dtype):
        torch.manual_seed(20261128)
        theirs = torch.nn.TransformerEncoderLayer(
            WIDTH, HEADS, 48, 0.0, activation, batch_first=True, norm_first=norm_first
        )
        theirs = drawn(theirs, dtype)
        model = nn.transformer_block(
            width=WIDTH, heads=HEADS, hidden=48, activation=activation, norm_first=norm_first,
            dtype=OURS[dtype],
        )  # fmt: skip
        inputs = [torch.randn(BATCH, ROWS, WIDTH, dtype=DTYPES[dtype])]

        def call(leaves, mask, padding):
            return theirs(leaves[0], mask, padding)

        self.compare(theirs, model, dtype, inputs, call, masked, padded)

    def test_encoder_layer(self):
        for flags in itertools.product((True, False), ("gelu", "relu"), *[(False, True)] * 2):
            for dtype in DTYPES:
                with self.subTest(flags=flags, dtype=dtype):
                    self.block(*flags, dtype)


# ---- A decoder of one layer ---------------------------------------------------------------------

VOCABULARY, D, H, GROUPS, HIDDEN, LONGEST, IGNORED = 1024, 256, 8, 4, 1024, 128, -100
HEAD = D // H


class Decoder(nn.Module):
    def __init__(self, layout, dtype):
        super().__init__()
        self.embedding = nn.embedding(rows=VOCABULARY, width=D, dtype=dtype)
        self.block = nn.transformer_block(
            width=D, heads=H, kv_heads=GROUPS, hidden=HIDDEN, norm="rms", activation="swiglu",
            packed=False, qk_norm=True, positions=LONGEST, rope_layout=layout, causal=True,
            eps=1e-6, dtype=dtype,
        )  # fmt: skip
        self.norm = nn.rms_norm(sizes=[D], eps=1e-6, dtype=dtype)
        self.head = nn.linear(inputs=D, outputs=VOCABULARY, bias=False, dtype=dtype)

    def forward(self, tokens):
        return self.head(self.norm(self.block(self.embedding(tokens))))


class TorchDecoder:
    """The same from PyTorch's functions, with the same numbers."""

    def __init__(self, model, layout):
        self.layout = layout
        self.parameters = {
            name: torch.from_dlpack(each.detach()).clone().requires_grad_()
            for name, each in model.named_parameters()
        }

    def linear(self, x, name):
        name = f"{name}." if name == "head" else f"block.{name}."
        bias = self.parameters.get(f"{name}bias")
        return F.linear(x, self.parameters[f"{name}weight"], bias)

    def norm(self, x, name, eps=1e-6):
        return F.rms_norm(x, x.shape[-1:], self.parameters[f"{name}.weight"], eps)

    def rotated(self, x):
        """x [heads,T,HEAD]."""
        rates = 10000.0 ** -(torch.arange(0, HEAD, 2).double() / HEAD)
        angles = torch.outer(torch.arange(x.shape[1]).double(), rates)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        if self.layout == "pairs":
            a, b = x[..., 0::2], x[..., 1::2]
            return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def heads(self, x, name, count):
        return self.linear(x, f"self_attn.{name}_proj").view(len(x), count, HEAD)

    def attention(self, x):
        q, k, v = (self.heads(x, *each) for each in (("q", H), ("k", GROUPS), ("v", GROUPS)))
        q = self.rotated(self.norm(q, "block.self_attn.q_norm", 1e-5).transpose(0, 1))
        k = self.rotated(self.norm(k, "block.self_attn.k_norm", 1e-5).transpose(0, 1))
        v = v.transpose(0, 1)
        y = F.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True, enable_gqa=True
        )
        return self.linear(y[0].transpose(0, 1).reshape(len(x), D), "self_attn.out_proj")

    def loss(self, tokens, targets):
        x = F.embedding(tokens, self.parameters["embedding.weight"])
        x = x + self.attention(self.norm(x, "block.norm1"))
        gate, up = self.linear(self.norm(x, "block.norm2"), "linear1").chunk(2, -1)
        x = x + self.linear(F.silu(gate) * up, "linear2")
        logits = self.linear(self.norm(x, "norm"), "head")
        return F.cross_entropy(logits, targets, ignore_index=IGNORED)


def sequence(length):
    """Tokens, and targets of which some count nothing."""
    tokens, targets = torch.randint(0, VOCABULARY, (2, length))
    targets[::7] = IGNORED
    return tokens, targets


class OneLayer(Close):
    def both(self, layout, dtype):
        tenon.seed(20261127)
        torch.manual_seed(20261127)
        self.seen = torch.zeros(VOCABULARY, dtype=torch.bool)
        model = Decoder(layout, OURS[dtype])
        with tenon.no_grad:
            for parameter in model.parameters():
                parameter += 0.02 * tenon.randn(*parameter.shape, dtype=OURS[dtype])
        return model, TorchDecoder(model, layout)

    def micro_step(self, model, theirs, length):
        tokens, targets = sequence(length)
        expected = theirs.loss(tokens, targets)
        found = tenon.softmax_cross_entropy(model(ours(tokens)), ours(targets))
        expected.backward()
        found.backward()
        self.seen[tokens] = True
        return found, expected

    def test_gradients(self):
        for layout, dtype in itertools.product(("halves", "pairs"), DTYPES):
            model, theirs = self.both(layout, dtype)
            sizes = [each.numel() for each in theirs.parameters.values()]
            self.assertEqual((len(sizes), sum(sizes)), (19, 1511232))
            for length in (8, 32, 128):
                with self.subTest(layout=layout, dtype=dtype, length=length):
                    model.zero_grad()
                    for parameter in theirs.parameters.values():
                        parameter.grad = None
                    found, expected = self.micro_step(model, theirs, length)
                    self.close(found, expected, dtype, "loss")
                    self.gradients_close(model, theirs.parameters, dtype)

    def train(self, layout, dtype, dense, close):
        """16 micro-steps and 2 updates, of the rows that were looked up or of the whole table."""
        model, theirs = self.both(layout, dtype)
        table = "embedding.weight"
        if dense:
            dict(model.named_parameters())[table].register_hook(lambda gradient: gradient)
        rate = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
        expected = torch.optim.AdamW(theirs.parameters.values(), **rate)
        rate["beta1"], rate["beta2"] = rate.pop("betas")
        optimizer = tenon.optim.adamw(model.parameters(), **rate)
        for step in range(16):
            losses = self.micro_step(model, theirs, (8, 32, 128)[step % 3])
            self.close(*losses, dtype, f"loss of step {step}")
            if step % 8 < 7:
                continue
            # PyTorch's own norm of 1,511,232 numbers in f32 is 2e-5 away from theirs in f64.
            squares = [each.grad.double().square().sum() for each in theirs.parameters.values()]
            norm = tenon.clip_grad_norm(model.parameters(), 1.0)
            self.close(norm, torch.stack(squares).sum().sqrt().to(DTYPES[dtype]), dtype, "norm")
            torch.nn.utils.clip_grad_norm_(theirs.parameters.values(), 1.0)
            self.update(theirs.parameters[table], expected, dense)
            optimizer.step()
            optimizer.zero_grad()
        for name, parameter in model.named_parameters():
            self.close(parameter, theirs.parameters[name].detach(), dtype, name, close)

    def update(self, table, optimizer, dense):
        """Rows not looked up are left as they are, with their moments, unless `dense`."""
        unseen = ~self.seen
        self.assertTrue(unseen.any() and not unseen.all())
        state = optimizer.state[table]
        kept = [table.detach(), *(state[name] for name in ("exp_avg", "exp_avg_sq") if state)]
        rows = [each[unseen].clone() for each in kept]
        optimizer.step()
        if not dense:
            kept += [state[name] for name in ("exp_avg", "exp_avg_sq")][len(kept) - 1 :]
            rows += [torch.zeros_like(rows[0])] * (len(kept) - len(rows))
            for each, values in zip(kept, rows, strict=True):
                each[unseen] = values
        optimizer.zero_grad()
        self.seen.fill_(False)

    def test_training(self):
        # An element whose gradient is nearly 0 moves by up to the rate, either way. Seen: 1e-3 in
        # f32, of values up to about 0.1: a tenth of the rate.
        for dtype, close in (("f64", 1e-11), ("f32", 2e-3)):
            for layout, dense in itertools.product(("halves", "pairs"), (True, False)):
                with self.subTest(layout=layout, dense=dense, dtype=dtype):
                    self.train(layout, dtype, dense, close)


if __name__ == "__main__":
    unittest.main()
