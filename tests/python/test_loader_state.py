# SPDX-License-Identifier: Apache-2.0
# tests/python/test_loader_state.py: where batches are, saved at every moment of an epoch and given
# to others; what is not their state is refused, and leaves them as they were.
import itertools
import json
import pathlib
import tempfile
import unittest

from support import Case, tenon

data = tenon.data
LENGTH, SIZE, SEED = 23, 4, 11


class Written:
    """Sample i is (i, what it draws)."""

    def __init__(self, length=LENGTH):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, number):
        return number, tenon.uniform([1])

    def lengths(self):
        return [number * 7 % 5 for number in range(self.length)]


class Whole(Written):
    def take(self, numbers):
        return tenon.tensor(numbers), tenon.uniform([len(numbers)])


def values(batches):
    return [[field.tolist() for field in batch] for batch in batches]


class State(Case):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "numbers"
        tokens = range(100, 100 + LENGTH + 1)
        path.write_bytes(b"".join(each.to_bytes(2, "little") for each in tokens))
        self.open_tokens = lambda: data.tokens(paths=str(path), dtype="u16", window=1)

    # What is read, and how; each with and without workers.
    def sources(self):
        yield "written", Written()
        yield "whole batches", Whole()
        yield "of the registry", self.open_tokens()
        yield "tensors", data.tensors(tenon.arange(LENGTH))

    def options(self, dataset):
        lengths = list(range(LENGTH))
        yield "in order", {"shuffle": False}
        yield "shuffled", {"shuffle": True}
        yield "full batches", {"shuffle": True, "drop_last": True}
        yield "in order, full batches", {"shuffle": False, "drop_last": True}
        yield "buckets", {"shuffle": True, "buckets": 2, "lengths": lengths}
        yield "a share", {"shuffle": True, "share": (1, 1, 2)}

    def make(self, dataset, workers=0, **options):
        batches = data.batches(dataset, SIZE, **{"seed": SEED, "workers": workers, **options})
        self.addCleanup(batches.close)
        return batches

    def rest(self, batches, epochs=2):
        return [values(batches) for _ in range(epochs)]

    # Before the first batch, in the middle, before the last one, after it, after the end of `for`;
    # in the first epoch and a later one; saved as text, loaded by batches that have begun already.
    def test_it_is_as_it_was_at_every_moment(self):
        for source, dataset in self.sources():
            for name, options in self.options(dataset):
                whole = self.rest(self.make(dataset, **options), 5)
                for epoch in (0, 2):
                    for count in range(len(whole[epoch]) + 2):
                        with self.subTest(source, kind=name, epoch=epoch, batches=count):
                            self.one_moment(dataset, options, epoch, count, whole)

    def one_moment(self, dataset, options, epoch, count, whole):
        first = self.make(dataset, count % 3, **options)
        first.begin(epoch)
        taken = values(itertools.islice(first, count))
        self.assertEqual(taken, whole[epoch][:count])
        state = json.loads(json.dumps(first.state_dict()))
        first.close()
        second = self.make(dataset, 2 - count % 3, **options)
        next(iter(second))
        second.begin(**state)
        self.assertEqual(second.state_dict(), state)
        over = count >= len(whole[epoch])
        expected = [] if over else [whole[epoch][count:]]
        expected += whole[epoch + 1 : epoch + 3 - len(expected)]
        self.assertEqual(self.rest(second), expected)
        second.close()

    def test_after_the_last_epoch(self):
        for source, dataset in self.sources():
            with self.subTest(source):
                batches = self.make(dataset)
                whole = self.rest(self.make(dataset), 4)
                for epoch in range(3):
                    self.assertEqual(values(batches), whole[epoch])
                state = batches.state_dict()
                self.assertEqual((state["epoch"], state["position"]), (3, 0))
                self.assertEqual(values(self.make(dataset).begin(**state)), whole[3])

    def test_in_a_for_that_was_left(self):
        batches = self.make(Written(), 2)
        whole = self.rest(self.make(Written()), 2)
        for _ in batches:
            break
        state = batches.state_dict()
        self.assertEqual(state["position"], SIZE)
        self.assertEqual(values(self.make(Written()).begin(**state)), whole[0][1:])
        self.assertEqual(values(batches), whole[1])  # here the next `for` is the next epoch

    def test_before_a_batch_that_fails(self):
        class Failing(Written):
            bad = True

            def __getitem__(self, number):
                if number == 9 and self.bad:
                    raise ZeroDivisionError
                return super().__getitem__(number)

        whole = values(self.make(Written(), shuffle=False))
        for workers in (0, 2):
            dataset = Failing()
            walk = iter(batches := self.make(dataset, workers, shuffle=False))
            next(walk), next(walk)
            with self.assertRaises(ZeroDivisionError) as caught:
                next(walk)
            caught.exception.__traceback__ = None
            state = batches.state_dict()
            self.assertEqual(state["position"], 2 * SIZE)
            dataset.bad = False
            again = self.make(dataset, workers, shuffle=False).begin(**state)
            self.assertEqual(values(again), whole[2:])

    def test_no_samples_at_all(self):
        for workers in (0, 2):
            batches = self.make(Written(0), workers)
            self.assertEqual(batches.begin(**batches.state_dict()).state_dict()["epoch"], 0)
            self.assertEqual(values(batches), [])
            self.assertEqual(batches.state_dict()["epoch"], 1)

    def test_states_of_before_length_and_shuffle_were_in_them(self):
        whole = values(self.make(Written()))
        old = {"epoch": 0, "position": 8, "seed": SEED}
        self.assertEqual(values(self.make(Written()).begin(**old)), whole[2:])

    # Each is refused, and the `for` that runs goes on as if it had not been asked.
    def test_what_does_not_fit_changes_nothing(self):
        shuffled, buckets = {"shuffle": True}, {"shuffle": True, "buckets": 2}
        cases = [
            ("another seed", shuffled, {"seed": SEED + 1}, "seed"),
            ("shorter data", shuffled, {"length": LENGTH - 1}, "length"),
            ("longer data", shuffled, {"length": LENGTH + 1}, "length"),
            ("in order", shuffled, {"shuffle": False}, "shuffle"),
            ("shuffled", {"shuffle": False}, {"shuffle": True}, "shuffle"),
            ("without buckets", buckets, {"buckets": 0}, "buckets"),
            ("with buckets", shuffled, {"buckets": 2}, "buckets"),
            ("a larger pool", buckets, {"buckets": 3}, "buckets"),
            ("other batches in buckets", buckets, {"size": 5}, "size"),
            ("a position past the end", shuffled, {"position": LENGTH + 1}, "position"),
            ("a position before the first", shuffled, {"position": -1}, "position"),
            ("a negative epoch", shuffled, {"epoch": -1}, "position"),
            ("an epoch beyond all", shuffled, {"epoch": 2**63}, ""),
            ("a position in parts", shuffled, {"position": 8.0}, "an integer"),
            ("an epoch as a text", shuffled, {"epoch": "1"}, "an integer"),
            ("in a round", {"share": (0, 1, 2)}, {"position": 4}, "a multiple of 8"),
        ]
        for name, options, wrong, words in cases:
            for workers in (0, 2):
                with self.subTest(name, workers=workers):
                    expected = self.rest(self.make(Written(), **options))
                    state = self.make(Written(), **options).state_dict() | wrong
                    batches = self.make(Written(), workers, **options)
                    walk = iter(batches)
                    found = [[field.tolist() for field in next(walk)]]
                    before = batches.state_dict()
                    with self.assertRaises((ValueError, TypeError, OverflowError)) as caught:
                        batches.begin(**state)
                    self.assertIn(words, str(caught.exception))
                    caught.exception.__traceback__ = None
                    self.assertEqual(batches.state_dict(), before)
                    self.assertEqual([found + values(walk), values(batches)], expected)

    def test_another_length_is_refused_by_what_it_is(self):
        state = self.make(Written(LENGTH + 5)).state_dict()
        error = self.refused(
            ValueError, lambda: self.make(Written()).begin(**state), "length", str(LENGTH + 5)
        )
        self.assertIn(str(LENGTH), error.expected)


if __name__ == "__main__":
    unittest.main()
