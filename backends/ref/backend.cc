// SPDX-License-Identifier: Apache-2.0
// backends/ref/backend.cc: the device "cpu": host memory, where all work is finished on return.

#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

constexpr uint64_t kAlignment = 64;

// Blocks from two huge pages on are made of these: reading them misses the TLB less, which on a
// virtual machine is half of the time, and their first use enters the kernel 512 times less.
constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kLargeBlock = 2 * kHugePage;

tenon_status device_count(void*, int32_t* out_count, tenon_diag*) {
  *out_count = 1;
  return TENON_OK;
}

// Only whole pages, so that no block becomes resident beyond its end. A kernel without huge pages
// says no, which changes nothing.
void ask_for_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] uint64_t bytes) {
#ifdef __linux__
  madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
}

tenon_status alloc(void*, int32_t, uint64_t bytes, void** out_data) {
  if (bytes > static_cast<uint64_t>(INT64_MAX) - kHugePage) return TENON_E_MEMORY;
  const bool is_large = bytes >= kLargeBlock;
  const uint64_t alignment = is_large ? kHugePage : kAlignment;
  const uint64_t whole = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
  void* data = std::aligned_alloc(alignment, whole);
  if (!data) return TENON_E_MEMORY;
  if (is_large) ask_for_huge_pages(data, bytes);
  *out_data = data;
  return TENON_OK;
}

void free_memory(void*, int32_t, void* data, uint64_t) { std::free(data); }

tenon_status copy(void*, int32_t, void*, uint32_t, void* destination, const void* source,
                  uint64_t bytes) {
  if (bytes) std::memcpy(destination, source, bytes);
  return TENON_OK;
}

// The one stream is the default one, which is NULL: everything runs in order, at once.
tenon_status stream_create(void*, int32_t, void** out_stream) {
  *out_stream = nullptr;
  return TENON_OK;
}
void stream_release(void*, int32_t, void*) {}
tenon_status stream_wait(void*, int32_t, void*, tenon_diag*) { return TENON_OK; }

// Events have nothing to hold, since what they would wait for is already done.
tenon_status event_create(void* self, int32_t, void** out_event) {
  *out_event = self;
  return TENON_OK;
}
void event_release(void*, int32_t, void*) {}
tenon_status event_record(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status event_wait(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status event_query(void*, int32_t, void*, uint32_t* out_done, tenon_diag*) {
  *out_done = 1;
  return TENON_OK;
}

constexpr tenon_backend_table table = {
    sizeof(tenon_backend_table),
    TENON_BACKEND_HOST_MEMORY,
    sdk::str(kDevice),
    sdk::str("Host memory, with a plain reference kernel for every primitive op."),
    device_count,
    alloc,
    free_memory,
    copy,
    stream_create,
    stream_release,
    stream_wait,
    event_create,
    event_release,
    event_record,
    event_wait,
    event_query};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(backend) = {.backend = &tenon::ref::table};
