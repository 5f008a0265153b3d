// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tf32/provider.h: the state of tenon.cuda_tf32 in one runtime.
//
// The devices are tenon.cuda's, and so are streams and memory: a kernel gets them with its call.
// Here is what a provider has for itself: a handle of cuBLASLt for each device.
#pragma once

#include <tenon/sdk/plugin/plugin.hpp>

#include <map>
#include <mutex>

#include "blas.h"

namespace tenon::cuda::tf32 {

// The `self` of all tables.
struct State : sdk::State {
  explicit State(const sdk::About& about);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  BlasHandle& handle(int32_t device);

 private:
  const int32_t process_;  // a forked child cannot use the devices of its parent
  std::mutex mutex_;
  std::map<int32_t, BlasHandle> handles_;
};

tenon_status init(const sdk::About& about, void** out_self, tenon_diag* diag);

// The body of the plugin's exported function.
template <class Data>
tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) noexcept {
  const tenon_status status = sdk::query<Data>(host, out, diag);
  if (status != TENON_OK) return status;
  out->init = [](const tenon_host*, void** out_self, tenon_diag* d) {
    return init(Data::about(), out_self, d);
  };
  out->release = [](void* self) { delete static_cast<State*>(self); };
  out->get_interface = [](void* self, const char* id, uint64_t length) -> const void* {
    return static_cast<const State*>(self)->find(
        length == TENON_NUL ? std::string_view(id) : std::string_view(id, length));
  };
  return TENON_OK;
}

}  // namespace tenon::cuda::tf32
