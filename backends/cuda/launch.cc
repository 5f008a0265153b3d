// SPDX-License-Identifier: Apache-2.0
// backends/cuda/launch.cc: a launch that could not be enqueued.
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

}  // namespace tenon::cuda
