// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator_support.h: launching kernels on the emulated driver, without Tenon.
#pragma once

#include <utility>

#include "backends/cuda/driver.h"
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

template <class... P, size_t... I>
void invoke_with(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<P*>(arguments[I])...);
}

template <class... P>
void invoke(const void* kernel, void** arguments) {
  invoke_with(reinterpret_cast<void (*)(P...)>(const_cast<void*>(kernel)), arguments,
              std::index_sequence_for<P...>());
}

template <class... P>
Code launch(const Shape& shape, void (*kernel)(P...), std::type_identity_t<P>... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  const uint32_t bytes[] = {static_cast<uint32_t>(sizeof(P))..., 0};
  const tenon::cuda::Launching launching = {reinterpret_cast<const void*>(kernel),
                                            &invoke<P...>,
                                            shape.grid,
                                            shape.block,
                                            shape.shared_bytes,
                                            shape.stream,
                                            addresses,
                                            bytes,
                                            sizeof...(P)};
  return driver().launch(&launching);
}

}  // namespace emulator_test
