# SPDX-License-Identifier: Apache-2.0
# tests/python/operands_numpy_test.py: every call of operands_calls.py with numbers, lists, NumPy's
# scalars and arrays of all dtypes, against NumPy 2: values and dtypes. What differs is what
# docs/python.md lists, and nothing that it lists is missing.
import collections
import unittest
import warnings

from operands_calls import ELEMENTS, VECTORS, calls
from support import ROOT, Case, skip, tenon

try:
    import numpy as np
except ImportError:
    skip("NumPy is not installed")
if int(np.__version__.partition(".")[0]) < 2:
    skip("NumPy 2's rules are meant")

NUMPYS = "bool uint8 int8 int16 int32 int64 float16 float32 float64".split()
WHOLE = "uint8 int8 int16 int32 int64".split()
EPSILON = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-6, "float64": 4e-15}
VALUES = {"bool": [True, False, True], "int": [1, 2, 4], "float": [0.3, 1.7, 2.9]}
BESIDE = {"bool": [True, False, True], "int": [1, 2, 3], "float": [0.1, 0.7, 2.3]}
# Functions whose operands do not meet in one dtype.
APART = "interp insert extract meshgrid take take_along_axis digitize".split()
# The words of the table in docs/python.md.
WEAK_LIST = "a list with a point in it"
SCALAR = "a NumPy scalar"
FLOATS = "integers where floats come out"
MEET = "integers beside floats"
MADE = "a number in `append`, `hstack`, `isin` ..."
BOOLS = "arithmetic of truths"
IN_PLACE = "`x += y`"
BINS = "`digitize` with bins in no order"
INTERP = "`interp`"
BEYOND = "a number that the integers beside it do not hold"
INDICES = "indices that are not int32 or int64"


def kind_of(dtype):
    return "bool" if dtype == "bool" else "float" if "float" in dtype else "int"


class Module:
    """The functions of tenon, or NumPy's by Tenon's names."""

    def __init__(self, module):
        self.is_numpy = module is np
        self.module = module

    def __getattr__(self, name):
        if self.is_numpy:
            other = {"clamp": "clip", "concat": "concatenate"}
            name = {**ELEMENTS, **VECTORS, **other}.get(name, name)
            return getattr(np if hasattr(np, name) else np.linalg, name)
        module = self.module
        for each in name.split("."):
            module = getattr(module, each)
        return module


def others():
    """{words: (what stands beside x, its dtype or None where it is weak)}"""
    found = {kind: (BESIDE[kind][1], None) for kind in BESIDE}
    found["bool"] = (True, None)
    found["beyond"] = (300, None)
    found |= {f"list of {kind}": (list(values), None) for kind, values in BESIDE.items()}
    for dtype in NUMPYS:
        values = BESIDE[kind_of(dtype)]
        found[f"scalar {dtype}"] = (np.dtype(dtype).type(values[1]), None)
        found[f"array {dtype}"] = (np.array(values, dtype), dtype)
    return found


def common(a, b):
    """docs/schema.md's table."""
    kinds = ["bool", "int", "float"]
    if kind_of(a) != kind_of(b):
        return max(a, b, key=lambda each: kinds.index(kind_of(each)))
    sizes = [int("0" + each.lstrip("boluintfa")) for each in (a, b)]
    if a == b or sizes[0] != sizes[1]:
        return a if sizes[0] >= sizes[1] else b
    return "float32" if kind_of(a) == "float" else "int16"


def beside(dtype, other, own):
    """The dtype of what stands beside a tensor, by the rule of docs/python.md."""
    if own:
        return own
    listed = isinstance(other, list)
    kind = kind_of(np.asarray(other).dtype.name)
    order = ["bool", "int", "float"]
    if listed and kind != "float":
        return {"bool": "bool", "int": "int64"}[kind]
    if order.index(kind) <= order.index(kind_of(dtype)):
        return dtype
    return {"int": "int64", "float": "float32"}[kind]


def result(call):
    """(dtype, values), or ("error", words)."""
    try:
        found = call()
    except (TypeError, ValueError, IndexError, OverflowError, NotImplementedError) as error:
        return "error", f"{type(error).__name__}: {error}"
    if isinstance(found, tenon.Tensor):
        return found.dtype.name, np.array(found.tolist(), np.float64)
    return np.asarray(found).dtype.name, np.asarray(found, np.float64)


def same(ours, theirs):
    if ours[0] == "error" or theirs[0] == "error":
        return ours[0] == theirs[0]
    close = EPSILON.get(ours[0], 0)
    return (
        ours[0] == theirs[0]
        and ours[1].shape == theirs[1].shape
        and np.allclose(ours[1], theirs[1], rtol=close, atol=close, equal_nan=True)
    )


def in_numpy(call, dtype, other):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return result(lambda: call(Module(np), np.array(VALUES[kind_of(dtype)], dtype), other))


