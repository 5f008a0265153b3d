#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/dlpack_signs_put_off.sh: PyTorch 2.13.0, NumPy 2.4.6, tvm-ffi 0.1.15.post2: tensors whose
# negation or conjugation PyTorch has put off (x.conj(), x.conj().imag), by DLPack.
#
# Seen: the same tensor's __dlpack__ has the right sign with copy=True and the wrong one with None
# and with copy=False, without an error. A conjugation it refuses with a BufferError; but tvm-ffi,
# which takes PyTorch's tensors by a table of functions, gets the numbers as they were before it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip=("$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet)
"${pip[@]}" torch==2.13.0+cpu 2>/dev/null ||
  "${pip[@]}" torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu ||
  "${pip[@]}" torch==2.13.0
"${pip[@]}" numpy==2.4.6 apache-tvm-ffi==0.1.15.post2
"$folder/venv/bin/python" - <<'PYTHON'
import warnings

warnings.simplefilter("ignore")
import numpy as np
import torch
import tvm_ffi

print("torch", torch.__version__, "numpy", np.__version__, "tvm_ffi", tvm_ffi.__version__)


class Asked:
    """A producer that asks `x` for its capsule with `copy`."""

    def __init__(self, x, copy):
        self.x, self.copy = x, copy

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**{**options, "copy": self.copy})

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


z = torch.tensor([1 + 2j])
negated = z.conj().imag
assert negated.is_neg() and negated.tolist() == [-2.0]
found = {copy: np.from_dlpack(Asked(negated, copy)).tolist() for copy in (None, False, True)}
found["tvm-ffi"] = np.from_dlpack(tvm_ffi.from_dlpack(negated)).tolist()
print("negated [-2.0]:", found)
assert found == {None: [2.0], False: [2.0], True: [-2.0], "tvm-ffi": [2.0]}

try:
    z.conj().__dlpack__()
    raise SystemExit("a conjugation is taken")
except BufferError as error:
    print("conjugated, PyTorch:", error)
taken = tvm_ffi.from_dlpack(z.conj())
print("conjugated [1-2j], tvm-ffi:", np.from_dlpack(taken).tolist())
assert np.from_dlpack(taken).tolist() == [1 + 2j] and z.conj().tolist() == [1 - 2j]
PYTHON
