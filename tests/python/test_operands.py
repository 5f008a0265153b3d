# SPDX-License-Identifier: Apache-2.0
# tests/python/test_operands.py: numbers, lists and arrays where tensors are expected: every op and
# every function of the package takes them, no digit is lost beside float64, and dtypes are those of
# the rule in docs/python.md. operands_numpy_test.py compares with NumPy.
import array
import itertools
import random
import unittest

import operands_calls
import random_steps_samples as samples
from support import Case, bits, build_folder, run_python, tenon

from tenon import _names

FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", *FLOATS)


def both(x):
    """Dtype and bytes, of a tensor or of several; what is none as it is."""
    if isinstance(x, (tuple, list)):
        return [both(each) for each in x]
    if not isinstance(x, tenon.Tensor):
        return x
    here = x.float() if x.dtype is tenon.bfloat16 else x
    return x.dtype.name, x.shape, bits(here) if x.size else b""


class Rule(Case):
    def test_no_digit_is_lost_beside_float64(self):
        x = tenon.tensor([0.1, 0.2], "float64")
        pair = [0.1, 0.2]
        written = tenon.zeros(2, dtype="float64")
        written[[0, 1]] = pair
        self.same(written, pair)
        written[:] = (0.2, 0.1)
        self.same(written, pair[::-1])
        for found, expected in (
            (x + pair, [0.2, 0.4]),
            (pair - x, [0.0, 0.0]),
            (tenon.add(x, pair), [0.2, 0.4]),
            (tenon.fmod(tenon.tensor(1.0, "float64"), 0.1), 1.0 % 0.1),
            (tenon.isin(x, 0.1), [True, False]),
            (tenon.isin(x, pair), [True, True]),
            (tenon.append(x, [0.3]), [0.1, 0.2, 0.3]),
            (tenon.append(x, 0.3), [0.1, 0.2, 0.3]),
            (tenon.concat([x, [0.3]]), [0.1, 0.2, 0.3]),
            (tenon.concat([[0.3], array.array("d", pair)]), [0.3, 0.1, 0.2]),
            (tenon.where(True, [0.3], array.array("d", [0.1])), [0.3]),
            (tenon.insert(x, 1, [0.3, 0.4]), [0.1, 0.3, 0.4, 0.2]),
            (tenon.where(x > 0.15, x, [0.3, 0.4]), [0.3, 0.2]),
            (tenon.clamp(x, [0.15, 0.25], 1), [0.15, 0.25]),
            (tenon.dot(x, [1.0, 0.0]), 0.1),
            (tenon.copysign(x, -0.1), [-0.1, -0.2]),
            (tenon.tensor([x[0], 0.3]), [0.1, 0.3]),
            (tenon.histogram(x, bins=[0.1, 0.15, 0.2])[1], [0.1, 0.15, 0.2]),
            (tenon.cumulative_sum([0.1], dtype="float64"), [0.1]),
        ):
            self.same(found, expected)
        x += pair
        self.same(x, [0.2, 0.4])

    def test_methods_that_write(self):
        def made():
            return tenon.zeros(3, dtype="float64")

        for written, expected in (
            (made().copy_([0.1, 0.2, 0.3]), [0.1, 0.2, 0.3]),
            (made().fill_(0.1), [0.1, 0.1, 0.1]),
            (made().scatter_(0, [0, 2], [0.1, 0.3]), [0.1, 0.0, 0.3]),
            (made().scatter_(0, [0, 2], 0.1), [0.1, 0.0, 0.1]),
            (made().scatter_add_(0, [0, 0], [0.1, 0.3]), [0.1 + 0.3, 0.0, 0.0]),
            (made().index_add_(0, [1, 2], [0.1, 0.3]), [0.0, 0.1, 0.3]),
            (made().index_copy_(0, [1, 2], [0.1, 0.3]), [0.0, 0.1, 0.3]),
            (made().index_put_(([1, 2],), [0.1, 0.3]), [0.0, 0.1, 0.3]),
            (made().index_put_(([1, 1],), [0.1, 0.3], accumulate=True), [0.0, 0.1 + 0.3, 0.0]),
            (made().index_fill_(0, [1, 2], 0.1), [0.0, 0.1, 0.1]),
            (made().masked_fill_([True, False, True], 0.1), [0.1, 0.0, 0.1]),
            (made().add_([0.1, 0.2, 0.3]), [0.1, 0.2, 0.3]),
            (made().new_tensor([0.1]), [0.1]),
            (made().new_full([1], 0.1), [0.1]),
        ):
            self.same(written, expected)
            self.assertIs(written.dtype, tenon.float64)
        for dtype in DTYPES[1:]:
            x = tenon.ones(2, dtype=dtype)
            x += [1, 2]
            x[[0]] *= [3]
            self.same(x, [6, 3])
            self.assertEqual(x.dtype.name, dtype)

    def test_dtypes(self):
        for dtype in DTYPES:
            x = tenon.ones(2, dtype=dtype)
            is_float = dtype in FLOATS
            self.assertEqual((x > [0.5, 0.5]).dtype.name, "bool")
            point = dtype if is_float else "float32"
            whole = dtype if is_float else "int64"
            for function in (
                lambda o, x=x: tenon.where(True, x, o),
                lambda o, x=x: tenon.append(x, o),
                lambda o, x=x: tenon.concat([x, o]),
            ):
                self.assertEqual(function([0.5, 1.5]).dtype.name, point)
                self.assertEqual(function([1, 2]).dtype.name, whole)
                self.assertEqual(function([True, False]).dtype.name, dtype)
            for function in (tenon.copysign, tenon.fmod, tenon.logaddexp, tenon.kron):
                if function is tenon.fmod and dtype == "bool":
                    continue
                self.assertEqual(function(x, 0.5).dtype.name, point, function.__name__)
                self.assertEqual(function(0.5, x).dtype.name, point, function.__name__)
        truth = tenon.tensor([True])
        self.assertEqual(both(tenon.append(truth, 300)), both(tenon.tensor([1, 300])))
        self.assertEqual(both(tenon.fmod(truth, 300)), both(tenon.tensor([1])))
        self.assertEqual(both(tenon.fmod(700, 300)), both(tenon.tensor(100)))
        self.assertEqual(both(tenon.fmod(2.5, 2)), both(tenon.tensor(0.5)))
        half = tenon.ones(2, dtype="float16")
        self.assertEqual(tenon.copysign(half, tenon.ones(2, dtype="float64")).dtype.name, "float64")

    def test_pairs_meet_as_in_the_core(self):
        for a, b in itertools.product(DTYPES, repeat=2):
            x, y = (tenon.zeros(1, dtype=each) for each in (a, b))
            self.assertIs(tenon._core.common(x, y), tenon.where(True, x, y).dtype, (a, b))
            self.assertIs(tenon.promote_types(a, b), tenon.result_type(x, y))

    def test_lists_of_tensors_keep_their_history(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        (w * [w[1], 3.0]).sum().backward()
        self.same(w.grad, [2.0, 4.0])  # w1 w2 + 3 w2

    def test_integers_stay_what_they_are(self):
        small = tenon.tensor([200, 100], "uint8")
        low = tenon.tensor([-128, -128], "int8")
        self.same(small + [100, 200], [300, 300])
        self.same(tenon.fmod(low, 3), [-2, -2])
        self.same(tenon.isclose(small, small + 1, rtol=0.1), [True, True])
        self.same(tenon.trapezoid(small), 150.0)
        self.same(tenon.gradient(small), [-100.0, -100.0])
        self.same(tenon.average(small, weights=[3, 1]), 175.0)
        self.same(tenon.dist(small, small + 1, 1), 2.0)
        self.assertLess(abs(tenon.logaddexp(small, low)[0].item() - 200), 1e-4)
        wide = tenon.tensor([2**24, 2**24 + 1])
        self.same(tenon.searchsorted(wide, wide.double()), [0, 1])
        for dtype in ("uint8", "int16", "float16"):
            for function in (tenon.cumulative_sum, tenon.cumulative_prod):
                found = function(low, dtype=dtype, include_initial=True)
                self.assertEqual(found.dtype.name, dtype)

    def test_diagonals_far_away(self):
        for far in (2**63, 2**70, -(2**63) - 1):
            self.same(tenon.eye(0, k=far), [])
            self.same(tenon.eye(2, k=far), [[0.0, 0.0], [0.0, 0.0]])
            full, none = [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]
            self.same(tenon.tri(2, k=far), full if far > 0 else none)
            self.same(tenon.tril(tenon.ones(2, 2), far), full if far > 0 else none)
            self.same(tenon.triu(tenon.ones(2, 2), far), none if far > 0 else full)

    def test_numbers_of_numpy_are_numbers(self):
        class Eighth(float):
            dtype = "float64"

        x = tenon.ones(2)
        self.assertIs((x * Eighth(0.1)).dtype, tenon.float32)

    def test_refusals(self):
        x = tenon.ones(2)
        for call in (
            lambda: tenon.fmod(x, "a"),
            lambda: tenon.dot({}, x),
            lambda: tenon.kron(x, print),
        ):
            self.refused(TypeError, call, "a tensor or a number")
        self.refused(OverflowError, lambda: tenon.fmod(x, 2**70), "b")
        for dtype, wrong, words in (
            ("uint8", 256, "0 to 255 (u8)"),
            ("uint8", -1, "0 to 255 (u8)"),
            ("int8", 128, "-128 to 127 (i8)"),
            ("int16", -32769, "-32768 to 32767 (i16)"),
        ):
            integers = tenon.ones(2, dtype=dtype)
            self.refused(ValueError, lambda a=integers, b=wrong: tenon.isclose(a, b), words, "b")
            self.refused(ValueError, lambda a=integers, b=wrong: tenon.kron(b, a), words, "a")
        self.same(tenon.isclose(tenon.ones(1, dtype="int64"), 2**62), [False])
        self.refused(ValueError, lambda: tenon.dot(x, [[1], [2, 3]]), "rectangular")
        self.refused(TypeError, lambda: tenon.concat([x, 1.0]), "a list of tensors")


class Devices(Case):
    def test_lists_go_to_the_tensors_beside_them(self):
        done = run_python(
            "import tenon\n"
            "x = tenon.tensor([0.1, 0.2], 'float64').to('sim')\n"
            "y = x + [0.1, 0.2]\n"
            "x[:] = [0.3, 0.4]\n"
            "print(y.device, y.cpu().tolist(), tenon.add([1.0, 0.0], x).cpu().tolist())\n",
            TENON_PLUGIN_PATH=str(build_folder() / "sim_plugins"),
        )
        self.assertEqual((done.stdout, done.stderr), ("sim:0 [0.2, 0.4] [1.3, 0.4]\n", ""))


class EveryOp(Case):
    def test_lists_are_what_tensors_of_them_are(self):
        """Each operand of a sample as a list."""
        found, ops = samples.texts()
        compared = set()
        for op, texts in found.items():
            for text in texts[:6]:
                sample = samples.read(op, text)
                if sample is None or sample.writes or "random" in ops[op]["flags"]:
                    continue
                made = [samples.tensor(x, random.Random(k)) for k, x in enumerate(sample.tensors)]
                names = [f"t{k}" for k in range(len(made))]
                if len(made) > 1:
                    self.compare(sample, dict(zip(names, made, strict=True)), compared)
        wanted = {
            op
            for op in found
            if (len(ops[op]["inputs"]) > 1 or any(each["list"] for each in ops[op]["inputs"]))
            and not any(each["mutated"] for each in ops[op]["inputs"])
            and "random" not in ops[op]["flags"]
        }
        self.assertGreater(len(wanted), 90)
        # One needs a group of processes, the other has operands in no sample that are lists.
        alone = {"tenon.all_reduce_list", "tenon.attention_mask"}
        self.assertEqual(sorted(wanted - compared - alone), [])

    def compare(self, sample, made, compared):
        text = sample.call(list(made))
        expected = both(eval(text, {"tenon": tenon, **made}))
        for name, x in made.items():
            beside = {y.dtype for other, y in made.items() if other != name}
            floats = {each for each in beside if each.is_floating_point}
            known = floats == {x.dtype} or (not floats and x.dtype is tenon.float32)
            if x.ndim == 0 or x.size == 0 or not (known or x.dtype.name in ("bool", "int64")):
                continue
            given = {"tenon": tenon, **made, name: x.tolist()}
            self.assertEqual(both(eval(text, given)), expected, (sample.op, text, name))
            compared.add(sample.op)


class EveryFunction(Case):
    def test_each_has_an_entry(self):
        named = {each.removeprefix("linalg.").split()[0] for each in operands_calls.calls()}
        known = named | set(operands_calls.ONE) | set(operands_calls.OTHERS)
        public = {each for each in vars(tenon.linalg) if each.islower() and each[0] != "_"}
        public = {each for each in public if callable(getattr(tenon.linalg, each))}
        public -= {"op", "namedtuple"}
        public |= set(_names.FUNCTIONS) | set(_names._ONLY_METHODS)
        self.assertEqual(sorted(public - known), [])
        ops = {name.removeprefix("tenon.") for name in samples.texts()[1]}
        self.assertEqual(sorted(each for each in known - public - ops if each[0] not in "xo"), [])

    def test_lists_are_what_tensors_of_them_are(self):
        data = [[4.0, 1.5], [1.5, 3.0]]
        x = tenon.tensor(data)
        for name, call in operands_calls.ONE.items():
            self.assertEqual(both(call(data)), both(call(x)), name)


if __name__ == "__main__":
    unittest.main()
