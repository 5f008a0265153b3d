# SPDX-License-Identifier: Apache-2.0
# tests/python/test_attention.py: attention has the bits of the ops that say what it means, and what
# is hidden has no part in it.
"""The ops' samples are small; these shapes have blocks of rows and of keys, and edges of both."""

import hashlib
import random
import unittest

from support import Case, bits, is_sanitized, tenon

NAN = float("nan")


def draw(*shape):
    return tenon.randn(*shape)


def digest(tensor):
    """Of two zeros that meet in a sum, either sign may be left."""
    return hashlib.sha256(bits(tensor + 0.0)).hexdigest()


def composed(q, k, v, **options):
    """The weights, kept, times the values."""
    batch, heads, queries, _ = q.shape
    groups, keys, width = v.shape[1:]
    weights = tenon.attention_weights(q, k, **options)
    weights = weights.reshape((batch, groups, heads // groups * queries, keys))
    return tenon.matmul(weights, v).reshape((batch, heads, queries, width))


def gradients(function, operands, dy, **options):
    own = [x.detach().requires_grad_() for x in operands]
    y = function(*own, **options)
    y.backward(dy)
    return [y, *(x.grad for x in own)]


def drawn_call(pick):
    """Operands and options; as many elements in every product as tenon.matmul sums in one order."""
    groups, batch = pick.choice([1, 2, 3]), pick.choice([1, 2])
    heads = groups * pick.choice([1, 2, 4])
    queries, keys = pick.choice([1, 3, 16, 61, 130]), pick.choice([16, 65, 129, 200, 300])
    depth, width = pick.choice([16, 20, 33]), pick.choice([16, 40])
    q = draw(batch, queries, heads, depth).permute((0, 2, 1, 3))
    k, v = draw(batch, groups, keys, depth), draw(batch, groups, keys, width)
    options = {"causal": pick.random() < 0.6, "window": pick.choice([0, 0, 1, 40])}
    options["soft_cap"] = pick.choice([0.0, 0.0, 3.0])
    if pick.random() < 0.3:
        options["mask"] = draw(batch, 1, queries, keys) > -1.0
    if pick.random() < 0.3:
        options["bias"] = draw(heads, 1, keys)
    if pick.random() < 0.4:
        lengths = [pick.randrange(keys + 1) for _ in range(batch)]
        options["lengths"] = tenon.tensor(lengths, dtype="i64")
    if pick.random() < 0.4 and queries <= keys:
        starts = [pick.randrange(keys - queries + 1) for _ in range(batch)]
        options["start"] = tenon.tensor(starts, dtype="i64")
    return (q, k, v), draw(batch, heads, queries, width), options


class Attention(Case):
    def test_has_the_bits_of_its_composition(self):
        for seed in range(12 if is_sanitized() else 60):
            tenon.seed(seed)
            operands, dy, options = drawn_call(random.Random(seed))
            found = gradients(tenon.attention, operands, dy, **options)
            wanted = gradients(composed, operands, dy, **options)
            for name, x, y in zip(("y", "dq", "dk", "dv"), found, wanted):
                with self.subTest(seed=seed, result=name, options=sorted(options)):
                    # Recorded, the soft cap's slope is computed in another order.
                    if options["soft_cap"] and name != "y":
                        self.assertTrue(tenon.allclose(x, y, rtol=1e-4, atol=1e-5))
                    else:
                        self.assertEqual(digest(x), digest(y))

    def test_16_bit_floats_are_rounded_once(self):
        for dtype in ("f16", "bf16"):
            q, k, v, dy = (draw(1, 2, 70, 32).cast(dtype) for _ in range(4))
            found = gradients(tenon.attention, (q, k, v), dy, causal=True)
            wide = [x.cast("f32") for x in (q, k, v)]
            wanted = gradients(tenon.attention, wide, dy.cast("f32"), causal=True)
            for x, y in zip(found, wanted):
                self.assertEqual(bits(x.cast("f32")), bits(y.cast(dtype).cast("f32")))

    def test_hidden_keys_have_no_part(self):
        q, k, v = (draw(1, 2, 64, 32) for _ in range(3))
        dy = draw(1, 2, 64, 32)
        clean = gradients(tenon.attention, (q, k, v), dy, causal=True)
        for operand in (k, v):
            # The last query alone sees the last key.
            operand[:, :, -1, 5] = NAN
        y, dq, _, dv = gradients(tenon.attention, (q, k, v), dy, causal=True)
        self.assertEqual(bits(y[:, :, :-1]), bits(clean[0][:, :, :-1]))
        self.assertEqual(bits(dq[:, :, :-1]), bits(clean[1][:, :, :-1]))
        self.assertTrue(bool(tenon.isnan(y[:, :, -1]).any()))
        self.assertTrue(bool(tenon.isnan(dv[:, :, -1]).any()))

    def test_keys_after_a_sequence_are_never_read(self):
        q, k, v = draw(2, 4, 33, 16), draw(2, 2, 48, 16), draw(2, 2, 48, 16)
        dy = draw(2, 4, 33, 16)
        lengths = tenon.tensor([40, 17], dtype="i64")
        clean = gradients(tenon.attention, (q, k, v), dy, lengths=lengths)
        k[0, :, 40:] = NAN
        v[1, :, 17:] = float("inf")
        found = gradients(tenon.attention, (q, k, v), dy, lengths=lengths)
        for x, y in zip(found, clean):
            self.assertEqual(bits(x), bits(y))

    def test_masked_keys_have_no_part(self):
        q, k, v, dy = (draw(1, 1, 20, 16) for _ in range(4))
        mask = tenon.ones((20, 20), dtype="bool")
        mask[:, 3] = False
        mask[:, 11:13] = False
        clean = gradients(tenon.attention, (q, k, v), dy, mask=mask)
        for operand in (k, v):
            operand[:, :, 3, 0] = float("inf")
            operand[:, :, 12, 2] = NAN
        found = gradients(tenon.attention, (q, k, v), dy, mask=mask)
        for x, y in zip(found, clean):
            self.assertEqual(bits(x), bits(y))

    def test_a_cache_gives_the_bits_of_whole_sequences(self):
        """Query by query over a cache, against all queries at once."""
        q, k, v = draw(1, 4, 70, 16), draw(1, 2, 70, 16), draw(1, 2, 70, 16)
        whole = tenon.attention(q, k, v, causal=True, window=50)
        for i in range(70):
            start = tenon.tensor([i], dtype="i64")
            step = tenon.attention(q[:, :, i : i + 1], k, v, start=start, causal=True, window=50)
            self.assertEqual(bits(step), bits(whole[:, :, i : i + 1]), i)

    def test_memory_is_linear(self):
        q, k, v = (draw(1, 1, 3000, 8) for _ in range(3))
        before = tenon.stats()["bytes_peak"]
        for x in (q, k, v):
            x.requires_grad_()
        tenon.attention(q, k, v, causal=True).sum().backward()
        # The weights alone would take 36 MB.
        self.assertLess(tenon.stats()["bytes_peak"] - before, 12 << 20)


if __name__ == "__main__":
    unittest.main()
