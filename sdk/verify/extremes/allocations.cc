// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/allocations.cc: malloc and its like of the executable: they forward to the C
// library's and fail when told to (memory.h). Symbols of an executable come first in the dynamic
// linker's search, so libtenon and plugins use these as well.
#include <malloc.h>

#include <cerrno>
#include <cstddef>

#include "extremes/memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TENON_OWN_MALLOC 0
#endif
#endif
#if !defined(TENON_OWN_MALLOC) && defined(__GLIBC__)
#define TENON_OWN_MALLOC 1
#elif !defined(TENON_OWN_MALLOC)
#define TENON_OWN_MALLOC 0
#endif

namespace tenon::verify {
namespace {

// Allocations until one fails; below 0: none does. Plain data of the thread: nothing here may
// allocate.
thread_local int64_t allocations_left = -1;
thread_local bool has_failed = false;

}  // namespace

bool can_fail_allocations() { return TENON_OWN_MALLOC != 0; }

void fail_allocation(int64_t index) {
  has_failed = false;
  allocations_left = index;
}

bool stop_failing() {
  allocations_left = -1;
  return has_failed;
}

#if TENON_OWN_MALLOC
namespace {

bool fails() {
  if (allocations_left < 0 || allocations_left-- > 0) return false;
  has_failed = true;
  errno = ENOMEM;
  return true;
}

}  // namespace
#endif

}  // namespace tenon::verify

#if TENON_OWN_MALLOC
extern "C" {
#define TENON_EXPORTED __attribute__((visibility("default")))

void* __libc_malloc(size_t bytes) noexcept;                      // NOLINT(*-reserved-identifier)
void* __libc_calloc(size_t count, size_t bytes) noexcept;        // NOLINT(*-reserved-identifier)
void* __libc_realloc(void* memory, size_t bytes) noexcept;       // NOLINT(*-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t bytes) noexcept;  // NOLINT(*-reserved-identifier)

TENON_EXPORTED void* malloc(size_t bytes) noexcept {
  return tenon::verify::fails() ? nullptr : __libc_malloc(bytes);
}
TENON_EXPORTED void* calloc(size_t count, size_t bytes) noexcept {
  return tenon::verify::fails() ? nullptr : __libc_calloc(count, bytes);
}
TENON_EXPORTED void* realloc(void* memory, size_t bytes) noexcept {
  return tenon::verify::fails() ? nullptr : __libc_realloc(memory, bytes);
}
TENON_EXPORTED void* memalign(size_t alignment, size_t bytes) noexcept {
  return tenon::verify::fails() ? nullptr : __libc_memalign(alignment, bytes);
}
TENON_EXPORTED void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return memalign(alignment, bytes);
}
TENON_EXPORTED int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int before = errno;
  void* memory = memalign(alignment, bytes);
  errno = before;
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
}
#endif
