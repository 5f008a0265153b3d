# SPDX-License-Identifier: Apache-2.0
# tests/bench/programs/start_torch.py: what start.c measures, by PyTorch in Python.

import json
import pathlib
import resource
import time


def resident_bytes():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


start = time.perf_counter()
import torch  # noqa: E402

created = time.perf_counter()
a = torch.rand(64)
a + a
added = time.perf_counter()
print(
    json.dumps(
        {
            "runtime_seconds": created - start,
            "seconds": added - start,
            "resident_bytes": resident_bytes(),
        }
    )
)
