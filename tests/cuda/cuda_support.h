// SPDX-License-Identifier: Apache-2.0
// tests/cuda/cuda_support.h: a runtime with the CUDA backend on the emulated driver.
#pragma once

#include <string>

#include "tests/device/device_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {

// The real backend, where it was built, would offer its kernels for the same device.
class CudaSession : public DeviceSession {
 public:
  CudaSession()
      : DeviceSession({plugin_dir(), std::string(build_dir()) + "/cuda_plugins"}, "tenon.cuda",
                      "cuda"),
        cuda(sim) {
    call_nothing("emulator.reset", {});
  }
  ~CudaSession() { call_nothing("emulator.reset", {}); }
  CudaSession(const CudaSession&) = delete;
  CudaSession& operator=(const CudaSession&) = delete;

  const tenon_device cuda;

  // The next `count` calls of a function of the driver, after `after` others, answer `code`.
  void fail(const char* function, int64_t code, int64_t after = 0, int64_t count = 1) const {
    call_nothing("emulator.inject", {{"call", text_value(function)},
                                     {"code", int_value(code)},
                                     {"after", int_value(after)},
                                     {"count", int_value(count)}});
  }
  // Live objects of the driver, or calls of one of its functions so far.
  int64_t count(const char* what) const {
    const Tensor count = call("emulator.live", {}, {{"what", text_value(what)}});
    return static_cast<int64_t>(item(count));
  }

 private:
  void call_nothing(const char* op, const Named& named) const { must(status_of(op, {}, named)); }
};

}  // namespace tenon::tests
