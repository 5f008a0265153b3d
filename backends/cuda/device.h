// SPDX-License-Identifier: Apache-2.0
// backends/cuda/device.h: the state of one runtime's CUDA devices.
//
// Which code is which status: memory that is not there is TENON_E_MEMORY; codes after which CUDA
// answers every call of the process with the same code lose the device; every other code fails the
// call alone.
//
// How a kernel says that its data are wrong: refusal.h.
#pragma once

#include <tenon/ext/draft/capture.h>
#include <tenon/sdk/plugin/plugin_init.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "blas.h"
#include "codes.h"
#include "driver.h"
#include "refusal.h"

namespace tenon::cuda {

namespace sdk = tenon::sdk;

struct Turns;

struct Device {
  explicit Device(int32_t index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const int32_t index;
  const int32_t process;  // a forked child cannot use the devices of its parent
  std::string unusable;   // why it is not counted; empty if it is
  DeviceFacts facts{};
  void* memory_stream = nullptr;  // allocations are ordered on it
  Report* report = nullptr;       // in pinned memory
  BlasHandle blas;
  std::mutex turns_mutex;
  std::vector<std::pair<void*, Turns*>> turns;  // of streams, in memory of the device
  std::atomic<bool> lost{false};
  std::atomic<Code> lost_code{kSuccess};
};

struct OwnKernel;

inline constexpr std::string_view kDeviceKind = "cuda";

// The `self` of all tables.
struct State : sdk::State {
  explicit State(const sdk::About& about);

  // Looks for devices, once; what it finds stays.
  void look();
  // TENON_OK with the device chosen on this thread, else why not.
  tenon_status choose(int32_t index);
  // The same for a kernel: throws sdk::Failure.
  void require(int32_t index);
  // The same for giving something back, which is also tried on a device that is lost: what the
  // driver keeps on the host goes all the same. False in a forked child.
  bool choose_to_release(int32_t index);
  // Words for a device that may not be used any more.
  std::string why_lost(int32_t index);
  // The status of a code that a call for the device answered.
  tenon_status judge(int32_t index, Code code);
  Device& device(int32_t index) { return *devices[static_cast<size_t>(index)]; }

  std::vector<std::unique_ptr<Device>> devices;
  std::string why_none;  // why there are no devices
  bool failed = false;   // there is a GPU or a driver, and it cannot be used

 private:
  // Those of the units, but that they choose their device on the thread that launches them.
  std::vector<tenon_kernel_desc> descs_;
  std::vector<OwnKernel> own_;
  std::once_flag looked_;
};

// What a kernel's `user` points to.
struct OwnKernel {
  State* state;
  tenon_status (*launch)(tenon_call* call, const tenon_launch* args);  // as the unit states it
};
inline State& state_of(const tenon_launch& launch) {
  return *static_cast<const OwnKernel*>(launch.user)->state;
}

// The device that a launch is for. A number in host memory says nothing of it.
inline int32_t device_index_of(const tenon_launch& launch) {
  const uint32_t count = launch.slot_begin[launch.n_slots];
  for (uint32_t i = 0; i < count; ++i) {
    if (!(launch.views[i].flags & TENON_VIEW_HOST_SCALAR)) return launch.views[i].device.index;
  }
  return 0;
}
inline Device& device_of(const tenon_launch& launch) {
  return state_of(launch).device(device_index_of(launch));
}

// Fills `diag` and returns `status`.
tenon_status say(tenon_diag* diag, tenon_status status, const std::string& words);

extern const tenon_backend_table backend_table;
extern const tenon_backend_pinned_table pinned_table;
extern const tenon_backend_capture_table capture_table;

tenon_status init(const tenon_host* host, const sdk::About& about, void** out_self,
                  tenon_diag* diag);

// The body of the plugin's exported function.
template <class Data>
tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) noexcept {
  const tenon_status status = sdk::query<Data>(host, out, diag);
  if (status != TENON_OK) return status;
  out->init = [](const tenon_host* h, void** out_self, tenon_diag* d) {
    return init(h, Data::about(), out_self, d);
  };
  out->release = [](void* self) { delete static_cast<State*>(self); };
  out->get_interface = [](void* self, const char* id, uint64_t length) -> const void* {
    const std::string_view name =
        length == TENON_NUL ? std::string_view(id) : std::string_view(id, length);
    if (name == "tenon.backend/1") return &backend_table;
    if (name == "tenon.backend.pinned/1") return &pinned_table;
    if (name == TENON_INTERFACE_BACKEND_CAPTURE) return &capture_table;
    return static_cast<const State*>(self)->find(name);
  };
  return TENON_OK;
}

}  // namespace tenon::cuda
