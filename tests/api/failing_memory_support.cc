// SPDX-License-Identifier: Apache-2.0
// tests/api/failing_memory_support.cc: malloc and its relatives, which can fail when told to.
#include "tests/api/failing_memory_support.h"

#ifdef TENON_TESTS_FAILING_MEMORY

#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace tenon::tests {

namespace {

// Of the program itself, so reading it allocates nothing.
struct Armed {
  bool on;
  bool device;
  bool forever;
  bool failed;
  uint64_t left;  // allocations that still succeed
};
constinit thread_local Armed armed{};

bool fails(bool aligned) noexcept {
  if (!armed.on || (armed.device && !aligned)) return false;
  if (armed.failed && !armed.forever) return false;
  if (!armed.failed && armed.left-- > 0) return false;
  armed.failed = true;
  errno = ENOMEM;
  return true;
}

}  // namespace

FailingMemory::FailingMemory(const FailurePlan& plan, uint64_t index) noexcept {
  armed = {true, plan.device, plan.forever, false, index};
}

FailingMemory::~FailingMemory() { armed.on = false; }

bool FailingMemory::has_failed() noexcept { return armed.failed; }

}  // namespace tenon::tests

using tenon::tests::fails;

// Exported, so that the libraries call them: clang's -fvisibility=hidden is meant for these too.
#pragma GCC visibility push(default)
extern "C" {

void* malloc(size_t bytes) { return fails(false) ? nullptr : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) {
  return fails(false) ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* memory, size_t bytes) {
  return fails(false) ? nullptr : __libc_realloc(memory, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  return fails(true) ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(true) ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** out_memory, size_t alignment, size_t bytes) {
  void* memory = fails(true) ? nullptr : __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *out_memory = memory;
  return 0;
}
}
#pragma GCC visibility pop

#endif
