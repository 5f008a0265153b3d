// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/driver.cc: the table of backends/cuda/driver.h, without a GPU: two devices
// whose memory is the host's and whose kernels run on the processor.
#include <cstdio>

#include "state.h"

namespace tenon::cuda::emulated {

namespace {

Code versions(int32_t* out_driver, int32_t* out_runtime) {
  const std::lock_guard lock(state().mutex);
  if (const Code code = state().begin_elsewhere(Call::versions); code != kSuccess) return code;
  *out_driver = 13000;
  *out_runtime = 13000;
  return kSuccess;
}

Code device_count(int32_t* out_count) {
  const std::lock_guard lock(state().mutex);
  if (const Code code = state().begin_elsewhere(Call::device_count); code != kSuccess) return code;
  *out_count = kDevices;
  return kSuccess;
}

Code facts(int32_t index, DeviceFacts* out_facts) {
  const std::lock_guard lock(state().mutex);
  if (const Code code = state().begin_elsewhere(Call::facts); code != kSuccess) return code;
  if (index < 0 || index >= kDevices) return kInvalidDevice;
  DeviceFacts facts{};
  std::snprintf(facts.name, sizeof facts.name, "emulated");
  facts.major = 9;
  facts.minor = 0;
  facts.has_pools = 1;
  *out_facts = facts;
  return kSuccess;
}

Code use(int32_t index) {
  const std::lock_guard lock(state().mutex);
  if (const Code code = state().begin_elsewhere(Call::use); code != kSuccess) return code;
  if (index < 0 || index >= kDevices) return kInvalidDevice;
  chosen_device() = index;
  return kSuccess;
}

const char* text(Code code) {
  const std::lock_guard lock(state().mutex);
  const auto said = state().said.find(code);
  return said == state().said.end() ? text_of_code(code) : said->second->c_str();
}

}  // namespace

}  // namespace tenon::cuda::emulated

namespace tenon::cuda {

#define TENON_EMULATED_SLOT(name) .name = emulated::name,
const Driver& driver() {
  static constexpr Driver table = {
      TENON_EMULATED_CALLS(TENON_EMULATED_SLOT).blas_function = emulated::blas_function,
      .name = emulated::name_of_code,
      .text = emulated::text,
  };
  static_assert(sizeof table == (std::size(emulated::kDriverCalls) + 3) * sizeof(void (*)()),
                "a function is missing in TENON_EMULATED_CALLS");
  return table;
}
#undef TENON_EMULATED_SLOT

}  // namespace tenon::cuda
