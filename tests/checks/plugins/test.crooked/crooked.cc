// SPDX-License-Identifier: Apache-2.0
// tests/checks/plugins/test.crooked/crooked.cc: a device whose memory begins 8 bytes too late.
#include <cstdlib>
#include <cstring>

#include "../../../core/plugins/acme.toy/kernels.hpp"

namespace {

struct Crooked {
  static constexpr std::string_view device = "crooked";
  template <void (*Run)(const tenon::sdk::Launch&)>
  static constexpr auto launch = tenon::sdk::launch_fn<Run>;
};

constexpr tenon_kernel_desc kernels[] = {
    acme::entry<Crooked, acme::copy>("tenon.copy", acme::kMap, tenon::sdk::kAllDtypes),
    acme::entry<Crooked, acme::full>("tenon.full", acme::kStridedOut, tenon::sdk::kAllDtypes, 3)};

constexpr int64_t kShift = 8;

tenon_status device_count(void*, int32_t* out_count, tenon_diag*) {
  *out_count = 1;
  return TENON_OK;
}
tenon_status alloc(void*, int32_t, uint64_t bytes, void** out_data) {
  char* data = static_cast<char*>(std::aligned_alloc(64, (bytes / 64 + 2) * 64));
  *out_data = data ? data + kShift : nullptr;
  return data ? TENON_OK : TENON_E_MEMORY;
}
void free_memory(void*, int32_t, void* data, uint64_t) {
  std::free(static_cast<char*>(data) - kShift);
}
tenon_status copy(void*, int32_t, void*, uint32_t, void* destination, const void* source,
                  uint64_t bytes) {
  std::memcpy(destination, source, bytes);
  return TENON_OK;
}
tenon_status create_one(void* self, int32_t, void** out_object) {
  *out_object = self;
  return TENON_OK;
}
void release_one(void*, int32_t, void*) {}
tenon_status stream_wait(void*, int32_t, void*, tenon_diag*) { return TENON_OK; }
tenon_status event_record(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status event_query(void*, int32_t, void*, uint32_t* out_done, tenon_diag*) {
  *out_done = 1;
  return TENON_OK;
}

constexpr tenon_backend_table table = {sizeof(tenon_backend_table),
                                       0,
                                       tenon::sdk::str("crooked"),
                                       tenon::sdk::str("Not aligned."),
                                       device_count,
                                       alloc,
                                       free_memory,
                                       copy,
                                       create_one,
                                       release_one,
                                       stream_wait,
                                       create_one,
                                       release_one,
                                       event_record,
                                       event_record,
                                       event_query};

}  // namespace

TENON_UNIT(crooked) = {.kernels = kernels, .backend = &table};
