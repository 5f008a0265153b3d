# SPDX-License-Identifier: Apache-2.0
# tests/python/test_extreme_gradients.py: gradients at the ends of the range, with large means,
# zeros and ties.

import math
import os
import unittest

import extreme_gradients
import support
from support import tenon

# Without TENON_TEST_SAMPLES one sample of an op, in f32.
MOST = int(os.environ.get("TENON_TEST_SAMPLES", "1"))
DTYPES = ("f32", "bf16") if MOST > 1 else ("f32",)


def gradient(function, numbers, dtype, seed=None):
    x = tenon.tensor(numbers, dtype=dtype, requires_grad=True)
    y = function(x)
    seeds = None if seed is None else tenon.tensor(seed, dtype=dtype)
    return tenon.grad(y, x, seeds).astype("f64").tolist()


class Sweep(support.Case):
    def test_all_ops(self):
        found, compared = extreme_gradients.rows(dtypes=DTYPES, most=MOST)
        print(*extreme_gradients.table(found), sep="\n")
        ops = [key for key in compared if key in extreme_gradients.OPS]
        print(
            sum(compared[op] for op in ops),
            "gradients of",
            len(ops),
            "ops compared,",
            len(found),
            "not within tolerance, for these reasons",
        )
        unexplained = [
            row for row in found if not extreme_gradients.reason_of(row[0], row[2], row[6])
        ]
        self.assertEqual(unexplained, [])
        self.assertGreater(len(ops), 180)
        self.assertGreater(sum(compared[op] for op in ops), 6000)

    def test_every_reason_is_needed(self):
        if MOST < 4:
            self.skipTest("needs all samples")
        found, _ = extreme_gradients.rows()
        used = {extreme_gradients.reason_of(row[0], row[2], row[6]) for row in found}
        self.assertEqual({row[3] for row in extreme_gradients.REASONS} - used, set())


class Products(support.Case):
    def close(self, found, right, share=1e-6):
        for a, b in zip(found, right, strict=True):
            self.assertTrue(abs(a - b) <= share * abs(b), f"{found} is not {right}")

    def test_others_pass_the_range_of_f32(self):
        numbers = [1e30, 1e30, 1e-30, 1e-30]
        self.close(gradient(tenon.prod, numbers, "f32"), [1e-30, 1e-30, 1e30, 1e30])
        self.close(gradient(tenon.prod, numbers, "bf16"), [1e-30, 1e-30, 1e30, 1e30], 2e-2)
        found = gradient(tenon.prod, [1e30, 1e30, 1.0, 0.0], "f32")
        self.assertEqual(found, [0.0, 0.0, 0.0, math.inf])
        self.assertEqual(gradient(tenon.prod, [1e30, 1e30, 1e30, 0.0, 0.0], "f32"), [0.0] * 5)

    def test_others_pass_the_range_of_f64(self):
        for order in (1, -1):
            numbers = ([1e38] * 12 + [1e-38] * 12)[::order]
            right = ([1e-38] * 12 + [1e38] * 12)[::order]
            self.close(gradient(tenon.prod, numbers, "f32"), right, 1e-5)
        self.assertEqual(gradient(tenon.prod, [1e38] * 12 + [0.0, 0.0], "f32"), [0.0] * 14)
        self.assertEqual(gradient(tenon.prod, [1e200, 1e200, 0.0, 0.0], "f64"), [0.0] * 4)
        self.close(
            gradient(tenon.prod, [1e200, 1e200, 1e-200, 1e-200], "f64"),
            [1e-200, 1e-200, 1e200, 1e200],
            1e-13,
        )

    def test_running_products(self):
        def running(x):
            return tenon.cumulative_prod(x)

        numbers = [1e30, 1e30, 1e-30, 1e-30, 2.0]
        # Only the last products fit f32, so only they have a gradient.
        seed = [0, 0, 0, 1, 1]
        self.close(gradient(running, numbers, "f32", seed), [3e-30, 3e-30, 3e30, 3e30, 1.0], 1e-5)
        numbers = [1e38] * 12 + [1e-38] * 12
        right = [1e-38] * 12 + [1e38] * 12
        self.close(gradient(running, numbers, "f32", [0] * 23 + [1]), right, 1e-5)
        self.assertEqual(
            gradient(running, [1e30, 1e30, 1e30, 0.0, 0.0], "f32", [0] * 4 + [1]), [0.0] * 5
        )

    def test_norm_passes_the_range_of_f32(self):
        for order in (2.0, 3.0):

            def length(x, order=order):
                return tenon.op.tenon.norm(x, ord=order)

            found = gradient(length, [3e38, 3e38], "f32")
            self.close(found, [0.5 ** (1 - 1 / order)] * 2)

    def test_second_order(self):
        for function, count in ((tenon.prod, None), (tenon.cumulative_prod, 4)):
            x = tenon.tensor([1e30, 2e30, 1e-30, 4e-30], dtype="f32", requires_grad=True)
            seed = None if count is None else tenon.tensor([0.0, 0.0, 0.0, 1.0])
            first = tenon.grad(function(x), x, seed, create_graph=True)
            second = tenon.grad(first[0], x).tolist()
            self.close(second, [0.0, 0.0, 8.0, 2.0], 1e-5)