def by_rule(call, dtype, other, meets):
    """What NumPy gives if both are put into the dtype in which they meet here first."""
    wide = {"bfloat16": "float32"}
    x = np.array(VALUES[kind_of(dtype)], wide.get(dtype, dtype))
    if dtype == "bfloat16":
        x = np.array(tenon.tensor(VALUES["float"], "bfloat16").tolist(), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = np.asarray(other).astype(wide.get(meets, meets))
        here = x.astype(there.dtype)
        found = result(lambda: call(Module(np), here, there))
        if found[0].startswith("float") and kind_of(meets) != "float":  # int8 gives float16
            return "float32", result(
                lambda: call(Module(np), here.astype("float64"), np.asarray(other, "float64"))
            )[1]
    return ("bfloat16" if found[0] == "float32" and meets == "bfloat16" else found[0]), found[1]


def difference(name, call, dtype, other, own, ours, theirs):
    """Which row of the table says why the results differ; None: none does."""
    scalar, listed = isinstance(other, np.generic), isinstance(other, list)
    kind = kind_of(np.asarray(other).dtype.name)
    meets = common(dtype, beside(dtype, other, own))
    if ours[0] == "error":
        if isinstance(other, int) and other > 127 and kind_of(dtype) == "int":
            return BEYOND
        in_place = name.startswith("x ") and name.endswith("= o")
        if "not supported for I" in ours[1]:
            return INDICES
        if "dtype bool is not supported" in ours[1] and "bool" in (dtype, own, kind):
            return BOOLS
        return IN_PLACE if in_place and "another dtype than x" in ours[1] else None
    if theirs[0] == "error":
        if name == "digitize" and kind == "bool":
            return BINS
        return SCALAR if scalar else WEAK_LIST if listed and name.endswith("= o") else None
    alone = {"float": "float32"}.get(kind, None) if listed else None
    candidates = [by_rule(call, dtype, other, meets)]
    if alone:  # what does not meet x
        candidates.append(by_rule(call, alone, other, alone))
    if name.startswith("x") and "= o" in name:  # x has its dtype afterwards
        candidates.append((dtype, in_numpy(call, dtype, np.asarray(other).astype(meets))[1]))
    if name.startswith("interp"):
        floats = meets if kind_of(meets) == "float" else "float32"
        return INTERP if same(ours, (floats, theirs[1])) else None
    if not any(same(ours, each) for each in candidates):
        return None
    if scalar:
        return SCALAR
    if listed and kind == "float":
        return WEAK_LIST
    if kind_of(dtype) != "float" and kind != "float":
        return FLOATS if ours[0] == "float32" else MADE
    return MADE if not own and not listed and kind_of(dtype) == "float" else MEET


class NumpyAgrees(Case):
    def compare(self, name, call, dtype, words, other, own):
        """The row of the table, "equal", or None."""
        ours = result(lambda: call(Module(tenon), self.x[dtype], other))
        if dtype == "bfloat16":  # NumPy has none
            theirs = by_rule(call, dtype, other, common(dtype, beside(dtype, other, own)))
            if "= o" in name:
                theirs = (dtype, theirs[1])
            if name.split()[0] in APART:
                theirs = ours if "error" in (ours[0], theirs[0]) else (ours[0], theirs[1])
            found = "bfloat16" if ours[0] == theirs[0] == "error" or same(ours, theirs) else None
            if ours[0] == "error" and name.endswith("= o"):
                found = IN_PLACE
        else:
            theirs = in_numpy(call, dtype, other)
            if same(ours, theirs):
                return "equal"
            found = difference(name, call, dtype, other, own, ours, theirs)
        if found is None:
            self.unknown.append(f"{name}: x {dtype}, o {words}: {ours}, NumPy {theirs}")
        return found

    def test_all(self):
        self.x = {each: tenon.tensor(VALUES[kind_of(each)], each) for each in [*NUMPYS, "bfloat16"]}
        self.unknown = []
        counts = collections.Counter()
        for name, (call, numbers) in calls().items():
            for words, (other, own) in others().items():
                if np.ndim(other) == 0 and not numbers:
                    continue
                for dtype in self.x:
                    if words == "beyond" and (name[:2] == "x[" or name == "insert"):
                        continue  # assignments and what they refuse have tests of their own
                    truths = "bool" in (dtype, kind_of(np.asarray(other).dtype.name))
                    if truths and name.partition(" ")[0] in ("interp", "trapezoid"):
                        continue  # places in order are no truths
                    counts[self.compare(name, call, dtype, words, other, own)] += 1
        del self.x
        print(f"{len(calls())} calls, {sum(counts.values())} results: {dict(counts)}")
        self.maxDiff = None
        self.assertEqual(self.unknown[:20], [], f"{len(self.unknown)} differences are not listed")
        text = (ROOT / "docs/python.md").read_text()
        table = text.partition("| | NumPy 2 | here |")[2].partition("\n\n")[0]
        listed = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
        self.assertEqual(sorted(listed), sorted(set(counts) - {"equal", "bfloat16"}))

    def test_scalars_alone(self):
        """Made into tensors they keep their dtype, where only a number is asked for its kind."""
        for dtype in NUMPYS:
            scalar = np.dtype(dtype).type(BESIDE[kind_of(dtype)][1])
            for make in (tenon.tensor, tenon.asarray, tenon.array):
                found = make(scalar)
                self.assertEqual((found.dtype.name, found.item()), (dtype, scalar.item()))
            kind = {"bool": "bool", "int": "int64", "float": "float32"}[kind_of(dtype)]
            self.assertEqual(tenon.full([1], scalar).dtype.name, kind)
        self.assertIs(tenon.arange(np.int32(3)).dtype, tenon.int64)

    def test_lists_of_arrays(self):
        rows = [np.array([0.1, 0.2]), np.array([0.3, 0.4])]
        x = tenon.zeros((2, 2), dtype="float64")
        self.same(x + rows, np.array(rows).tolist())
        self.same(tenon.concat([rows[0], [0.5], tenon.ones(1)]), [0.1, 0.2, 0.5, 1.0])

    def test_functions_of_arrays(self):
        import tenon.numpy as functions

        x = np.array([0.1, 0.2])
        for other in (0.1, [0.1, 0.7], np.float64(0.1)):
            self.assertTrue(np.array_equal(functions.add(x, other), x + other))
            expected = np.where(x > 0.15, other, x)
            self.assertTrue(np.array_equal(functions.where(x > 0.15, other, x), expected))


if __name__ == "__main__":
    unittest.main()
