// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tf32/provider.cc: the state of tenon.cuda_tf32 in one runtime.
#include "provider.h"

#include <unistd.h>

#include <cstdio>
#include <new>

#include "driver.h"

namespace tenon::cuda::tf32 {

State::State(const sdk::About& about) : sdk::State(about), process_(getpid()) {}

State::~State() {
  if (process_ != getpid()) return;
  for (auto& [device, handle] : handles_) {
    driver().use(device);
    handle.release();
  }
}

BlasHandle& State::handle(int32_t device) {
  const std::lock_guard lock(mutex_);
  return handles_[device];
}

tenon_status init(const sdk::About& about, void** out_self, tenon_diag* diag) {
  try {
    *out_self = new State(about);
    return TENON_OK;
  } catch (const std::bad_alloc&) {
    diag->status = TENON_E_MEMORY;
    diag->length = static_cast<decltype(diag->length)>(
        std::snprintf(diag->message, sizeof diag->message, "out of memory"));
    return TENON_E_MEMORY;
  }
}

}  // namespace tenon::cuda::tf32
