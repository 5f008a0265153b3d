# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_cost.py: what a call of an op of 64 elements costs from PyTorch, beside a
# native custom op in C++ (stable headers), one in Python, and its own. docs/benchmarks.md.
"""TENON_LIBRARY=build/release/lib/libtenon.so python tests/outside/torch_cost.py"""

import pathlib
import subprocess
import sys
import tempfile
import timeit

from torch_samples import tenon, torch

SOURCE = r"""
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

Tensor product(Tensor a, Tensor b) {
  Tensor y = torch::stable::empty_like(a);
  const float* left = static_cast<const float*>(a.data_ptr());
  const float* right = static_cast<const float*>(b.data_ptr());
  float* out = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < a.numel(); ++i) out[i] = left[i] * right[i];
  return y;
}

STABLE_TORCH_LIBRARY(cost, library) { library.def("product(Tensor a, Tensor b) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(cost, CPU, library) { library.impl("product", TORCH_BOX(&product)); }
"""
CALLS, ROUNDS = 500, 100


def native(folder):
    """The op in C++, or None without a compiler."""
    source, library = folder / "cost.cc", folder / "libcost.so"
    source.write_text(SOURCE)
    root = pathlib.Path(torch.__file__).parent
    done = subprocess.run(
        ["c++", "-O2", "-shared", "-fPIC", "-std=c++20", f"-I{root}/include",
         f"-I{root}/include/torch/csrc/api/include", source, "-o", library,
         f"-L{root}/lib", "-ltorch", "-ltorch_cpu", "-lc10"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if done.returncode:
        print(done.stderr[:2000], file=sys.stderr)
        return None
    torch.ops.load_library(library)
    return torch.ops.cost.product.default


@torch.library.custom_op("cost::in_python", mutates_args=())
def in_python(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


def main():
    a, b = torch.randn(64), torch.randn(64)
    ours, leaf = tenon.torch.ops.tenon.mul, torch.randn(64, requires_grad=True)
    calls = {
        "Tenon's mul": lambda: ours(a, b),
        "Tenon's mul, recorded": lambda: ours(a, leaf),
        "Tenon's mul, recorded, and backward": lambda: ours(a, leaf).backward(b),
        "a custom op in Python": lambda: in_python(a, b),
        "torch.mul": lambda: torch.mul(a, b),
        "torch.ops.aten.mul.Tensor": lambda: torch.ops.aten.mul.Tensor(a, b),
        "torch.mul, recorded, and backward": lambda: torch.mul(a, leaf).backward(b),
        "Tenon's mul, its own tensors": None,
    }
    x, y, op = tenon.from_dlpack(a), tenon.from_dlpack(b), tenon.op.tenon.mul
    calls["Tenon's mul, its own tensors"] = lambda: op(x, y)
    with tempfile.TemporaryDirectory() as folder:
        found = native(pathlib.Path(folder))
        if found:
            calls["a native custom op"] = lambda: found(a, b)
        for call in calls.values():
            call()
        least = dict.fromkeys(calls, float("inf"))
        for _ in range(ROUNDS):  # in turn, so that all meet the same machine
            for name, call in calls.items():
                seconds = timeit.timeit(call, number=CALLS)
                least[name] = min(least[name], seconds / CALLS * 1e6)
    for name, microseconds in least.items():
        print(f"{name:40} {microseconds:6.2f} us")


if __name__ == "__main__":
    main()
