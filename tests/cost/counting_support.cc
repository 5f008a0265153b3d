// SPDX-License-Identifier: Apache-2.0
// tests/cost/counting_support.cc: malloc and its relatives, which count.
#include "tests/cost/counting_support.h"

#ifdef TENON_TESTS_COUNT_MEMORY

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

constinit std::atomic<uint64_t> requests{0};

void count() noexcept { requests.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

uint64_t tenon::tests::memory_requests() noexcept {
  return requests.load(std::memory_order_relaxed);
}

// Exported, so that the libraries call them: clang's -fvisibility=hidden is meant for these too.
#pragma GCC visibility push(default)
extern "C" {

void* malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}

void* calloc(size_t number, size_t bytes) {
  count();
  return __libc_calloc(number, bytes);
}

void* realloc(void* memory, size_t bytes) {
  count();
  return __libc_realloc(memory, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** out_memory, size_t alignment, size_t bytes) {
  void* memory = memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *out_memory = memory;
  return 0;
}
}
#pragma GCC visibility pop

#endif
