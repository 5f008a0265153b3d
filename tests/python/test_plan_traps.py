# SPDX-License-Identifier: Apache-2.0
# tests/python/test_plan_traps.py: mistakes that others made with captured steps, one test for each.
"""Each step runs eagerly and captured; what it leaves has to have the same bits."""

import gc
import random
import unittest

from support import Case, bits, tenon


def numbers(seed, *shape, dtype="float32"):
    rng = random.Random(f"{seed}{shape}")
    count = 1
    for length in shape:
        count *= length
    made = [rng.uniform(-1.5, 1.5) * 2 ** rng.randint(-6, 6) for _ in range(count)]
    return tenon.tensor(made, dtype).reshape(shape)


class Traps(Case):
    def compare(self, make, inputs, rounds=4):
        """`make()` gives a step and what it is seen by: a function that returns tensors."""
        sides = []
        for captured in (False, True):
            step, seen = make()
            plan, found = None, []
            for turn in range(rounds):
                operands = inputs(turn)
                if not captured:
                    results = step(*operands)
                elif plan is None:
                    plan = tenon.capture(step, *operands)
                    results = plan.results
                else:
                    results = plan(*operands)
                found.append([bits(each.astype("float64")) for each in (*results, *seen())])
            sides.append(found)
        self.assertEqual(*sides)

    def test_a_live_gradient_is_not_reused(self):
        """Dropped by its leaf, held by the program: the first run right, the replays wrong."""

        def make():
            w, kept = numbers("w", 40, 30).detach(), []
            w.requires_grad = True

            def step(x):
                kept.clear()
                tenon.tanh(tenon.matmul(x, w)).sum().backward()
                kept.append(w.grad[3:])  # a view of it alone
                w.grad = None
                y = tenon.sin(tenon.matmul(x, w.detach()))
                for _ in range(6):
                    y = tenon.cos(y * 1.25)
                return [y.sum()]

            return step, lambda: kept

        self.compare(make, lambda turn: [numbers(turn, 40, 40)])

    def test_sixteen_bits_are_rounded_between_ops(self):
        for dtype in ("bfloat16", "float16"):
            with self.subTest(dtype):

                def make(dtype=dtype):
                    w = numbers("w", 500, dtype=dtype)
                    w.requires_grad = True

                    def step(x):
                        y = tenon.relu(x * w + x) * 1.1 - w
                        y = tenon.tanh(y) / (y * y + 1)
                        w.grad = None
                        y.sum().backward()
                        return [y.detach()]

                    return step, lambda: [w.grad]

                self.compare(make, lambda turn, dtype=dtype: [numbers(turn, 500, dtype=dtype)])

    def test_a_product_is_rounded_before_it_is_added(self):
        def make():
            def step(x, y, z):
                return [x * y + z, x * y - z, x - y * z, (x * y + z) * y + x]

            return step, lambda: []

        self.compare(make, lambda turn: [numbers(f"{turn}{k}", 1000) for k in range(3)])

    def test_a_number_that_changes_is_not_frozen(self):
        def make():
            w = numbers("w", 70)
            w.requires_grad = True
            optimizer = tenon.optim.adamw([w], lr=0.01)
            rates = iter([0.5, 0.0, 0.25, 1.0])

            def step(x):
                (tenon.sin(w) * x).sum().backward()
                optimizer.step(clear_grad=True)
                return []

            def seen():
                optimizer.lr = next(rates)
                return [w, *optimizer.state_dict()["state"].values()]

            return step, seen

        self.compare(make, lambda turn: [numbers(turn, 70)])

    def test_another_dtype_has_another_plan(self):
        function = lambda x: tenon.exp(x * 0.1) / 3 + x  # noqa: E731
        captured = tenon.captured(function)
        for turn in range(3):
            for dtype in ("float32", "bfloat16", "float64", "float16"):
                x = numbers(turn, 33, dtype=dtype)
                found = captured(x)
                self.assertEqual(found.dtype.name, dtype)
                self.assertEqual(
                    bits(found.astype("float64")), bits(function(x).astype("float64"))
                )
        self.assertEqual(len(captured.plans), 4)

    def test_updates_with_accumulation_tied_weights_and_clipping(self):
        for name in ("sgd", "adamw", "lion"):
            with self.subTest(name):

                def make(name=name):
                    table, bias = numbers("t", 12, 8), numbers("b", 12)
                    table.requires_grad = bias.requires_grad = True
                    optimizer = getattr(tenon.optim, name)([table, bias], lr=0.01)
                    norms = []

                    def step(x, more):
                        norms.clear()
                        optimizer.zero_grad()
                        for each in (x, more):
                            hidden = tenon.tanh(tenon.matmul(each, table))  # used twice
                            logits = tenon.linear(hidden, table, bias)
                            (logits * logits).mean().backward()
                        norms.append(tenon.clip_grad_norm([table, bias], 0.05))
                        optimizer.step()
                        return [logits.detach()]

                    state = lambda: optimizer.state_dict()["state"].values()  # noqa: E731
                    return step, lambda: [table, bias, table.grad, bias.grad, *norms, *state()]

                self.compare(make, lambda turn: [numbers(f"{turn}{k}", 6, 12) for k in range(2)])

    def test_a_plan_outlives_others(self):
        """What plans share, arenas and workspaces, does not end with one of them."""
        function = lambda x: tenon.softmax(tenon.matmul(x, x), axis=-1) + x  # noqa: E731
        plans = [tenon.capture(function, numbers("x", n, n)) for n in (30, 90, 60)]
        for turn in range(4):
            for plan in plans:
                n = plan.inputs[0].shape[0]
                x = numbers(turn, n, n)
                self.assertEqual(bits(plan(x)), bits(function(x)))
            del plans[turn % len(plans)], plan
            gc.collect()
            if not plans:
                break

    def test_launches_that_were_left_out_are_not_looked_at(self):
        """Not even when the arena moves because another plan needs more."""
        small = numbers("b", 5)
        plans = [tenon.capture(lambda: tenon.sin(small - small * 0.3) is None)]
        function = lambda x: (x * 2 + 1) * (x * 2)  # noqa: E731
        for n in (3, 40, 500, 6000):
            plans.append(tenon.capture(function, numbers("x", n)))
            for plan in plans[:-1]:
                plan()
            for plan in plans[1:]:
                x = numbers(n, *plan.inputs[0].shape)
                self.assertEqual(bits(plan(x)), bits(function(x)))


if __name__ == "__main__":
    unittest.main()
