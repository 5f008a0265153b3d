# SPDX-License-Identifier: Apache-2.0
# tests/python/test_draws.py: random numbers that are drawn inside a dataset: they follow from seed,
# epoch and sample, whatever reads the sample, and are none of the thread's own.
import os
import random
import threading
import time
import unittest

from support import Case, run_python, tenon

data = tenon.data
WORKERS = 0, 1, 2, 4
LENGTH = 23


class Drawing:
    """Sample i is (i, draw(i))."""

    def __init__(self, draw, length=LENGTH):
        self.draw, self.length = draw, length

    def __len__(self):
        return self.length

    def __getitem__(self, number):
        time.sleep(number % 3 * 1e-4)  # so that workers overtake each other
        return number, self.draw(number)


def uniform(number=None):
    return tenon.uniform([2])


def drawn(dataset, size=4, *, epochs=1, begin=None, **options):
    """What each sample drew, as lists: {(epoch, sample): draw}."""
    options = {"shuffle": True, "seed": 11, **options}
    found = {}
    with data.batches(dataset, size, **options) as batches:
        if begin:
            batches.begin(**begin)
        for _ in range(epochs):
            for numbers, draws in batches:
                for number, draw in zip(numbers.tolist(), draws.tolist(), strict=True):
                    found[batches.epoch, number] = draw
    return found


