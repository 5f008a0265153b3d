// SPDX-License-Identifier: Apache-2.0
// tests/cost/counting_support.h: how often this process asks the C library for memory. The
// program's own malloc and its relatives stand in front of the library's, so what libtenon, its
// plugins and operator new ask for is seen. Not under sanitizers, which do the same.
#pragma once

#include <tenon/plugin.h>

#if TENON_SANITIZER_BUILT == TENON_SANITIZER_NONE
#define TENON_TESTS_COUNT_MEMORY 1

#include <cstdint>

namespace tenon::tests {

// Requests so far, by any thread.
uint64_t memory_requests() noexcept;

}  // namespace tenon::tests

#endif
