// SPDX-License-Identifier: Apache-2.0
// backends/cuda/launch.cc: enqueueing a kernel, and a launch that could not be enqueued.
#include "launch.h"

#include "codes.h"

namespace tenon::cuda {

void check_launch(Code code) {
  if (code == kSuccess) return;
  const tenon_status status = code == kOutOfMemory ? TENON_E_MEMORY
                              : loses_device(code) ? TENON_E_DEVICE_LOST
                                                   : TENON_E_DEVICE;
  throw sdk::Failure{status, "a kernel could not be started: " + words_of(code), "",
                     "a launch that CUDA accepts", driver().name(code)};
}

void enqueue(const sdk::Launch& l, const AnyKernel& kernel, Extent grid, Extent block,
             uint32_t shared_bytes, std::span<const Argument> arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  void* addresses[kMaxParameters];
  uint32_t bytes[kMaxParameters];
  for (size_t i = 0; i < arguments.size(); ++i) {
    addresses[i] = arguments[i].address;
    bytes[i] = arguments[i].bytes;
  }
  Launching launching{};
  launching.kernel = kernel.function;
  launching.invoke = kernel.invoke;
  launching.grid = grid;
  launching.block = block;
  launching.shared_bytes = shared_bytes;
  launching.stream = l.stream();
  launching.arguments = addresses;
  launching.argument_bytes = bytes;
  launching.n_arguments = static_cast<uint32_t>(arguments.size());
  check_launch(driver().launch(&launching));
}

}  // namespace tenon::cuda
