# SPDX-License-Identifier: Apache-2.0
# tests/python/test_data.py: datasets of the registry and datasets written in Python, and batches
# of both.
import errno
import gc
import os
import pathlib
import signal
import struct
import tempfile
import threading
import time
import traceback
import unittest
import weakref

from support import Case, run_python, tenon

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "examples/data/digits"
data = tenon.data


def threads_awake():
    """How many threads of this process run, or want to."""
    stats = (task / "stat" for task in pathlib.Path("/proc/self/task").iterdir())
    return [stat.read_text().rpartition(")")[2].split()[0] for stat in stats].count("R")


def open_digits():
    return data.idx(
        images=str(DIGITS / "train-images-idx3-ubyte"),
        labels=str(DIGITS / "train-labels-idx1-ubyte"),
    )


def values(batches):
    """Every batch of one `for`, as lists."""
    return [[field.tolist() for field in batch] for batch in batches]


class TokenFiles(Case):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, form, tokens):
        path = self.folder / name
        path.write_bytes(struct.pack(f"<{len(tokens)}{form}", *tokens))
        return str(path)

    def test_windows(self):
        path = self.write("book.bin", "H", range(1000, 1100))
        windows = data.tokens(paths=path, dtype="u16", window=9, stride=7)
        self.assertEqual(
            windows.fields, [("tokens", (9,), tenon.int64), ("targets", (9,), tenon.int64)]
        )
        self.assertEqual(len(windows), 13)
        for i, (tokens, targets) in enumerate(windows[i] for i in range(13)):
            first = 1000 + 7 * i
            self.assertEqual(tokens.tolist(), list(range(first, first + 9)))
            self.assertEqual(targets.tolist(), list(range(first + 1, first + 10)))

    def test_workers_read_the_same(self):
        paths = [self.write(str(i), "I", range(100 * i, 100 * i + 90)) for i in range(3)]
        windows = data.tokens(paths="\n".join(paths), dtype="u32", window=8)
        with data.batches(windows, 4, seed=5, workers=3) as ahead:
            self.assertEqual(values(ahead), values(data.batches(windows, 4, seed=5)))

    def test_batches_are_cut_to_their_longest_document(self):
        path = self.write("lines", "q", [5, 6, 0, 7, 0, 8, 9, 1, 2, 0])
        lines = data.tokens(paths=path, dtype="i64", window=6, separator=0, pad=3)
        found = []
        for tokens, targets, length in data.batches(lines, 2, shuffle=False):
            longest = length.max().item()
            found.append((tokens[:, :longest].tolist(), targets[:, :longest].tolist()))
        self.assertEqual(found[0], ([[5, 6], [7, 3]], [[6, 0], [0, -100]]))
        self.assertEqual(found[1], ([[8, 9, 1, 2]], [[9, 1, 2, 0]]))

    def test_buckets(self):
        tokens = [token for n in (7, 2, 9, 3, 5, 8, 2, 6, 4, 9, 3) for token in [*range(1, n), 0]]
        path = self.write("lines", "H", tokens)
        lines = data.tokens(paths=path, dtype="u16", window=9, separator=0, pad=3)
        self.assertEqual(lines.lengths().tolist(), [6, 1, 8, 2, 4, 7, 1, 5, 3, 8, 2])
        self.assertEqual(lines.lengths().dtype, tenon.int64)
        order = data.batches(lines, 2, buckets=2, shuffle=False)
        found = [batch[2].tolist() for batch in order]
        self.assertEqual(found, [[1, 2], [6, 8], [1, 4], [5, 7], [3, 8], [2]])
        self.assertEqual(order.state_dict()["buckets"], 2)
        shuffled = data.batches(lines, 2, buckets=2, seed=4)
        first = values(shuffled)
        with data.batches(lines, 2, buckets=2, seed=4, workers=3) as ahead:
            self.assertEqual(values(ahead), first)
        shuffled.begin(0)
        passed = iter(shuffled)
        next(passed), next(passed)
        rest = data.batches(lines, 2, buckets=2, seed=4).begin(**shuffled.state_dict())
        self.assertEqual(values(rest), first[2:])
        for other, word in (({}, "buckets"), ({"buckets": 3}, "buckets")):
            wrong = data.batches(lines, 2, seed=4, **other)
            self.refused(ValueError, lambda b=wrong: b.begin(**shuffled.state_dict()), word)
        wrong = data.batches(lines, 3, seed=4, buckets=2)
        self.refused(ValueError, lambda: wrong.begin(**shuffled.state_dict()), "size")

    def test_masked_tokens_and_their_targets(self):
        path = self.write("many", "H", [i % 50 for i in range(40000)])
        rows = data.tokens(paths=path, dtype="u16", window=100, ahead=0, vocabulary=50)
        options = {"probability": 0.3, "special": [0, 7]}
        masks = [
            data.mask_tokens(60, 1000, **options),
            data.mask_tokens(60, 1000, **options, targets=True, field=1),
        ]
        found = {"mask": 0, "other": 0, "same": 0}
        for tokens, targets in data.batches(rows, 40, shuffle=False, seed=4, transforms=masks):
            for row, wanted in zip(tokens.tolist(), targets.tolist(), strict=True):
                for place, (token, target) in enumerate(zip(row, wanted, strict=True)):
                    if target == -100:
                        self.assertEqual(token, place % 50)
                        continue
                    self.assertEqual(target, place % 50)
                    self.assertNotIn(target, (0, 7))
                    found["mask" if token == 60 else "same" if token == target else "other"] += 1
        chosen = sum(found.values())
        # Five standard deviations; of tokens replaced by any, one in a thousand is as it was.
        self.assertAlmostEqual(chosen, 38400 * 0.3, delta=5 * (38400 * 0.21) ** 0.5)
        self.assertAlmostEqual(found["mask"], chosen * 0.8, delta=5 * (chosen * 0.16) ** 0.5)
        self.assertAlmostEqual(found["same"], chosen * 0.1, delta=5 * (chosen * 0.09) ** 0.5)
        epochs = data.batches(rows, 40, shuffle=False, seed=4, transforms=masks)
        first, second = values(epochs), values(epochs)
        self.assertNotEqual(first, second)
        again = data.batches(rows, 7, shuffle=False, seed=4, transforms=masks, workers=2)
        flat = [row for batch in first for row in batch[0]]
        self.assertEqual([row for batch in values(again) for row in batch[0]], flat)

    def test_refusals(self):
        path = self.write("few", "i", [1, 2, 3])
        self.refused(
            tenon.UnsupportedError, lambda: data.batches(open_digits(), 4, buckets=2), "tenon.idx"
        )
        self.refused(
            tenon.FileError, lambda: data.tokens(paths="nowhere", dtype="i32", window=1), "nowhere"
        )
        self.refused(
            tenon.OptionError, lambda: data.tokens(paths=path, window=1), "u16, u32, i32 or i64"
        )
        self.refused(
            tenon.OptionError,
            lambda: data.tokens(paths=path, dtype="i32", window=3),
            "the longest has 3",
        )
        self.refused(
            tenon.OptionError,
            lambda: data.tokens(paths=path, dtype="i32", window=2, stride=0),
            "stride",
        )
        self.refused(
            tenon.DataError,
            lambda: data.tokens(paths=path, dtype="i64", window=1),
            "multiple of 8 bytes",
        )
        self.refused(
            tenon.DataError,
            lambda: data.tokens(paths=path, dtype="i32", window=1, vocabulary=3),
            "token 2",
        )


