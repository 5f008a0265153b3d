# SPDX-License-Identifier: Apache-2.0
# tests/outside/numpy_umath_test.py: NumPy's accuracy data through the ops of the same functions.
"""The rows of numpy/_core/tests/data/umath-validation-set-*.csv: dtype, input, expected output and
how many ULP an implementation may be off. NumPy's own test_umath_accuracy.py allows every row of a
file the largest error any row of that dtype has; here each row has its own."""

import pathlib
import sys

import suite
import tenon_ctypes as tenon

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
import ulp

DATA = pathlib.Path(numpy.__file__).parent / "_core" / "tests" / "data"
BITS = {"np.float32": ("float32", "uint32"), "np.float64": ("float64", "uint64")}
FORMS = "contiguous", "strided"


def read_rows(path):
    """dtype: (inputs, outputs, ulps)."""
    rows = {dtype: ([], [], []) for dtype, _ in BITS.values()}
    for line in path.read_text().splitlines():
        if not line or line[0] in "#$" or line.startswith("dtype,"):
            continue
        dtype, given, expected, ulps = line.split(",")
        for column, number in zip(rows[BITS[dtype][0]], (given, expected, ulps), strict=True):
            column.append(int(number, 0))
    return {
        dtype: (
            numpy.array(given, bits).view(dtype),
            numpy.array(expected, bits).view(dtype),
            numpy.array(ulps, numpy.uint64),
        )
        for dtype, bits in BITS.values()
        for given, expected, ulps in [rows[dtype]]
        if given
    }


def op_for(function, ops):
    """Tenon's op: NumPy's name, or the array API's, which says acos for arccos."""
    for name in (function, function.replace("arc", "a", 1)):
        if f"tenon.{name}" in ops:
            return f"tenon.{name}"
    return None


def compute(runtime, op, given, form):
    if form == "contiguous":
        memory, stride = given, 1
    else:  # every third element, from the last one backwards
        memory = numpy.full(3 * given.size, numpy.nan, given.dtype)
        memory = memory[::-1][::3]
        memory[:] = given
        stride = -3
    address = memory.__array_interface__["data"][0]
    x = runtime.wrap(tenon.DTYPES[given.dtype.name], given.shape, (stride,), address)
    (y,) = op.call([x])
    found = numpy.frombuffer(y.get_bytes(given.nbytes), given.dtype)
    x.release()
    y.release()
    return found


def compare(runtime, name, rows):
    tally = suite.Tally()
    op = tenon.Op(runtime, name)
    for dtype, (given, expected, allowed) in rows.items():
        for form in FORMS:
            found = compute(runtime, op, given, form)
            steps = ulp.distance(found, expected)
            tally.passed += int((steps <= allowed).sum())
            for i in numpy.flatnonzero(steps > allowed):
                tally.fail(
                    f"{dtype} {form}, x = {float(given[i]).hex()}: "
                    f"found {float(found[i]).hex()}, expected {float(expected[i]).hex()}, "
                    f"off by {steps[i]} ULP, {allowed[i]} allowed"
                )
    return tally


def not_offered(rows):
    tally = suite.Tally(may_be_empty=True)
    count = sum(given.size for given, _, _ in rows.values())
    tally.uncovered["Tenon has no such op"] = len(FORMS) * count
    return tally


def main():
    runtime = tenon.Runtime()
    ops = {op["name"] for op in runtime.query("ops")}
    cases = {}
    for path in sorted(DATA.glob("umath-validation-set-*.csv")):
        function = path.stem.split("-")[3]
        rows, op = read_rows(path), op_for(function, ops)
        if op:
            cases[op] = lambda op=op, rows=rows: compare(runtime, op, rows)
        else:
            cases[f"numpy.{function}"] = lambda rows=rows: not_offered(rows)
    if not cases:
        print(f"FAILED no umath-validation-set-*.csv in {DATA}: this NumPy came without its tests")
        return 1
    status = suite.main("numpy_umath", {"numpy": numpy.__version__}, cases)
    runtime.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
