# SPDX-License-Identifier: Apache-2.0
# tests/outside/calls_test.py: calls as users of PyTorch and NumPy write them (TENON_OUTSIDE, its
# README says how they are counted): each gives the module's own result, or an error. Those of which
# the libraries do not agree are listed here, with whom Tenon follows; no other gives another one.
"""usage: calls_test.py [-v]"""

import os
import pathlib
import sys

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from support import tenon  # noqa: E402

LEAST = 85  # per cent of each list
STANDARD, NUMPY = "the array API standard", "NumPy"
SIGNS = "vectors, of which either sign is right"
OWN = "Tenon: elements, as PyTorch's stride()"
# Calls whose result here is that of another library, which is asked first: the standard, then
# NumPy.
OTHERS = {
    "calls_pytorch": {
        "nonzero": STANDARD, "T.nonzero": STANDARD, "equal": STANDARD, "median": NUMPY,
        "linalg.qr": SIGNS, "linalg.eigh": SIGNS, "linalg.lstsq": NUMPY,
        "linalg.svd": SIGNS, "meshgrid": STANDARD,
        "__version__": "its own",
    },
    "calls_numpy": {
        "linalg.eigh": SIGNS, "linalg.qr": SIGNS, "linalg.svd": SIGNS, "meshgrid": STANDARD,
        "A.strides": OWN,
    },
}  # fmt: skip


def names(module):
    """What the expressions may use."""
    make = module.tensor if hasattr(module, "tensor") else numpy.array
    f32, i64 = module.float32, module.int64

    def of(values, dtype):
        return make(values, dtype=dtype)

    return {
        "M": module,
        "N": numpy,
        "x": of([[1, -2, 3], [0.5, 1.5, -1]], f32),
        "y": of([[2, 1, 1], [1, 0.5, 2]], f32),
        "v": of([1, 2, 3], f32),
        "i": of([0, 1, 1], i64),
        "i2": of([[0, 1, 2], [2, 1, 0]], i64),
        "b": make([[True, False, True], [False, True, False]]),
        "s": of([[4, 1, 1], [1, 4, 1], [1, 1, 4]], f32),
        "z": of(numpy.arange(24).reshape(2, 3, 4).tolist(), f32),
    }


ARRAYS = (numpy.ndarray, numpy.generic, torch.Tensor, tenon.Tensor)
RANDOM = ("rand", "normal", "uniform", "bernoulli", "multinomial", "empty", "seed", "randn", "perm")


def values(array):
    """As NumPy's, which has no bfloat16."""
    if not isinstance(array, (numpy.ndarray, numpy.generic)) and "bfloat16" in str(array.dtype):
        array = array.float()
    return numpy.asarray(array.detach() if hasattr(array, "detach") else array)


def alike(name, found, right):
    """Have both the same kind of container, shapes and values?"""
    if isinstance(right, (tuple, list, torch.Size)):
        return (
            isinstance(found, (tuple, list))
            and isinstance(found, tuple) == isinstance(right, tuple)
            and len(found) == len(right)
            and all(alike(name, *pair) for pair in zip(found, right, strict=True))
        )
    if isinstance(right, ARRAYS):
        if isinstance(right, numpy.generic) and not isinstance(found, ARRAYS):
            return alike(name, numpy.asarray(found), numpy.asarray(right))
        if not isinstance(found, ARRAYS):
            return False
        mine, theirs = values(found), values(right)
        if mine.shape != theirs.shape or (mine.dtype.kind == "f") != (theirs.dtype.kind == "f"):
            return False
        if any(word in name for word in RANDOM):
            return True
        return numpy.allclose(mine, theirs, rtol=1e-5, atol=1e-5, equal_nan=True)
    if isinstance(found, ARRAYS):
        return False
    if isinstance(right, (bool, int, float)):
        return isinstance(found, (bool, int, float)) and (
            found == right or abs(found - right) <= 1e-5
        )
    if right is None or isinstance(right, str):
        return found == right
    # A function, a class, a dtype ...: there is one.
    return callable(found) or not callable(right)


def judge(path, peer):
    """{name: ("same" | "raises" | "other", words)}"""
    verdicts = {}
    for line in path.read_text().splitlines():
        name, _, expression = line.partition("|")
        right = eval(expression, names(peer))
        try:
            found = eval(expression, names(tenon))
        except Exception as error:  # noqa: BLE001 - what it says is looked at
            verdicts[name] = "raises", f"{expression}: {type(error).__name__}: {error}"
            continue
        same = alike(name, found, right)
        words = f"{expression}: {found!r}\n    not {right!r}"
        verdicts[name] = ("same", "") if same else ("other", words)
    return verdicts


def main():
    folder = pathlib.Path(os.environ["TENON_OUTSIDE"])
    failed = False
    for name, peer in (("calls_pytorch", torch), ("calls_numpy", numpy)):
        verdicts = judge(folder / f"{name}.txt", peer)
        count = {kind: sum(each == kind for each, _ in verdicts.values())
                 for kind in ("same", "raises", "other")}  # fmt: skip
        share = 100 * count["same"] / len(verdicts)
        print(f"{name}: {len(verdicts)} calls, {count['same']} same ({share:.1f} %), "
              f"{count['raises']} raise, {count['other']} follow another library")  # fmt: skip
        if share < LEAST:
            print(f"FAILED: fewer than {LEAST} % give the module's own result")
            failed = True
        for call, (kind, words) in verdicts.items():
            if kind == "other" and call not in OTHERS[name]:
                print(f"FAILED {call}: another result, and nobody is named: {words}")
                failed = True
            if kind != "other" and call in OTHERS[name]:
                print(f"FAILED {call}: listed as another library's result, which it is not")
                failed = True
            if "-v" in sys.argv and kind != "same":
                print(f"  {kind} {call}: {words}")
    return failed


if __name__ == "__main__":
    if "TENON_OUTSIDE" not in os.environ:
        print("skipped: TENON_OUTSIDE, the folder of calls_pytorch.txt, is not set")
        sys.exit(77)
    sys.exit(main())
