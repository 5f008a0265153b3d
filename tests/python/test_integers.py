# SPDX-License-Identifier: Apache-2.0
# tests/python/test_integers.py: sums of small integers without a copy of them, numbers that an
# integer dtype does not hold, and writes to tensors that repeat elements.
import importlib.util
import json
import subprocess
import unittest

from support import Case, build_folder, tenon

op = tenon.op.tenon
SMALL = ("bool", "uint8", "int8", "int16", "int32")
RANGES = {
    "uint8": (0, 255), "int8": (-128, 127), "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1),
}  # fmt: skip


def most_beside(run):
    """How many bytes `run` has had beside what was there, and what it gave."""
    filler = []  # so that whatever comes is a new peak; tensors may be larger than was asked for
    while True:
        counted = tenon.stats()
        rest = counted["bytes_peak"] - counted["bytes_live"]
        if rest < 1024:
            break
        filler.append(tenon.empty(rest // 2, dtype="uint8"))
    result = run()
    return tenon.stats()["bytes_peak"] - counted["bytes_peak"], result


class Sums(Case):
    reductions = {
        "sum": tenon.sum,
        "prod": tenon.prod,
        "count_nonzero": tenon.count_nonzero,
        "any": tenon.any,
        "all": tenon.all,
    }

    def numbers(self, dtype, shape):
        """Of both signs, and the ends of the dtype."""
        low, high = RANGES.get(dtype, (0, 1))
        count = 1
        for length in shape:
            count *= length
        some = (low, high, 1, 3 % (high + 1), low // 3, high // 2 or 1, 0)
        values = [some[i * i % len(some)] for i in range(count)]
        return tenon.tensor(values, dtype).reshape(*shape)

    def test_no_operand_is_copied(self):
        for dtype in SMALL:
            x = tenon.ones((256, 1024), dtype=dtype)
            calls = {
                f"{name} over {axis} of {words}": (lambda f=f, of=of, axis=axis: f(of, axis))
                for name, f in self.reductions.items()
                for words, of in (("x", x), ("x.T", x.T), ("every second", x[:, ::2]))
                for axis in (None, 0, 1)
            }
            calls["trace"] = lambda x=x: op.trace(x)
            calls["trace of x.T"] = lambda x=x: op.trace(x.T)
            for words, call in calls.items():
                with self.subTest(dtype=dtype, call=words):
                    most, result = most_beside(call)
                    # The result, and per output of a reduction a few bytes of a second step.
                    self.assertLess(most, 4 * 8 * max(result.size, 1) + 4096)

    def test_running_sums_have_their_result_alone(self):
        for dtype in SMALL:
            x = tenon.ones((128, 1024), dtype=dtype)
            for f in (tenon.cumsum, tenon.cumprod):
                with self.subTest(dtype=dtype, op=f.__name__):
                    most, result = most_beside(lambda f=f, x=x: f(x, 1))
                    self.assertLess(most, 8 * result.size + 4096)

    def test_values_are_those_of_int64(self):
        shapes = ((140001,), (300, 67), (3, 5, 70), (5, 20000))
        for dtype in SMALL:
            for shape in shapes:
                x = self.numbers(dtype, shape)
                wide = x.astype("int64")
                for words, pick in (
                    ("x", lambda x: x), ("every second", lambda x: x[::2]),
                    ("turned", lambda x: op.flip(x, axes=[0])), ("across", lambda x: x.T),
                ):  # fmt: skip
                    for name in ("sum", "prod"):
                        for axis in (None, *range(x.ndim)):
                            with self.subTest(dtype=dtype, shape=shape, of=words, op=name):
                                f = getattr(tenon, name)
                                found = f(pick(x), axis)
                                self.assertIs(found.dtype, tenon.int64)
                                self.assertEqual(
                                    found.tolist(), f(pick(wide), axis).tolist()
                                )
                    for name in ("cumsum", "cumprod"):
                        with self.subTest(dtype=dtype, shape=shape, of=words, op=name):
                            f = getattr(tenon, name)
                            for exclusive in (False, True):
                                found = f(pick(x), -1, exclusive=exclusive)
                                wanted = f(pick(wide), -1, exclusive=exclusive)
                                self.assertTrue(tenon.array_equal(found, wanted))

    def test_counts(self):
        nan = float("nan")
        for dtype in (*SMALL, "int64", "float16", "bfloat16", "float32", "float64"):
            values = [0, 1, 0, 0, 1, 1, 1] * 5000
            x = tenon.tensor(values, dtype)
            for of, wanted in ((x, values), (x[::3], values[::3])):
                self.assertEqual(tenon.count_nonzero(of).item(), sum(wanted), dtype)
            self.assertIs(tenon.any(x[2:4]).item(), False)
            self.assertIs(tenon.any(x).item(), True)
            self.assertIs(tenon.all(x).item(), False)
            self.assertIs(tenon.all(x[4:7]).item(), True)
            self.assertIs(tenon.all(x[:0]).item(), True)
            self.assertIs(tenon.any(x[:0]).item(), False)
        x = tenon.tensor([nan, -0.0, 0.0, 1e-45])
        self.assertEqual(tenon.count_nonzero(x).item(), 2)
        self.assertEqual(tenon.any(x, 0).item(), True)

    def test_plans_read_the_operand_as_it_is(self):
        plan = tenon.capture(lambda x: tenon.sum(x, 1) + 1, tenon.zeros((3, 5), dtype="uint8"))
        for value in (1, 3, 255):
            self.same(plan(tenon.full((3, 5), value, "uint8")), [5 * value + 1] * 3)


    def test_who_does_not_ask_for_small_integers_gets_int64(self):
        seen = []

        @tenon.custom_op("mine.total(x: T[...]) -> T[...] where T: float|i64 promote")
        def total(x):
            seen.append(x.dtype)
            return x + x

        self.addCleanup(total.remove)
        for dtype in (*SMALL, "int64", "float32"):
            self.same(total(tenon.ones(2, dtype=dtype)), [2, 2])
        self.assertEqual(seen, [tenon.int64] * 6 + [tenon.float32])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_a_kernel_that_does_not_ask_gets_int64(self):
        seen = []

        @tenon.custom_op(
            "mine.doubled(x: T[...]) -> T[...] where T: float|i64 promote", kernel=True
        )
        def doubled(x):
            seen.append(x.dtype.name)
            return x + x

        self.addCleanup(doubled.remove)
        for dtype in (*SMALL, "int64", "float32"):
            for _ in range(3):
                self.same(doubled(tenon.ones(2, dtype=dtype)), [2, 2])
        self.assertEqual(set(seen[:18]), {"int64"})

    def test_explain_lists_the_casts_that_are_made(self):
        command = build_folder() / "bin/tenon"
        for name, casts in (("sum", []), ("trace", []), ("exp", ["u8"])):
            sample = "u8[2,2]"
            done = subprocess.run(
                [command, "explain", f"tenon.{name}", sample, "--json"],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            with self.subTest(op=name):
                told = json.loads(done.stdout)
                told = told[0] if isinstance(told, list) else told
                self.assertEqual([each["from"] for each in told["casts"]], casts)


class Numbers(Case):
    def refusals(self, dtype, number):
        """Calls in which `number` becomes an element."""
        x = tenon.zeros(4, dtype=dtype)
        return {
            "item": lambda: x.__setitem__(0, number),
            "slice": lambda: x.__setitem__(slice(1), number),
            "indices": lambda: x.__setitem__([0, 1], number),
            "a list": lambda: x.__setitem__([0, 1], [1, number]),
            "a list for a slice": lambda: x.__setitem__(slice(2), [1, number]),
            "mask": lambda: x.__setitem__(x == 0, number),
            "fill_": lambda: x.fill_(number),
            "full": lambda: tenon.full((2,), number, dtype),
            "full_like": lambda: tenon.full_like(x, number),
            "full_like with a dtype": lambda: tenon.full_like(tenon.zeros(2), number, dtype),
            "tensor": lambda: tenon.tensor(number, dtype),
            "tensor of a list": lambda: tenon.tensor([[1], [number]], dtype),
            "asarray": lambda: tenon.asarray([number], dtype),
            "pad": lambda: tenon.pad(x, 1, value=number),
            "arange": lambda: tenon.arange(number, number * 2, number, dtype=dtype),
        }  # fmt: skip

    def test_what_an_integer_dtype_does_not_hold_is_refused(self):
        for dtype, (low, high) in RANGES.items():
            for number in (low - 1, high + 1, float(high) * 2, float(low) - 2.0**10 - low * 1.0):
                if dtype == "int64" and isinstance(number, int):
                    continue  # no number of the C API
                for words, call in self.refusals(dtype, number).items():
                    if low <= number <= high:
                        continue
                    with self.subTest(dtype=dtype, number=number, call=words):
                        with self.assertRaises(ValueError) as caught:
                            call()
                        error = caught.exception
                        self.assertIsInstance(error, tenon.Error)
                        self.assertIn(dtype[-1:], error.expected)
                        if dtype != "int64":
                            self.assertIn(f"{low} to {high}", error.expected)
                        self.assertTrue(error.op)

    def test_what_is_no_number_is_refused(self):
        for number in (float("nan"), float("inf"), float("-inf")):
            for words, call in self.refusals("int32", number).items():
                with self.subTest(number=number, call=words):
                    self.assertRaises(ValueError, call)

    def test_the_ends_and_fractions_are_taken(self):
        for dtype, (low, high) in RANGES.items():
            for number in (low, high):
                x = tenon.zeros(3, dtype=dtype)
                x[0] = number
                x[[1]] = [number]
                self.assertEqual(x.tolist(), [number, number, 0])
                self.assertEqual(tenon.full((1,), number, dtype).tolist(), [number])
                self.assertEqual(tenon.tensor([number], dtype).tolist(), [number])
                if dtype != "int64":
                    self.assertEqual(tenon.arange(number, number + 1, dtype=dtype).size, 1)
        x = tenon.zeros(2, dtype="uint8")
        x[0] = 255.9
        x[1] = -0.9
        self.assertEqual(x.tolist(), [255, 0])
        self.assertEqual(tenon.tensor([1.9, -0.5], "uint8").tolist(), [1, 0])
        self.assertEqual(tenon.full((1,), 300, "bool").tolist(), [True])

    def test_full_like_with_a_dtype_knows_the_number_as_it_was(self):
        x = tenon.zeros(1, dtype="uint8")
        self.assertEqual(tenon.full_like(x, 300, "int64").tolist(), [300])
        self.assertEqual(tenon.full_like(x, 1.5, "float32").tolist(), [1.5])

    def test_the_words(self):
        x = tenon.zeros(2, dtype="uint8")
        words = ("tenon.full", "0 to 255 (u8)", "300")
        self.refused(ValueError, lambda: x.__setitem__(0, 300), *words)
        words = ("tensor", "uint8", "0 to 255", "300")
        self.refused(ValueError, lambda: tenon.tensor([1, 300], "uint8"), *words)


class Repeated(Case):
    """A tensor that repeats elements, and every part of it, is read and never written."""

    def parts(self):
        a = tenon.tensor([[1.0, 2.0]])
        x = a.expand([4, 2])
        windows = tenon.arange(6.0).unfold(0, 3, 1)
        return a, {
            "expanded": x,
            "a row": x[:1],
            "one row": x[2],
            "an element": x[0, 0],
            "a row across": x.T[:, :1],
            "a row in another shape": x[1:2].reshape(2),
            "a part of a part": x[:2][:1],
            "detached": x[:1].detach(),
            "broadcast": tenon.broadcast_to(a, (3, 2))[0],
            "a window": windows[1],
        }

    def writes(self, part):
        y = tenon.zeros(part.shape)
        found = {
            "assignment": lambda: part.__setitem__(Ellipsis, y),
            "a number": lambda: part.__setitem__(Ellipsis, 0.0),
            "in place": lambda: part.__iadd__(y),
            "out": lambda: op.add(y, y, out=part),
            "fill_": lambda: part.fill_(3.0),
            "copy_": lambda: part.copy_(y),
        }
        if part.ndim > 0:
            found["rows"] = lambda: op.rows_add(part, tenon.tensor([0]), y[:1])
        return found

    def test_no_part_is_written(self):
        a, parts = self.parts()
        for words, part in parts.items():
            kept = part.tolist()
            for name, write in self.writes(part).items():
                with self.subTest(part=words, write=name):
                    self.refused(tenon.AliasError, write, "one address for each element")
            self.assertTrue(part.is_read_only)
            self.assertEqual(part.tolist(), kept)
        self.assertEqual(a.tolist(), [[1.0, 2.0]])

    def test_a_slice_of_rows(self):
        x = tenon.tensor([[1.0, 2.0]]).expand([4, 2])
        for _ in range(4):  # also from the cache of calls
            self.refused(
                tenon.AliasError, lambda: x.__setitem__(slice(1), tenon.zeros((1, 2))), "clone"
            )
        self.assertEqual(x.tolist(), [[1.0, 2.0]] * 4)

    def test_what_repeats_nothing_is_written(self):
        a = tenon.tensor([[1.0, 2.0]])
        same = a.expand([1, 2])
        same[0] = 5.0
        self.assertEqual(a.tolist(), [[5.0, 5.0]])
        copy = a.expand([3, 2]).clone()
        copy[:1] = 7.0
        self.assertEqual(copy.tolist(), [[7.0, 7.0], [5.0, 5.0], [5.0, 5.0]])
        x = tenon.zeros((3, 3))
        op.diagonal(x)[...] = 1.0
        x.T[0, 1:] = 2.0
        self.assertEqual(x.tolist(), [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0]])
        apart = tenon.arange(6.0).unfold(0, 2, 2)
        apart[0] = 9.0
        self.assertEqual(apart.tolist(), [[9.0, 9.0], [2.0, 3.0], [4.0, 5.0]])

    def test_other_libraries_are_told(self):
        _, parts = self.parts()
        for words, part in parts.items():
            with self.subTest(part=words):
                self.assertTrue(memoryview(part).readonly)
        self.assertFalse(memoryview(tenon.zeros(2)).readonly)

    def test_gradients_of_expanded_operands_may_be_written(self):
        a = tenon.tensor([[1.0, 2.0]], requires_grad=True)
        a.expand([4, 2])[1].sum().backward()
        b = tenon.tensor([1.0, 2.0, 3.0], requires_grad=True)
        b.sum().backward()
        b.sum().backward()
        with tenon.no_grad:
            a.grad[0, 0] = 3.0
            b.grad += 1.0
        self.assertEqual(a.grad.tolist(), [[3.0, 1.0]])
        self.assertEqual(b.grad.tolist(), [3.0, 3.0, 3.0])

    def test_a_given_gradient_that_repeats_is_added_to_elsewhere(self):
        ones = tenon.tensor([[1.0, 2.0]])
        for given in (ones.expand([3, 2]), ones.expand([4, 2])[:3]):
            x = tenon.zeros((3, 2), requires_grad=True)
            x.grad = given
            for _ in range(2):
                (x * tenon.arange(6.0).reshape(3, 2)).sum().backward()
            self.assertEqual(x.grad.tolist(), [[1.0, 4.0], [5.0, 8.0], [9.0, 12.0]])
        self.assertEqual(ones.tolist(), [[1.0, 2.0]])


if __name__ == "__main__":
    unittest.main()
