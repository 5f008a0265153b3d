// SPDX-License-Identifier: Apache-2.0
// tests/api/failing_memory_support.h: makes one allocation of this thread fail, or all from one on.
// The program's own malloc and its relatives stand in front of the C library's, so what libtenon,
// its plugins and operator new ask for is seen. Not under sanitizers, which do the same.
#pragma once

#include <tenon/plugin.h>

#if TENON_SANITIZER_BUILT == TENON_SANITIZER_NONE
#define TENON_TESTS_FAILING_MEMORY 1

#include <cstdint>

namespace tenon::tests {

struct FailurePlan {
  const char* name;
  bool device;   // counts only aligned memory, which is what host backends ask for
  bool forever;  // all that follow fail as well
};
inline constexpr FailurePlan kFailurePlans[] = {{"one allocation", false, false},
                                                {"every later allocation", false, true},
                                                {"one device allocation", true, false},
                                                {"every later device allocation", true, true}};

// From construction to destruction, on this thread: allocation number `index`, from 0, fails.
class FailingMemory {
 public:
  FailingMemory(const FailurePlan& plan, uint64_t index) noexcept;
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  static bool has_failed() noexcept;  // since the last construction, on this thread
};

}  // namespace tenon::tests

#endif
