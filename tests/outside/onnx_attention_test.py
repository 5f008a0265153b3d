# SPDX-License-Identifier: Apache-2.0
# tests/outside/onnx_attention_test.py: ONNX's published node tests of Attention and RotaryEmbedding
# pass with tenon.attention, tenon.attention_weights and tenon.rope, each within its own tolerance.

import os
import pathlib
import sys
import unittest

import onnx_nodes

try:
    import ml_dtypes
    import numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"))
import tenon

OPS = {"Attention": 93, "RotaryEmbedding": 8}
# Results of these were rounded to bf16 after each step, Tenon's are once; a tolerance of 0.001 lets
# no two neighbours in bf16, 0.004 to 0.008 apart, count as equal.
BF16 = "rounded to bf16 after each step"
BEFORE = "queries before the first key: a start that is negative is refused"
EXCLUDED = {
    "test_attention_3d_causal_bf16": BF16,
    "test_attention_4d_attn_mask_causal_bf16": BF16,
    "test_attention_4d_causal_bf16": BF16,
    "test_attention_4d_padded_kv_bf16": BF16,
    "test_attention_4d_causal_padded_kv_bf16": BEFORE,
    "test_attention_4d_causal_nonpad_negative_offset_structural_empty": BEFORE,
    "test_attention_local_window_with_past": "queries after the last key: such a start is refused",
}


def ours(array):
    """Through f32, which holds them, for floats of 16 bits that NumPy does not have itself."""
    if array.dtype == ml_dtypes.bfloat16:
        return tenon.tensor(array.astype(numpy.float32)).cast("bf16")
    return tenon.tensor(numpy.ascontiguousarray(array))


def theirs(tensor):
    wide = tensor.cast("f32") if tensor.dtype in (tenon.float16, tenon.bfloat16) else tensor
    return numpy.asarray(wide.contiguous())


def heads_of(x, count):
    """[B,T,count*D] as [B,count,T,D]."""
    if x is None or x.ndim == 4:
        return x
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(0, 2, 1, 3)


def padded(mask, keys):
    """Keys that a mask does not name are hidden."""
    if mask is None or mask.shape[-1] == keys:
        return mask
    width = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
    hidden = False if mask.dtype == numpy.bool_ else -numpy.inf
    return numpy.pad(mask, width, constant_values=hidden)


class Attention:
    """A node of ONNX's Attention as operands and attributes of tenon.attention."""

    def __init__(self, inputs, attributes):
        names = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")
        q, k, v, mask, past_k, past_v, lengths = (inputs.get(name) for name in names)
        self.attributes, self.is_flat = attributes, q.ndim == 3
        self.q = heads_of(q, attributes.get("q_num_heads"))
        k, v = (heads_of(x, attributes.get("kv_num_heads")) for x in (k, v))
        self.k = k if past_k is None else numpy.concatenate((past_k, k), 2)
        self.v = v if past_v is None else numpy.concatenate((past_v, v), 2)
        queries, keys = self.q.shape[2], self.k.shape[2]
        self.options, start = {}, None
        if lengths is not None:
            self.options["lengths"] = ours(lengths)
            start = lengths - queries
        elif past_k is not None:
            start = numpy.full(len(q), past_k.shape[2])
        self.set_window(start)
        mask = padded(mask, keys)
        if mask is not None:
            self.options["mask" if mask.dtype == numpy.bool_ else "bias"] = ours(mask)
        self.options["scale"] = attributes.get("scale")
        self.options["soft_cap"] = attributes.get("softcap", 0.0)

    def set_window(self, start):
        """The window of ONNX has two sides, without the query; that of Tenon is symmetric."""
        left = self.attributes.get("left_window_size", -1)
        right = self.attributes.get("right_window_size", -1)
        causal = bool(self.attributes.get("is_causal", 0))
        if start is not None and (causal or max(left, right) >= 0):
            self.options["start"] = ours(start)
        if causal:
            self.options |= {"causal": True, "window": left + 1}
        elif max(left, right) >= 0:
            # Keys up to `left` before a query, and those up to `right` after it.
            shape = {"queries": self.q.shape[2], "keys": self.k.shape[2]}
            places = numpy.arange(shape["queries"])[:, None] - numpy.arange(shape["keys"])
            assert start is None
            self.options["mask"] = ours((places <= left) & (-places <= right))

    def scores(self, mode):
        """What ONNX calls qk_matmul_output, from Tenon's products."""
        if mode == 3:
            return tenon.attention_weights(ours(self.q), ours(self.k), **self.options)
        heads, groups = self.q.shape[1], self.k.shape[1]
        q, k = ours(self.q), ours(numpy.repeat(self.k, heads // groups, 1))
        scale = self.options["scale"]
        s = tenon.matmul(q, k.permute((0, 1, 3, 2)))
        s = s * (self.q.shape[3] ** -0.5 if scale is None else scale)
        cap = self.options["soft_cap"]
        if mode >= 1 and cap > 0:
            s = cap * (s / cap).tanh()
        if mode < 2:
            return s
        if "bias" in self.options:
            s = s + self.options["bias"]
        hidden = {name: self.options[name] for name in ("start", "lengths") if name in self.options}
        seen = tenon.attention_mask(
            **hidden,
            queries=self.q.shape[2],
            keys=self.k.shape[2],
            causal=self.options.get("causal", False),
        )
        return tenon.where(seen, s, float("-inf"))

    def results(self):
        y = tenon.attention(ours(self.q), ours(self.k), ours(self.v), **self.options)
        if self.is_flat:
            y = y.permute((0, 2, 1, 3)).reshape(len(self.q), self.q.shape[2], -1)
        yield theirs(y)
        yield self.k
        yield self.v
        yield theirs(self.scores(self.attributes.get("qk_matmul_output_mode", 0)))


def rotated(inputs, attributes):
    """A node of ONNX's RotaryEmbedding with tenon.rope."""
    x, cos, sin = (inputs[name] for name in ("input", "cos_cache", "sin_cache"))
    positions = inputs.get("position_ids")
    is_flat = x.ndim == 3
    x = heads_of(x, attributes.get("num_heads"))
    if positions is None:
        # A table for each sequence: their rows one after another.
        batch, rows = cos.shape[:2]
        positions = numpy.arange(batch * rows).reshape(batch, rows)
        cos, sin = cos.reshape(batch * rows, -1), sin.reshape(batch * rows, -1)
    layout = "pairs" if attributes.get("interleaved", 0) else "halves"
    y = tenon.rope(ours(x), ours(cos), ours(sin), ours(positions), layout=layout)
    if is_flat:
        y = y.permute((0, 2, 1, 3)).reshape(len(x), x.shape[2], -1)
    yield theirs(y)


class NodeTests(onnx_nodes.NodeTests):
    OPS, EXCLUDED = OPS, EXCLUDED

    def results_of(self, node, operands):
        inputs = dict(zip([name for name in node.input if name], operands, strict=True))
        attributes = onnx_nodes.attributes_of(node)
        if node.op_type == "RotaryEmbedding":
            return rotated(inputs, attributes)
        return Attention(inputs, attributes).results()

    def test_all(self):
        self.check_all()


if __name__ == "__main__":
    unittest.main()
