#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/jax_copies_are_not_asked_for.sh: JAX 0.10.2: jax.numpy.from_dlpack(x, copy=True).
#
# Seen: the producer is asked for a plain capsule, as without copy=True, and the copy is made of
# that. So a read-only NumPy array is refused with copy=True, too, though a copy of it could be had;
# jax.numpy.asarray takes it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
  jax==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__, "numpy", np.__version__)
asked = []


class Producer:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        asked.append(options)
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


numbers = np.arange(64, dtype=np.float32)
copy = jnp.from_dlpack(Producer(numbers), copy=True)
print("asked with copy=True:", asked)
assert asked == [{"stream": None}] and copy.tolist() == numbers.tolist()
numbers.flags.writeable = False
for wish in (None, True):
    try:
        jnp.from_dlpack(numbers, copy=wish)
        raise SystemExit(f"copy={wish} takes a read-only array")
    except BufferError as error:
        print(f"read-only, copy={wish}:", error)
assert jnp.asarray(numbers).tolist() == numbers.tolist()
PYTHON
