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
  facts.multiprocessors = 4;
  facts.has_pools = 1;
  facts.memory_bytes = state().limit;
  facts.shared_bytes_per_block = 227 << 10;
  facts.l2_bytes = 4 << 20;
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

const Driver& driver() {
  static constexpr Driver table = {
      .versions = emulated::versions,
      .device_count = emulated::device_count,
      .facts = emulated::facts,
      .use = emulated::use,
      .alloc = emulated::alloc,
      .free = emulated::free,
      .pinned_alloc = emulated::pinned_alloc,
      .pinned_free = emulated::pinned_free,
      .copy = emulated::copy,
      .stream_create = emulated::stream_create,
      .stream_release = emulated::stream_release,
      .stream_wait = emulated::stream_wait,
      .event_create = emulated::event_create,
      .event_release = emulated::event_release,
      .event_record = emulated::event_record,
      .event_wait = emulated::event_wait,
      .event_query = emulated::event_query,
      .launch = emulated::launch,
      .allow_shared = emulated::allow_shared,
      .capture_begin = emulated::capture_begin,
      .capture_end = emulated::capture_end,
      .graph_run = emulated::graph_run,
      .graph_release = emulated::graph_release,
      .blas_function = emulated::blas_function,
      .name = emulated::name_of_code,
      .text = emulated::text,
  };
  return table;
}

}  // namespace tenon::cuda
