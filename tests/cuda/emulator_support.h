// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator_support.h: launching kernels on the emulated driver, without Tenon.
#pragma once

#include "backends/cuda/launch.h"
#include "emulator/emulator.h"

namespace emulator_test {

using tenon::cuda::Code;
using tenon::cuda::driver;
using tenon::cuda::Extent;

struct Shape {
  Extent grid;
  Extent block;
  uint32_t shared_bytes = 0;
  void* stream = nullptr;
};

template <class... P>
Code launch(const Shape& shape, void (*kernel)(P...), std::type_identity_t<P>... arguments) {
  const auto any = tenon::cuda::any_kernel(kernel);
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  const uint32_t bytes[] = {tenon::cuda::argument(arguments).bytes..., 0};
  const tenon::cuda::Launching launching = {
      any.function, any.invoke, shape.grid, shape.block, shape.shared_bytes,
      shape.stream, addresses,  bytes,      sizeof...(P)};
  return driver().launch(&launching);
}

}  // namespace emulator_test
