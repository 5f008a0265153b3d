#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/numpy_integers_that_wrap.sh: NumPy 2.4.6: which functions refuse a Python integer that
# the array's dtype does not hold, and which wrap it.
#
# Seen: x + 300 of uint8 is an OverflowError (NEP 50); where(x > 1, x, 300) wraps 300 to 44, as does
# concatenate((x, 300), axis=None), while append(x, 300) is int64 with 300 in it. take() cuts a list
# of floats to indices, but refuses the same numbers as an array.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

print("numpy", np.__version__)
x = np.array([1, 2, 4], np.uint8)
try:
    x + 300
    raise SystemExit("x + 300 is taken")
except OverflowError as error:
    print("x + 300:", error)
where = np.where(x > 1, x, 300)
joined = np.concatenate((x, 300), axis=None)
appended = np.append(x, 300)
print("where", where, where.dtype, "concatenate", joined, joined.dtype, "append", appended.dtype)
assert where.tolist() == [44, 2, 4] and where.dtype == np.uint8
assert joined.tolist() == [1, 2, 4, 44] and joined.dtype == np.uint8
assert appended.tolist() == [1, 2, 4, 300] and appended.dtype == np.int64
taken = np.take(np.array([1, 2, 3]), [0.1, 0.7, 2.3])
print("take", taken)
assert taken.tolist() == [1, 1, 3]
try:
    np.take(np.array([1, 2, 3]), np.array([0.1, 0.7, 2.3]))
    raise SystemExit("take() of an array of floats is taken")
except TypeError as error:
    print("take of an array:", error)
PYTHON