class Draws(Case):
    def test_they_are_the_same_for_any_workers_and_batches(self):
        expected = drawn(Drawing(uniform), epochs=2)
        self.assertEqual(len(expected), 2 * LENGTH)
        self.assertEqual(len({str(each) for each in expected.values()}), 2 * LENGTH)
        for workers in WORKERS:
            for size in (1, 4, 23):
                for _ in range(2):
                    found = drawn(Drawing(uniform), size, epochs=2, workers=workers)
                    self.assertEqual(found, expected, (workers, size))
        self.assertEqual(drawn(Drawing(uniform), shuffle=False, epochs=2, workers=2), expected)
        self.assertNotEqual(drawn(Drawing(uniform), seed=12), drawn(Drawing(uniform)))

    def test_every_function_that_draws(self):
        layer = tenon.nn.dropout(p=0.5)
        ones, op = tenon.ones([8]), tenon.op.tenon
        functions = {
            "uniform": uniform,
            "normal": lambda _: op.normal(shape=[3]),
            "exponential": lambda _: op.exponential(shape=[3]),
            "truncated_normal": lambda _: op.truncated_normal(shape=[3]),
            "orthogonal": lambda _: op.orthogonal(shape=[3, 3]),
            "random_integers": lambda _: op.random_integers(shape=[4], high=1000),
            "permutation": lambda _: tenon.permutation(9),
            "bernoulli": lambda _: op.bernoulli(ones / 2),
            "multinomial": lambda _: op.multinomial(ones, num_samples=4),
            "sample": lambda _: tenon.sample(ones),
            "dropout": lambda _: tenon.dropout(ones, 0.5),
        }
        random = {each["name"] for each in tenon.query("ops") if "random" in each["flags"]}
        self.assertEqual({f"tenon.{name}" for name in functions}, random)
        functions |= {
            "a layer": lambda _: layer(ones),
            "several": lambda _: uniform() + tenon.permutation(2) + uniform(),
            "more and more": lambda number: sum((uniform() for _ in range(number)), uniform()),
        }
        for name, draw in functions.items():
            dataset = Drawing(draw, 8)
            expected = drawn(dataset)
            for workers in (0, 3):
                self.assertEqual(drawn(dataset, workers=workers), expected, name)

    def test_it_goes_on_in_the_middle_of_an_epoch(self):
        whole = drawn(Drawing(uniform), epochs=3)
        for workers in WORKERS:
            with data.batches(Drawing(uniform), 4, seed=11, workers=workers) as batches:
                batches.begin(1)
                walk = iter(batches)
                next(walk), next(walk)
                state = batches.state_dict()
            rest = drawn(Drawing(uniform), epochs=2, begin=state, workers=4 - workers)
            self.assertEqual(len(rest), LENGTH - 8 + LENGTH)
            self.assertEqual(rest, {place: whole[place] for place in rest})

    def test_processes_have_the_same(self):
        whole = drawn(Drawing(uniform), 2)
        for of in (2, 3):
            found = {}
            for first in range(of):
                found |= drawn(Drawing(uniform), 2, share=(first, 1, of), workers=first)
            self.assertEqual(len(found), LENGTH // (2 * of) * 2 * of)
            self.assertEqual(found, {place: whole[place] for place in found})
        child = os.fork()
        if child == 0:
            os._exit(0 if drawn(Drawing(uniform), 2) == whole else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_whole_batches(self):
        class Whole(Drawing):
            def take(self, numbers):
                time.sleep(numbers[0] % 3 * 1e-4)
                return tenon.tensor(numbers), tenon.uniform([len(numbers), 2])

        class Seeded(Drawing):
            def take(self, numbers):
                seeds = [float(data.sample_seed(each) % 2**20) for each in numbers]
                return tenon.tensor(numbers), tenon.tensor(seeds)

        expected = drawn(Whole(None), epochs=2)
        for workers in WORKERS:
            self.assertEqual(drawn(Whole(None), epochs=2, workers=workers), expected)
        rest = drawn(Whole(None), begin={"epoch": 1, "position": 8}, workers=2)
        self.assertEqual(rest, {place: expected[place] for place in rest})
        alone = Drawing(lambda number: float(data.sample_seed() % 2**20))
        self.assertEqual(drawn(Seeded(None), 5, epochs=2), drawn(alone, epochs=2, workers=2))

    def test_other_generators(self):
        def draw(number):
            assert data.sample_seed() == data.sample_seed(number)
            seed = data.sample_seed()
            assert 0 <= seed < 2**64
            return random.Random(seed).random()

        expected = drawn(Drawing(draw), epochs=2)
        self.assertEqual(len(set(expected.values())), 2 * LENGTH)
        for workers in WORKERS[1:]:
            self.assertEqual(drawn(Drawing(draw), epochs=2, workers=workers), expected)

    def test_seeds_outside_of_batches(self):
        tenon.seed(5)
        seeds = [data.sample_seed() for _ in range(100)]
        self.assertEqual(len(set(seeds)), 100)
        tenon.seed(5)
        self.assertEqual([data.sample_seed() for _ in range(100)], seeds)
        found = []
        list(data.batches(Drawing(lambda _: found.append(data.sample_seed()) or 0), 4))
        self.assertEqual(found, [data.sample_seed(i) for i in range(LENGTH)])
        self.refused(TypeError, lambda: data.sample_seed(1.5), "an integer", "float")

    def test_datasets_of_datasets(self):
        class Shuffled(Drawing):
            def __init__(self, inner):
                self.inner, self.length = inner, len(inner)

            def __getitem__(self, number):
                return number, self.inner[self.length - 1 - number][1] + uniform()

        class First(Shuffled):
            def take(self, numbers):
                draws = [self.inner[number][1] for number in numbers]
                return tenon.tensor(numbers), tenon.op.tenon.stack(draws) + uniform()

        class Batched(Drawing):
            """Each sample is drawn from batches of its own."""

            def __getitem__(self, number):
                sums = [draws.sum() for _, draws in data.batches(self.draw, 6, shuffle=True)]
                return number, uniform() + sum(sums).item()

        inner = Drawing(uniform)
        for dataset in (
            Shuffled(inner),
            Shuffled(Shuffled(inner)),
            First(inner),
            Batched(inner, 5),
        ):
            expected = drawn(dataset, epochs=2)
            self.assertEqual(len({str(each) for each in expected.values()}), 2 * len(dataset))
            for workers in (0, 1, 4):
                self.assertEqual(drawn(dataset, epochs=2, workers=workers), expected)

    def test_a_captured_function(self):
        def run(workers):
            own = threading.local()  # a plan's result is its own memory

            def draw(number):
                if not hasattr(own, "noise"):
                    own.noise = tenon.captured(lambda x: x + tenon.uniform([2]))
                return own.noise(tenon.full([2], float(number))).clone()

            return drawn(Drawing(draw), workers=workers)

        expected = run(0)
        for workers in (0, 2):
            self.assertEqual(run(workers), expected)

    def test_a_captured_step_reads_no_batch(self):
        for workers in (0, 2):
            with data.batches(Drawing(uniform), 4, workers=workers) as batches:
                walk = iter(batches)
                error = self.refused(
                    tenon.CaptureError,
                    lambda walk=walk: tenon.capture(lambda x: next(walk)[1] + x, tenon.ones([2])),
                    "batches",
                    "before or after the captured step",
                )
                self.assertIn("pass it", error.hint)
                numbers, _ = next(walk)
                self.same(numbers, [0, 1, 2, 3])


class OwnNumbers(Case):
    """The numbers of the thread that asks."""

    def test_they_go_on_as_if_nothing_was_read(self):
        def restless(number):
            if number == 3:
                tenon.seed(number)
            if number == 5:
                tenon.set_rng_state((1, 2, 3))
            return uniform()

        def failing(number):
            uniform()
            if number == 9:
                raise ZeroDivisionError
            return uniform()

        tenon.seed(7, 4)
        first = uniform().tolist()
        expected = [uniform().tolist() for _ in range(6)]
        for draw in (uniform, restless, failing):
            for workers in (0, 2):
                tenon.seed(7, 4)
                self.assertEqual(uniform().tolist(), first)
                batches = data.batches(Drawing(draw), 4, shuffle=False, seed=1, workers=workers)
                with batches:
                    walk, found = iter(batches), []
                    for _ in range(6):
                        try:
                            next(walk)
                        except ZeroDivisionError:
                            pass
                        found.append(uniform().tolist())
                self.assertEqual(found, expected)
                self.assertEqual(tenon.get_rng_state()[:2], (7, 4))

    def test_they_change_nothing_in_the_dataset(self):
        expected = drawn(Drawing(uniform))
        tenon.seed(1)
        batches, found = data.batches(Drawing(uniform), 4, seed=11), {}
        for numbers, draws in batches:
            uniform()
            tenon.seed(len(found))
            found |= {(0, n): d for n, d in zip(numbers.tolist(), draws.tolist(), strict=True)}
        self.assertEqual(found, expected)

    def test_a_failed_batch_is_read_again_with_the_same(self):
        expected = drawn(Drawing(uniform), shuffle=False)
        for workers in (0, 2):
            left = [2]

            def draw(number, left=left):
                draws = uniform()
                if number == 9 and left[0]:
                    left[0] -= 1
                    raise ZeroDivisionError
                return draws

            found = {}
            with data.batches(Drawing(draw), 4, seed=11, shuffle=False, workers=workers) as batches:
                walk = iter(batches)
                while True:
                    try:
                        numbers, draws = next(walk)
                    except ZeroDivisionError:
                        continue
                    except StopIteration:
                        break
                    each = zip(numbers.tolist(), draws.tolist(), strict=True)
                    found |= {(0, n): d for n, d in each}
            self.assertEqual(left, [0])
            self.assertEqual(found, expected)

    def test_other_threads_have_theirs(self):
        code = """
import threading, tenon
class Drawing:
    def __len__(self): return 12
    def __getitem__(self, number):
        tenon.seed(number + 100)
        return tenon.uniform([2])
tenon.seed(3)
with tenon.data.batches(Drawing(), 1, workers={}) as batches:
    list(batches)
def show(): print(tenon.get_rng_state())
thread = threading.Thread(target=show)
thread.start()
thread.join()
"""
        shown = {run_python(code.format(workers)).stdout for workers in (0, 1, 4)}
        self.assertEqual(len(shown), 1, shown)
        self.assertTrue(shown.pop().startswith("(3, "))

    def test_arithmetic_is_that_of_the_thread_that_asks(self):
        for fast in (True, False, True):
            tenon.fast_arithmetic(fast)
            self.addCleanup(tenon.fast_arithmetic, False)
            for workers in (0, 2):
                seen = set()
                batches = data.batches(
                    Drawing(lambda _, seen=seen: seen.add(tenon._runtime.thread_modes()[1]) or 0),
                    4,
                    workers=workers,
                )
                with batches:
                    list(batches)
                self.assertEqual(seen, {fast})

    def test_two_threads_with_batches_of_their_own(self):
        expected = drawn(Drawing(uniform))
        found = [None] * 3

        def read(place):
            found[place] = drawn(Drawing(uniform), workers=place)

        threads = [threading.Thread(target=read, args=(place,)) for place in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 3)


if __name__ == "__main__":
    unittest.main()
