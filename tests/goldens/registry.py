# SPDX-License-Identifier: Apache-2.0
# tests/goldens/registry.py: what Tenon says of its ops: schemas and texts of samples, no values.

import ctypes
import json
import pathlib
import sys
from ctypes import byref, c_char_p, c_uint64, c_void_p

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "outside"))
import tenon_ctypes as tenon  # noqa: E402

# Ops and optimizers of plugins that are not a part of Tenon have no goldens here.
OURS = "tenon."


def query(runtime, topic):
    text, data, length = c_void_p(), c_char_p(), c_uint64()
    runtime.call("tenon_runtime_query", topic.encode(), c_uint64(len(topic)), byref(text))
    runtime.library.tenon_text_get(text, byref(data), byref(length))
    answer = json.loads(ctypes.string_at(data, length.value))
    runtime.library.tenon_text_release(text)
    return answer


class Registry:
    """Ops, optimizers and the samples that must work, by name."""

    def __init__(self):
        runtime = tenon.Runtime()
        self.ops = {op["name"]: op for op in query(runtime, "ops") if op["name"].startswith(OURS)}
        self.optimizers = {
            entry["name"]: entry
            for entry in query(runtime, "optimizers")
            if entry["name"].startswith(OURS)
        }
        self.samples, self.optimizer_samples = {}, {}
        for sample in query(runtime, "samples"):
            op = self.ops.get(sample["op"])
            # Not those of a plugin that only has kernels for it: the composition judges them.
            if op and sample["expect"] == tenon.OK and sample["plugin"] == op["plugin"]:
                self.samples.setdefault(sample["op"], []).append(sample["text"])
        for sample in query(runtime, "optimizer_samples"):
            if sample["expect"] == tenon.OK and sample["optimizer"] in self.optimizers:
                self.optimizer_samples.setdefault(sample["optimizer"], []).append(sample)
        runtime.close()
