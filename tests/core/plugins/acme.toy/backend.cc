// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/backend.cc: the device kind "toy": host memory, two devices.
#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

namespace {

namespace sdk = tenon::sdk;

struct Toy {
  static constexpr std::string_view device = "toy";
  static const void* host(const void* address) { return address; }
  static void* host(void* address) { return address; }
  template <void (*Run)(const sdk::Launch&)>
  static tenon_status launch(tenon_call* call, const tenon_launch* args) {
    return sdk::launch_fn<Run>(call, args);
  }
};

tenon_status device_count(void*, int32_t* out_count, tenon_diag*) {
  *out_count = 2;
  return TENON_OK;
}

tenon_status alloc(void*, int32_t, uint64_t bytes, void** out_data) {
  if (bytes > uint64_t{1} << 40) return TENON_E_MEMORY;
  void* data = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (!data) return TENON_E_MEMORY;
  *out_data = data;
  return TENON_OK;
}

void release(void*, int32_t, void* data, uint64_t) { std::free(data); }

tenon_status copy(void*, int32_t, void*, uint32_t, void* destination, const void* source,
                  uint64_t bytes) {
  std::memcpy(destination, source, bytes);
  return TENON_OK;
}

tenon_status create(void* self, int32_t, void** out) {
  *out = self;
  return TENON_OK;
}
void end(void*, int32_t, void*) {}
tenon_status wait(void*, int32_t, void*, tenon_diag*) { return TENON_OK; }
tenon_status order(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status query(void*, int32_t, void*, uint32_t* out_done, tenon_diag*) {
  *out_done = 1;
  return TENON_OK;
}

constexpr tenon_backend_table table = {sizeof(tenon_backend_table),
                                       TENON_BACKEND_HOST_MEMORY,
                                       sdk::str(Toy::device),
                                       sdk::str("Host memory of the core's own tests."),
                                       device_count,
                                       alloc,
                                       release,
                                       copy,
                                       create,
                                       end,
                                       wait,
                                       create,
                                       end,
                                       order,
                                       order,
                                       query};

}  // namespace

TENON_UNIT(backend) = {.kernels = acme::kKernels<Toy>, .backend = &table};
