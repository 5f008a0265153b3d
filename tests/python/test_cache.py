# SPDX-License-Identifier: Apache-2.0
# tests/python/test_cache.py: layers that keep keys and values of the positions they have seen: the
# bits of a whole sequence, cropped, saved, never with other weights, and changed by no failed call.

import copy
import pickle
import unittest

from support import Case, bits, tenon

nn = tenon.nn
WIDTH, POSITIONS = 16, 12
OPTIONS = dict(
    width=WIDTH, heads=4, kv_heads=2, hidden=24, norm="rms", activation="swiglu", qk_norm=True,
    positions=POSITIONS, causal=True,
)  # fmt: skip


def make(**options):
    tenon.seed(5)
    given = {**OPTIONS, **options}
    return nn.sequential(*(nn.transformer_block(**given) for _ in range(2))).eval()


def rows(batch, count, dtype=tenon.float32):
    return tenon.normal(shape=[batch, count, WIDTH], dtype=dtype)


def parts(x, sizes):
    start = 0
    for size in sizes:
        yield x[:, start : start + size]
        start += size


class Cache(Case):
    def setUp(self):
        super().setUp()
        mode = tenon.no_grad
        mode.__enter__()
        self.addCleanup(mode.__exit__, None, None, None)

    def counts(self, model):
        return [b.tolist() for n, b in model.named_buffers() if n.endswith("cache_count")]

    def test_bits_of_the_whole(self):
        # Products of fewer than 16 numbers are added up in another order: matmul says so.
        several = (
            {}, {"window": 3}, {"soft_cap": 2.0, "packed": False, "kv_heads": 4},
            {"dtype": tenon.float64},
        )  # fmt: skip
        for options in several:
            model = make(**options)
            x = rows(2, 9, options.get("dtype", tenon.float32))
            whole = model(x)
            model.set_cache(batch=2, positions=POSITIONS)
            for sizes in ([9], [1] * 9, [4, 1, 1, 3], [1, 8]):
                model.crop_cache()
                joined = tenon.concat([model(part) for part in parts(x, sizes)], axis=1)
                self.assertEqual(bits(joined), bits(whole), (options, sizes))
                self.assertEqual(self.counts(model), [[9, 9], [9, 9]])
            model.set_cache()
            self.assertEqual(self.counts(model), [])
            self.assertEqual(bits(model(x)), bits(whole))

    def test_positions(self):
        for kind in ("learned", "sinusoidal"):
            tenon.seed(5)
            table = nn.positions(rows=POSITIONS, width=WIDTH, kind=kind)
            model = nn.sequential(table, make()).eval()
            x = rows(2, 9)
            whole = model(x)
            model.set_cache(batch=2, positions=POSITIONS)
            for sizes in ([9], [4, 1, 1, 3]):
                model.crop_cache()
                joined = tenon.concat([model(part) for part in parts(x, sizes)], axis=1)
                self.assertEqual(bits(joined), bits(whole), (kind, sizes))
            before = self.counts(model)
            with self.assertRaisesRegex(tenon.DataError, "outside the table's 12 rows"):
                model(rows(2, 4))
            self.assertEqual((before, self.counts(model)), ([[9, 9]] * 3, before))
            with self.assertRaisesRegex(tenon.ShapeError, "another number of sequences"):
                model(rows(1, 1))

    def test_positions_of_several_lengths(self):
        table = nn.positions(rows=POSITIONS, width=WIDTH).eval()
        weight, x = table.weight.detach(), rows(2, 3)
        table.set_cache(batch=2, positions=POSITIONS)
        table(x, tenon.tensor([1, 3]))
        self.assertEqual(self.counts(table), [[1, 3]])
        y = table(x[:, :2])
        expected = x[:, :2] + tenon.stack([weight[1:3], weight[3:5]])
        self.assertEqual(bits(y), bits(expected))
        table.set_cache()
        self.assertEqual(bits(table(x[0])), bits(x[0] + weight[:3]))

    def test_crop(self):
        model = make()
        x, other = rows(1, 8), rows(1, 3)
        whole = model(tenon.concat([x[:, :5], other], axis=1))
        model.set_cache(positions=POSITIONS)
        model(x)
        model.crop_cache(5)
        model.crop_cache(7)  # more than there are
        self.assertEqual(self.counts(model), [[5], [5]])
        self.assertEqual(bits(model(other)), bits(whole[:, 5:]))

    def test_sequences_of_several_lengths(self):
        model = make()
        x = rows(2, 6)
        first = model(tenon.concat([x[:1, :2], x[:1, 4:5]], axis=1))
        second = model(tenon.concat([x[1:, :4], x[1:, 4:5]], axis=1))
        model.set_cache(batch=2, positions=POSITIONS)
        blocks = model.children()
        lengths = tenon.tensor([2, 4], dtype="i64")
        h = x[:, :4]
        for block in blocks:
            h = block(h, None, lengths)
        self.assertEqual(self.counts(model), [[2, 4], [2, 4]])
        h = x[:, 4:5]
        for block in blocks:
            h = block(h)
        self.assertEqual(bits(h[0, 0]), bits(first[0, 2]))
        self.assertEqual(bits(h[1, 0]), bits(second[0, 4]))

    def test_never_with_other_weights(self):
        model = make()
        x = rows(1, 3)
        model.set_cache(positions=POSITIONS)
        model(x)
        weight = dict(model.named_parameters())["0.linear1.weight"]
        weight[...] = weight * 2
        with self.assertRaisesRegex(tenon.StateError, "weights that have changed") as raised:
            model(x)
        self.assertIn("3 positions", raised.exception.found)
        self.assertEqual(self.counts(model), [[3], [3]])
        model.crop_cache()
        whole = model(x)
        model.crop_cache()
        self.assertEqual(bits(model(x[:, :2])), bits(whole[:, :2]))
        # An optimizer's step is a change, too; training is not concerned.
        model.train()
        optimizer = tenon.optim.sgd(model.parameters(), lr=0.1)
        with tenon.enable_grad:
            model(x).sum().backward()
        optimizer.step()
        model.eval()
        self.assertRaises(tenon.StateError, model, x)

    def test_failed_calls_keep_nothing(self):
        model = make()
        x = rows(1, POSITIONS)
        model.set_cache(positions=6)
        model(x[:, :5])
        kept = [bits(each) for each in model.buffers()]
        with self.assertRaisesRegex(tenon.DataError, r"start\[0\] is 5, outside the cache"):
            model(x[:, 5:7])
        self.assertRaises(tenon.ShapeError, model, x[:, :7])
        with self.assertRaisesRegex(tenon.ShapeError, "another number of sequences"):
            model(rows(2, 1))
        self.assertRaises(tenon.ShapeError, model, x[..., :3])
        block = model[0]
        for length in (-1, 2):
            lengths = tenon.tensor([length], dtype="i64")
            with self.assertRaisesRegex(tenon.DataError, rf"lengths\[0\] is {length}"):
                block(x[:, :1], None, lengths)
        self.assertEqual([bits(each) for each in model.buffers()], kept)
        self.assertEqual(bits(model(x[:, 5:6])), bits(make()(x[:, :6])[:, 5:]))

    def test_a_later_layer_that_fails(self):
        """What earlier ones have seen in that call is not kept either."""
        model = nn.sequential(nn.transformer_block(**OPTIONS), nn.linear(inputs=3, outputs=1))
        model.eval().set_cache(positions=4)
        self.assertRaises(tenon.ShapeError, model, rows(1, 2))
        self.assertEqual(self.counts(model), [[0]])

    def test_gradients_and_plans(self):
        model = make()
        model.set_cache(positions=4)
        with tenon.enable_grad, self.assertRaisesRegex(tenon.GradError, "gradients are recorded"):
            model(rows(1, 1))
        step = tenon.captured(lambda x: model(x))
        with self.assertRaisesRegex(tenon.CaptureError, "cannot be captured"):
            step(rows(1, 1))
        before = make()
        plan = tenon.captured(lambda x: before(x))
        x = rows(1, 2)
        whole = plan(x)
        plan(x)
        before.set_cache(positions=4)
        self.assertRaises(tenon.Error, plan, x)
        self.assertEqual(bits(before(x)), bits(whole))
        before.set_cache()
        self.assertEqual(bits(plan(x)), bits(whole))

    def test_a_captured_training_step_goes_on(self):
        """Between its replays a text is written with a cache."""
        model = make().train()
        optimizer = tenon.optim.sgd(model.parameters(), lr=0.01)
        plans = []

        def step(x):
            plans.append(1)
            loss = model(x).mean()
            loss.backward()
            optimizer.step(clear_grad=True)
            return loss

        step = tenon.captured(step)
        x = rows(1, 3)
        with tenon.enable_grad:
            step(x)
            step(x)
        made = len(plans)
        model.eval().set_cache(positions=4)
        model(x[:, :2])
        model.set_cache().train()
        with tenon.enable_grad:
            step(x)
        self.assertEqual(len(plans), made)

    def test_saved(self):
        model = make()
        x = rows(1, 5)
        whole = model(x)
        model.set_cache(positions=8)
        model(x[:, :4])
        saved = model.state_dict()
        other = make()
        self.assertRaises(tenon.Error, other.load_state_dict, saved)
        other.set_cache(positions=8).load_state_dict(saved)
        self.assertEqual(bits(other(x[:, 4:])), bits(whole[:, 4:]))

    def test_copied(self):
        model = make()
        x = rows(1, 5)
        whole = model(x)
        model[0].set_cache(positions=9)
        model.set_cache(positions=8)
        model(x[:, :4])
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(copy.deepcopy(model)))):
            self.assertEqual(bits(again(x[:, 4:])), bits(whole[:, 4:]))
        self.assertEqual(bits(model(x[:, 4:])), bits(whole[:, 4:]))

    def test_refusals(self):
        model = nn.linear(inputs=2, outputs=2)
        self.assertRaisesRegex(tenon.UnsupportedError, "keeps anything", model.set_cache, 1, 4)
        self.assertRaisesRegex(tenon.StateError, "has no caches", model.crop_cache)
        attention = make()
        self.assertRaisesRegex(tenon.StateError, "has no caches", attention.crop_cache)
        self.assertRaisesRegex(tenon.ArgumentError, "batch", attention.set_cache, 0, 4)
        self.assertRaisesRegex(tenon.ArgumentError, "positions", attention.set_cache, 1, -1)
        too_much = (tenon.OutOfMemoryError, tenon.ShapeError)
        self.assertRaises(too_much, attention.set_cache, 1, 1 << 60)
        attention.set_cache(1, 4)
        self.assertRaisesRegex(tenon.ArgumentError, "count", attention.crop_cache, -1)


if __name__ == "__main__":
    unittest.main()
