#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/numpy_saves_what_it_cannot_load.sh: NumPy 2.4.6 and ml_dtypes 0.6.0: numpy.save of the
# small floats, and of a masked array.
#
# Seen: float8_e5m2 is written as '<f1', which numpy.load refuses; bfloat16, the other float8,
# float4 and int4 are written as '<V1' or '<V2' and come back as void, whose numbers are gone
# unless one knows the dtype. numpy.save of a masked array to a path is a NotImplementedError and
# leaves 128 bytes there, a header; to a BytesIO, and by numpy.savez to a path, it works and drops
# the mask.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
  numpy==2.4.6 ml_dtypes==0.6.0
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import io
import os
import sys

import ml_dtypes
import numpy as np

print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)
DESCR = {
    "bfloat16": "<V2", "float8_e4m3fn": "<V1", "float8_e3m4": "<V1", "float8_e8m0fnu": "<V1",
    "float4_e2m1fn": "<V1", "int4": "<V1", "float8_e5m2": "<f1",
}  # fmt: skip
for name, descr in DESCR.items():
    file = io.BytesIO()
    np.save(file, np.arange(3).astype(getattr(ml_dtypes, name)))
    assert f"'descr': '{descr}'".encode() in file.getvalue(), name
    file.seek(0)
    try:
        back = np.load(file)
    except ValueError as error:
        print(name, descr, error)
        assert name == "float8_e5m2" and "'<f1'" in str(error)
    else:
        print(name, descr, back.dtype)
        assert back.dtype.kind == "V" and name != "float8_e5m2"

masked = np.ma.array([1.0, 2.0], mask=[False, True])
path = os.path.join(sys.argv[1], "a.npy")
try:
    np.save(path, masked)
    raise SystemExit("a masked array is saved to a path")
except NotImplementedError as error:
    print("save to a path:", error, os.path.getsize(path), "bytes")
assert os.path.getsize(path) == 128
file = io.BytesIO()
np.save(file, masked)
file.seek(0)
np.savez(os.path.join(sys.argv[1], "a.npz"), m=masked)
back = np.load(file), np.load(os.path.join(sys.argv[1], "a.npz"))["m"]
print("save to a BytesIO, and savez:", *back)
assert all(type(each) is np.ndarray and each.tolist() == [1.0, 2.0] for each in back)
PYTHON