class Numbers:
    """Sample i is (float(i), i * i); what `bad` names raises."""

    def __init__(self, length, bad=None, error=None):
        self.length, self.bad, self.error = length, bad, error

    def __len__(self):
        return self.length

    def __getitem__(self, number):
        if number == self.bad:
            raise self.error
        return float(number), number * number


class Registered(Case):
    def setUp(self):
        self.digits = open_digits()

    def tearDown(self):
        del self.digits

    def test_samples(self):
        images, labels = self.digits[:3]
        self.assertEqual((images.shape[0], labels.shape), (3, (3,)))
        image, label = self.digits[-1]
        name, shape, dtype = self.digits.fields[0]
        self.assertEqual((image.shape, image.dtype), (shape, dtype))
        self.same(label, self.digits.take([len(self.digits) - 1])[1].tolist()[0])
        self.refused(IndexError, lambda: self.digits[len(self.digits)])
        self.refused(tenon.ArgumentError, lambda: self.digits.take([-1]))
        self.refused(TypeError, lambda: self.digits.take(["1"]), "integers")

    def test_refusals(self):
        self.refused(tenon.FileError, lambda: data.idx(images="nowhere"), "nowhere")
        self.refused(OSError, lambda: data.idx(images="nowhere"))
        self.refused(tenon.OptionError, data.idx, "images")

    def test_batches_hold_every_sample_once(self):
        count = len(self.digits)
        batches = data.batches(self.digits, 100)
        self.assertEqual(len(batches), -(-count // 100))
        labels = [label for _, y in batches for label in y.tolist()]
        self.assertEqual(labels, self.digits[:][1].tolist())
        self.assertEqual((batches.epoch, batches.position), (0, count))
        shorter = data.batches(self.digits, 100, drop_last=True)
        self.assertEqual([x.shape[0] for x, _ in shorter], [100] * len(shorter))
        self.assertEqual(len(shorter), count // 100)

    def test_epochs_and_seeds(self):
        batches = data.batches(self.digits, 64, seed=3)
        epochs = [[y.tolist() for _, y in batches] for _ in range(2)]
        self.assertNotEqual(epochs[0], epochs[1])
        self.assertEqual(batches.epoch, 1)
        for workers in (0, 1, 3):
            with data.batches(self.digits, 64, shuffle=True, seed=3, workers=workers) as again:
                self.assertEqual([[y.tolist() for _, y in again] for _ in range(2)], epochs)
        other = data.batches(self.digits, 64, seed=4)
        self.assertNotEqual([y.tolist() for _, y in other], epochs[0])

    def test_it_goes_on_where_it_was(self):
        for workers in (0, 2):
            batches = data.batches(self.digits, 100, seed=1, workers=workers)
            whole = [y.tolist() for _, y in batches]
            batches.begin(0)
            walk = iter(batches)
            first = [next(walk)[1].tolist() for _ in range(4)]
            state = batches.state_dict()
            order = {"seed": 1, "length": len(self.digits), "shuffle": True}
            self.assertEqual(state, {"epoch": 0, "position": 400} | order)
            again = data.batches(self.digits, 100, seed=1, workers=workers).begin(**state)
            self.assertEqual(first + [y.tolist() for _, y in again], whole)
            self.assertEqual(again.state_dict(), {"epoch": 1, "position": 0} | order)
            batches.close()
            again.close()

    def test_transforms(self):
        images = self.digits[:4][0].astype(tenon.float32)
        for transforms, expected in (
            ([data.normalise(0.5, 2.0, scale=16)], (images / 16.0 - 0.5) / 2.0),
            ([data.flatten()], images.reshape(4, 64)),
            ([data.crop(4, 2)], images[:, 2:6, 3:5]),
            ([data.crop(4, 2), data.flatten()], images[:, 2:6, 3:5].reshape(4, 8)),
        ):
            x, _ = next(iter(data.batches(self.digits, 4, transforms=transforms)))
            self.same(x.astype(tenon.float32), expected.tolist())
        flipped = data.batches(self.digits, 64, transforms=[data.flip()])
        x, _ = next(iter(flipped))
        plain = self.digits[:64][0]
        turned = plain[:, :, ::-1].tolist()
        both = [each in (a, b) for each, a, b in zip(x.tolist(), plain.tolist(), turned)]
        self.assertTrue(all(both))
        self.assertNotIn(x.tolist(), (plain.tolist(), turned))
        self.assertEqual(repr(data.flip(field=2)), "<transform tenon.flip of field 2>")

    def test_transforms_of_images(self):
        images = self.digits[:4][0]
        framed = tenon.full([4, 9, 10], 3, dtype=tenon.uint8)
        framed[:, 1:, 2:] = images
        for transform, expected in (
            (data.pad([2, 1, 0, 0], value=3), framed),
            (data.flip(1), images[:, :, ::-1]),
            (data.flip(1, vertical=True), images[:, ::-1]),
            (data.rotate((180, 180)), images[:, ::-1, ::-1]),
            (data.rotate(0, fill=9, nearest=True), images),
            (data.color_jitter([2, 2]), images * 2),
            (data.color_jitter(saturation=0.5, hue=0.5), images),
            (data.random_erasing(0), images),
        ):
            x, _ = next(iter(data.batches(self.digits, 4, transforms=[transform])))
            self.assertEqual((x.dtype, x.tolist()), (tenon.uint8, expected.tolist()))
        x, _ = next(iter(data.batches(self.digits, 4, transforms=[data.pad(2, mode="reflect")])))
        self.assertEqual(x[:, :, 0].tolist()[0][2:-2], images[:, :, 2].tolist()[0])
        erasing = data.random_erasing(1, scale=(0.25, 0.25), ratio=(1, 1), value=99)
        x, _ = next(iter(data.batches(self.digits, 4, transforms=[erasing])))
        self.assertEqual([sum(row.count(99) for row in each) for each in x.tolist()], [16] * 4)
        self.assertLess({"color_jitter", "pad", "random_erasing", "rotate"}, set(dir(data)))
        self.refused(ValueError, lambda: data.rotate(181), "degrees", "0 to 180", "[181]")
        self.refused(ValueError, lambda: data.color_jitter(hue=1), "hue", "0 to 0.5", "[1]")

    def test_refused_transforms(self):
        def make(*transforms):
            return lambda: data.batches(self.digits, 4, transforms=transforms)

        self.refused(ValueError, make(data.flatten(field=2)), "field below 2", "is not there")
        self.refused(ValueError, make(data.crop(9, 9)), "crop", "larger than the padded image")
        self.refused(ValueError, make(data.normalise([0.0] * 3)), "channels")
        self.refused(ValueError, lambda: data.normalise(0.0, 0.0), "numbers that are not 0")
        self.refused(ValueError, lambda: data.flip(field=-1), "number of a field")
        self.refused(ValueError, lambda: data.transform("tenon.flip", p=1), "p")
        self.refused(LookupError, lambda: data.transform("tenon.flap"), "tenon.flap")
        self.refused(ValueError, lambda: data.normalise([0.0] * 2, [1.0] * 3), "deviation")
        self.refused(ValueError, make(*[data.flatten()] * 17), "at most 16")
        self.refused(TypeError, lambda: data.normalise([object()]), "list of numbers")
        self.refused(TypeError, make(len), "transforms", "builtin_function")

    def test_closed_ones_are_refused(self):
        for workers in (0, 2):
            batches = data.batches(self.digits, 100, workers=workers)
            walk = iter(batches)
            next(walk)
            with batches:
                pass
            batches.close()
            self.refused(tenon.StateError, lambda walk=walk: next(walk), "closed")
            self.refused(tenon.StateError, lambda b=batches: b.begin(0), "closed")
            self.refused(tenon.StateError, lambda b=batches: iter(b), "closed")

    def test_a_for_that_is_left(self):
        batches = data.batches(self.digits, 100, workers=2)
        for images, _ in batches:
            break
        first = iter(batches)
        self.assertEqual((batches.epoch, batches.position), (1, 0))
        second = iter(batches)
        self.refused(tenon.StateError, lambda: next(first), "one pass at a time")
        self.assertEqual(next(second)[0].shape, images.shape)

    def test_workers_end_with_their_batches(self):
        def threads():
            return len(os.listdir("/proc/self/task"))

        list(data.batches(self.digits, 100))
        before = threads()
        batches = data.batches(self.digits, 100, workers=3)
        next(iter(batches))
        self.assertEqual(threads(), before + 3)
        del batches
        self.assertEqual(threads(), before)

    def test_the_data_set_lives_as_long(self):
        batches = data.batches(open_digits(), 100, workers=2)
        gc.collect()
        self.assertEqual(len(list(batches)), len(batches))

    def test_fork(self):
        batches = data.batches(self.digits, 100, workers=2)
        plain = data.batches(self.digits, 100)
        walk = iter(batches)
        next(walk)
        # AddressSanitizer's allocator has no care for a fork while another thread is in it.
        while threads_awake() > 1:
            time.sleep(0.001)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.refused(tenon.StateError, lambda: next(walk), "forked")
                assert len(list(plain)) == len(plain)
                batches.close()
                del batches, walk
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(list(walk)), len(batches) - 1)


class Written(Case):
    def test_the_same_batches_as_of_the_registry(self):
        digits = open_digits()

        class Plain:
            def __len__(self):
                return len(digits)

            def __getitem__(self, number):
                return digits[number]

        class Whole(Plain):
            def take(self, numbers):
                return digits.take(numbers)

        transforms = [data.crop(6, 6, padding=1, random=True), data.normalise(scale=16)]
        for shuffle, drop_last in ((False, False), (True, True)):
            options = {"shuffle": shuffle, "drop_last": drop_last, "transforms": transforms}
            expected = values(data.batches(digits, 300, **options))
            for written in (Plain(), Whole(), data.tensors(*digits[:])):
                for workers in (0, 3):
                    batches = data.batches(written, 300, workers=workers, **options)
                    self.assertEqual(len(batches), len(expected))
                    self.assertEqual(values(batches), expected)

    def test_buckets(self):
        class Sized(Numbers):
            def lengths(self):
                return [number * 7 % 5 for number in range(len(self))]

        def given(dataset, **options):
            found = data.batches(dataset, 3, buckets=3, seed=2, **options)
            return [batch[0].tolist() for batch in found]

        lengths = Sized(20).lengths()
        first = given(Sized(20))
        plain = [batch[0].tolist() for batch in data.batches(Numbers(20), 3, seed=2)]
        self.assertEqual(sorted(sum(first, [])), sorted(sum(plain, [])))
        self.assertEqual(given(Sized(20), workers=2), first)
        self.assertEqual(given(Numbers(20), lengths=lengths), first)
        self.assertEqual(given(Numbers(20), lengths=tenon.tensor(lengths)), first)
        self.refused(ValueError, lambda: given(Numbers(20)), "lengths")
        self.refused(ValueError, lambda: given(Numbers(20), lengths=lengths[1:]), "19")
        self.refused(ValueError, lambda: given(Numbers(20), lengths=[-1] * 20), "negative")
        self.refused(TypeError, lambda: given(Numbers(20), lengths=[0.5] * 20), "integers")
        self.refused(ValueError, lambda: data.batches(Sized(20), 3, buckets=1), "pool")
        self.refused(ValueError, lambda: data.batches(Sized(20), 3, buckets=-2), "buckets")

    def test_samples_become_tensors(self):
        class Kinds(Numbers):
            def __getitem__(self, number):
                kinds = (number, float(number), number > 1, tenon.full([2], number), bytearray(3))
                return kinds

        batch = next(iter(data.batches(Kinds(3), 2)))
        self.assertEqual([x.dtype.name for x in batch], "int64 float32 bool int64 uint8".split())
        self.assertEqual([x.shape for x in batch], [(2,), (2,), (2,), (2, 2), (2, 3)])

        class One(Numbers):
            def __getitem__(self, number):
                return tenon.tensor([number], requires_grad=False)

        (x,) = next(iter(data.batches(One(3), 3)))
        self.same(x, [[0], [1], [2]])
        x, y = data.tensors(tenon.tensor([1, 2, 3]), tenon.tensor([4, 5, 6]))[1]
        self.assertEqual((x.item(), y.item()), (2, 5))
        self.assertEqual(list(data.batches(Numbers(0), 3)), [])

    def test_exceptions_reach_the_caller(self):
        for workers in (0, 2):
            wrong = Numbers(40, 17, ZeroDivisionError("no such number"))
            batches = data.batches(wrong, 5, workers=workers)
            walk = iter(batches)
            for place in range(3):
                self.same(next(walk)[0], [5.0 * place + i for i in range(5)])
            for _ in range(2):  # it stays, and nothing else is lost
                try:
                    next(walk)
                    self.fail("nothing was raised")
                except ZeroDivisionError as error:
                    self.assertEqual(error.args, ("no such number",))
                    if hasattr(error, "__notes__"):
                        self.assertIn("sample 17", error.__notes__[0])
                    frames = traceback.extract_tb(error.__traceback__)
                    self.assertIn("__getitem__", [frame.name for frame in frames])
            wrong.bad = None
            self.assertEqual(len(list(walk)), 5)
            wrong.bad, wrong.error = 3, StopIteration()
            with self.assertRaisesRegex(RuntimeError, "sample 3 raised StopIteration") as caught:
                list(batches)
            caught.exception.__traceback__ = wrong.error.__traceback__ = None
            batches.close()

    def test_samples_that_do_not_fit_together(self):
        class Growing(Numbers):
            def __getitem__(self, number):
                return tenon.full([1 + number // 2], 0.0), *[1] * (number // 5)

        def read(*numbers):
            return lambda: list(data.batches(Growing(20), 2).begin(0, numbers[0]))

        error = self.refused(ValueError, read(1), "field 0", "sample 2")
        self.assertIn("(1,)", error.expected)
        self.refused(ValueError, read(4), "1 in each sample", "2 in sample 5")
        self.refused(TypeError, lambda: list(data.batches([(object(),)], 1)), "__dlpack__")

    def test_refusals(self):
        self.refused(ValueError, lambda: data.batches(Numbers(3), 0), "size", "1 to")
        self.refused(ValueError, lambda: data.batches(Numbers(3), 2.5), "size", "2.5")
        self.refused(ValueError, lambda: data.batches(Numbers(3), 2, workers=65), "0 to 64")
        self.refused(TypeError, lambda: data.batches(iter([1]), 2), "len()", "list_iterator")
        self.refused(TypeError, lambda: data.batches(3, 2), "len()", "int")
        self.refused(ValueError, lambda: data.batches(Numbers(3), 1).begin(0, 4), "0 to 3")
        self.refused(ValueError, lambda: data.batches(Numbers(3), 1).begin(-1), "-1")
        self.refused(ValueError, lambda: data.tensors(tenon.full([2], 1), tenon.full([3], 1)))
        self.refused(ValueError, data.tensors)
        wrong = [data.flatten(field=2)]
        batches = data.batches(Numbers(3), 1, transforms=wrong)
        self.refused(ValueError, lambda: list(batches), "a field that there is")

    def test_workers_read_ahead_in_threads_of_their_own(self):
        seen = set()

        class Watched(Numbers):
            def __getitem__(self, number):
                seen.add(threading.current_thread().name)
                return tenon.full([2], number) + 1

        with data.batches(Watched(50), 2, workers=3) as batches:
            self.assertEqual([x[0, 0].item() for (x,) in batches], list(range(1, 51, 2)))
        self.assertTrue(seen)
        self.assertNotIn("MainThread", seen)
        self.assertFalse([t for t in threading.enumerate() if t.name in seen])

    def test_nothing_keeps_a_data_set(self):
        for workers in (0, 2):
            numbers = Numbers(10)
            held = weakref.ref(numbers)
            list(data.batches(numbers, 2, workers=workers))
            del numbers
            gc.collect()
            self.assertIsNone(held())


class Shares(Case):
    """Each of several processes reads a share of every round of batches."""

    SIZE, OF = 3, 4  # of a batch, batches of a round

    def sources(self):
        yield "registered", open_digits(), {}
        yield "written", Numbers(50), {}
        yield "read ahead", Numbers(50), {"workers": 2}

    def open(self, dataset, first, count, **more):
        return data.batches(
            dataset, self.SIZE, shuffle=True, seed=5, share=(first, count, self.OF), **more
        )

    def test_shares_are_all(self):
        for name, dataset, more in self.sources():
            whole = values(data.batches(dataset, self.SIZE, seed=5))
            rounds = len(dataset) // (self.SIZE * self.OF)
            with self.subTest(name):
                parts = [self.open(dataset, first, 2, **more) for first in (0, 2)]
                for batches in parts:
                    self.assertEqual(len(batches), 2 * rounds)
                found = [values(batches) for batches in parts]
                for i, batch in enumerate(whole[: rounds * self.OF]):
                    number, place = divmod(i, self.OF)
                    self.assertEqual(found[place // 2][number * 2 + place % 2], batch)
                self.assertEqual([len(each) for each in found], [2 * rounds] * 2)
                for batches in parts:
                    batches.close()

    def test_one_of_one_is_all(self):
        for name, dataset, more in self.sources():
            with self.subTest(name):
                whole = data.batches(dataset, 7, seed=5, **more)
                one = data.batches(dataset, 7, seed=5, share=(0, 1, 1), **more)
                self.assertEqual(len(one), len(whole))
                self.assertEqual(values(one), values(whole))
                self.assertEqual(one.state_dict(), whole.state_dict())

    def test_it_goes_on_with_another_number_of_processes(self):
        for name, dataset, more in self.sources():
            with self.subTest(name):
                one = self.open(dataset, 0, 4, **more)
                passing = iter(one)
                for _ in range(9):  # two rounds, and a batch of the third
                    next(passing)
                state = one.state_dict()
                self.assertEqual(state["position"], 2 * self.SIZE * self.OF)
                rest = values(self.open(dataset, 0, 4, **more).begin(**state))
                ours = values(self.open(dataset, 1, 1, **more).begin(**state))
                self.assertEqual(ours, rest[1::4])
                for _ in passing:
                    pass
                state = one.state_dict()
                self.assertEqual((state["epoch"], state["position"]), (1, 0))
                one.close()

    def test_refusals(self):
        for name, dataset, more in self.sources():
            for share in ((0, 1), (3, 2, 4), (0, 0, 4), (-1, 1, 4), (0, 1, 0), (0, 1, 10**9)):
                with self.subTest(name, share=share), self.assertRaises(ValueError):
                    data.batches(dataset, self.SIZE, share=share, **more)
            with self.subTest(name), self.assertRaisesRegex(ValueError, "multiple of 12"):
                self.open(dataset, 0, 1, **more).begin(0, 6)


class Threads(Case):
    def test_one_at_a_time(self):
        for dataset, workers in ((open_digits(), 2), (Numbers(300), 0), (Numbers(300), 2)):
            walk, failures, taken = iter(data.batches(dataset, 1, workers=workers)), [], []

            def take(walk=walk, failures=failures, taken=taken):
                while True:
                    try:
                        taken.append(next(walk)[1].item())
                    except StopIteration:
                        return
                    except tenon.StateError as error:
                        assert "one thread at a time" in str(error)
                    except BaseException as error:
                        failures.append(error)
                        return

            threads = [threading.Thread(target=take) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            expected = [dataset[i][1] for i in range(len(dataset))]
            self.assertEqual(sorted(taken), sorted(int(each) for each in expected))


class Interrupts(Case):
    def test_ctrl_c(self):
        class Slow(Numbers):
            def __getitem__(self, number):
                time.sleep(0.02)
                return number

        for dataset, workers in ((Slow(10_000), 0), (Slow(10_000), 2), (open_digits(), 2)):
            batches = data.batches(dataset, 10, workers=workers)
            start = time.monotonic()
            timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt) as caught, batches:
                while True:
                    for _ in batches:
                        pass
            caught.exception.__traceback__ = None
            timer.join()
            self.assertLess(time.monotonic() - start, 10)


class Progress(Case):
    def shown(self, body):
        """What `body` shows if standard error is a terminal."""
        import pty

        main, terminal = pty.openpty()
        before = os.dup(2)
        os.dup2(terminal, 2)
        os.close(terminal)
        try:
            body()
        finally:
            os.dup2(before, 2)  # closes the last of the terminal's side, so that reading ends
            os.close(before)
        shown = b""
        with os.fdopen(main, "rb", buffering=0) as file:
            try:
                while piece := file.read(4096):
                    shown += piece
            except OSError as error:  # how Linux says that the other side is closed
                self.assertEqual(error.errno, errno.EIO)
        return shown.decode()

    def test_elsewhere_it_is_the_same(self):
        code = (
            "import tenon; b = tenon.data.progress([1, 2], 'epoch 1')\n"
            "print(len(b), list(b), list(b), list(tenon.data.progress(iter('ab'))))\n"
        )
        done = run_python(code)
        self.assertEqual((done.stdout, done.stderr), ("2 [1, 2] [1, 2] ['a', 'b']\n", ""))

    def test_on_a_terminal(self):
        shown = self.shown(lambda: list(data.progress([1, 2, 3, 4], "epoch 1")))
        self.assertRegex(shown, r"^\repoch 1   25 %  \d+/s  [\d:]+ left\x1b\[K(\r.*)?\r\x1b\[K$")

    def test_of_unknown_length_and_ended_by_the_loop(self):
        def loop():
            for each in data.progress(iter("abc"), "letters"):
                if each == "b":
                    break

        self.assertRegex(self.shown(loop), r"^\rletters  1  \d+/s\x1b\[K\r\x1b\[K$")

    def test_an_error_in_the_loop_is_the_loops(self):
        def loop():
            for each in data.progress([1, 2]):
                raise KeyError(each)

        self.refused(KeyError, loop, "1")

    def test_wrong_arguments(self):
        self.refused(TypeError, lambda: data.progress([1], 3), "label", "a text", "int")
        self.refused(TypeError, lambda: data.progress(3), "iterable", "int")
        self.refused(TypeError, lambda: len(data.progress(iter([1]))), "len()")


if __name__ == "__main__":
    unittest.main()