class LargeMeans(support.Case):
    NUMBERS = (1e7, 1e7 + 1, 1e7 + 2, 1e7 + 4)
    # (x - m) / (3 s), with m = 1e7 + 1.75 and s the deviation of a sample
    STD = (-0.3415650255319866, -0.14638501094227999, 0.04879500364742666, 0.43915503282683993)

    def test_std_var(self):
        def deviation(x):
            return tenon.std(x, correction=1)

        found = gradient(deviation, self.NUMBERS, "f32")
        for a, b in zip(found, self.STD):
            self.assertAlmostEqual(a, b, delta=1e-6)
        found = gradient(tenon.std, self.NUMBERS, "f32")
        for a, b in zip(found, self.STD):
            self.assertAlmostEqual(a, b * math.sqrt(0.75), delta=1e-6)
        found = gradient(tenon.var, self.NUMBERS, "f32")
        self.assertEqual(found, [-0.875, -0.375, 0.125, 1.125])

    def test_norms(self):
        small = tenon.tensor([[0.0, 1.0, 2.0, 4.0]] * 3, dtype="f64")
        seeds = tenon.tensor([[1.0, 2.0, -1.0, 0.5]] * 3, dtype="f64")
        calls = {
            "layer_norm": lambda x: tenon.op.tenon.layer_norm(x, None, None),
            "batch_norm": lambda x: tenon.op.tenon.batch_norm(x.T, None, None).T,
            "batch_norm, channels last": lambda x: tenon.op.tenon.batch_norm(
                x.T.contiguous(), None, None
            ).T,
            "group_norm": lambda x: tenon.op.tenon.group_norm(x, None, None, groups=1),
            "instance_norm": lambda x: tenon.op.tenon.instance_norm(
                x.reshape([1, 3, 4]), None, None
            ).reshape([3, 4]),
        }
        for name, call in calls.items():
            with self.subTest(name=name):
                results = []
                for dtype, mean in (("f64", 0.0), ("f32", 1e7)):
                    x = (small + mean).astype(dtype).detach()
                    x.requires_grad = True
                    y = call(x)
                    results.append((y, tenon.grad(y, x, seeds.astype(dtype))))
                for right, found in zip(*results):
                    apart = (found.astype("f64") - right).abs().max().item()
                    self.assertLess(apart, 3e-6)

    def test_gradients_with_a_large_mean(self):
        x = tenon.tensor([[0.5, -1.0, 2.0, 0.25]], requires_grad=True)
        y = tenon.op.tenon.layer_norm(x, None, None)
        # A gradient of the same number everywhere moves nothing.
        found = tenon.grad(y, x, tenon.full([1, 4], 0.1))
        self.assertEqual(found.tolist(), [[0.0] * 4])

    def test_logsumexp(self):
        found = gradient(tenon.op.tenon.logsumexp, [1e4, 1e4], "f32")
        self.assertEqual(found, [0.5, 0.5])


class BeyondSquares(support.Case):
    """Numbers whose squares f32 does not hold."""

    def test_norms(self):
        for scale in (1e20, 1e30):
            numbers = [[scale, -scale, 2 * scale, 0.5 * scale], [1.0, 2.0, 3.0, 5.0]]
            small = [[1.0, -1.0, 2.0, 0.5], [1.0, 2.0, 3.0, 5.0]]
            for name in ("layer_norm", "rms_norm"):
                call = getattr(tenon.op.tenon, name)
                given = (None, None) if name == "layer_norm" else (None,)
                found = call(tenon.tensor(numbers), *given)
                right = call(tenon.tensor(small, dtype="f64"), *given, eps=0.0)
                for a, b in zip(found[0].tolist(), right[0].tolist(), strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-6)

    def test_batch_norm(self):
        for shape in ([4, 2], [2, 2, 2]):
            x = tenon.tensor([1e20, 1.0, -1e20, 2.0, 2e20, 3.0, 0.5e20, 5.0]).reshape(shape)
            found = tenon.op.tenon.batch_norm(x, None, None)
            right = tenon.op.tenon.batch_norm(x.astype("f64"), None, None)
            self.assertLess((found.astype("f64") - right).abs().max().item(), 1e-6)

    def test_cosine_embedding_loss(self):
        a = tenon.tensor([[1e30, 2e30]], requires_grad=True)
        y = tenon.op.tenon.cosine_embedding_loss(a, tenon.tensor([[2.0, 1.0]]), tenon.tensor([1]))
        self.assertAlmostEqual(y.item(), 0.2, delta=1e-6)
        self.assertTrue(all(math.isfinite(x) for x in tenon.grad(y, a).flatten().tolist()))


if __name__ == "__main__":
    unittest.main()
