// SPDX-License-Identifier: Apache-2.0
// tests/cuda/cuda_support.h: a runtime with the emulated GPUs, and short ways to call it.
#pragma once

#include "tests/device/device_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {

class CudaSession : public DeviceSession {
 public:
  CudaSession() : DeviceSession(folders(), kExcluded, "cuda"), cuda(sim) {}

  static std::vector<std::string> folders() {
    return {plugin_dir(), std::string(build_dir()) + "/cuda_plugins"};
  }
  static constexpr const char* kExcluded = "tenon.cuda";  // the real one, for the same kind

  const tenon_device& cuda;  // cuda:0

  // From now on `count` calls of the driver's function return that code, after `after` more.
  void fail(const char* call, int32_t code, int64_t after = 0, int64_t count = 1) const {
    enact("emulator.inject", {{"call", text_value(call)},
                              {"code", int_value(code)},
                              {"after", int_value(after)},
                              {"count", int_value(count)}});
  }
  // Nothing fails any more, and lost devices work again in the next runtime.
  void reset_driver() const { enact("emulator.reset", {}); }
  // What the driver counts: "blocks", "streams", ..., or calls of a function by its name.
  int64_t counted(const char* what) const {
    return static_cast<int64_t>(item(call("emulator.live", {}, {{"what", text_value(what)}})));
  }
};

}  // namespace tenon::tests
