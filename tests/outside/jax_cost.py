# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_cost.py: what a call of an op of 64 elements costs from JAX, by itself and in a
# compiled program, beside a native call in C++ with XLA's headers. docs/benchmarks.md.
"""TENON_LIBRARY=build/release/lib/libtenon.so python tests/outside/jax_cost.py"""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import timeit

from jax_samples import jax, tenon

SOURCE = r"""
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

ffi::Error product(ffi::Buffer<ffi::F32> a, ffi::Buffer<ffi::F32> b,
                   ffi::ResultBuffer<ffi::F32> result) {
  for (size_t i = 0; i < a.element_count(); ++i) {
    result->typed_data()[i] = a.typed_data()[i] * b.typed_data()[i];
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(native, product,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
"""
ROUNDS, CALLS, LENGTH = 100, 50, 100


def native(folder):
    """The product by a handler in C++."""
    source, library = folder / "native.cc", folder / "native.so"
    source.write_text(SOURCE)
    subprocess.run([shutil.which("c++"), "-std=c++17", "-O3", "-shared", "-fPIC", "-I",
                    jax.ffi.include_dir(), source, "-o", library], check=True)  # fmt: skip
    handler = jax.ffi.pycapsule(ctypes.CDLL(library).native)
    jax.ffi.register_ffi_target("cost_native", handler, platform="cpu")
    return jax.jit(
        lambda a, b: jax.ffi.ffi_call("cost_native", jax.ShapeDtypeStruct(a.shape, a.dtype))(a, b)
    )


def programs(product):
    """The product once, and a program of many in a row."""

    def many(a, b):
        for _ in range(LENGTH):
            a = product(a, b)
        return a

    return product, jax.jit(many)


def main():
    a, b = (jax.random.normal(jax.random.key(i), (64,)) for i in range(2))
    ours = tenon.jax.ops.tenon.mul
    with tempfile.TemporaryDirectory() as folder:
        products = {"Tenon's": ours, "a native call": native(pathlib.Path(folder))}
        calls = {}
        for name, product in products.items():
            once, many = programs(product)
            calls[f"{name}, by itself"] = once, 1
            calls[f"{name}, in a program of {LENGTH}"] = many, LENGTH
        loss = jax.grad(lambda a, b: ours(a, b).sum())
        calls["Tenon's gradient, compiled"] = jax.jit(loss), 1
        calls["JAX's own, by itself"] = jax.jit(jax.numpy.multiply), 1
        least = dict.fromkeys(calls, float("inf"))
        for call, _ in calls.values():
            call(a, b)
        for _ in range(ROUNDS):  # in turn, so that all meet the same machine
            for name, (call, count) in calls.items():
                seconds = timeit.timeit(lambda f=call: f(a, b).block_until_ready(), number=CALLS)
                least[name] = min(least[name], seconds / CALLS / count * 1e6)
    for name, microseconds in least.items():
        print(f"{name:40} {microseconds:6.2f} us")


if __name__ == "__main__":
    main()
