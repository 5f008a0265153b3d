// SPDX-License-Identifier: Apache-2.0
// tests/core/allocator_support.h: a source of memory that counts, refuses and can be held up.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <vector>

#include "core/memory/allocator.h"

namespace tenon::tests {

inline constexpr uint64_t kMiB = uint64_t{1} << 20;

// A source on the heap with a budget. Large blocks are only pretended, so that tests need no
// memory: the allocator must never touch a block.
class TestSource {
 public:
  explicit TestSource(uint64_t budget = ~uint64_t{0}) : budget_(budget) {}

  memory::Source source() {
    return memory::Source{this,
                          [](void* self, uint64_t bytes, void** out) {
                            return static_cast<TestSource*>(self)->alloc(bytes, out);
                          },
                          [](void* self, void* data, uint64_t bytes) {
                            static_cast<TestSource*>(self)->free(data, bytes);
                          }};
  }

  uint64_t held() const { return held_.load(); }
  uint64_t most_held() const { return most_held_.load(); }
  uint64_t refusals() const { return refusals_.load(); }
  std::vector<uint64_t> freed_sizes;

 private:
  bool alloc(uint64_t bytes, void** out) {
    EXPECT_EQ(bytes % 64, 0u);
    const uint64_t held = held_.fetch_add(bytes) + bytes;
    if (held > budget_) {
      held_.fetch_sub(bytes);
      refusals_.fetch_add(1);
      return false;
    }
    for (uint64_t most = most_held_;
         most < held && !most_held_.compare_exchange_weak(most, held);) {
    }
    if (before_answer) before_answer(bytes);
    *out = reinterpret_cast<void*>(next_.fetch_add((bytes + 4095) / 4096 * 4096));
    return true;
  }

  void free(void*, uint64_t bytes) {
    held_.fetch_sub(bytes);
    if (record_) freed_sizes.push_back(bytes);
  }

 public:
  bool record_ = false;
  std::function<void(uint64_t)> before_answer;  // is called with the bytes that were asked for

 private:
  const uint64_t budget_;
  std::atomic<uint64_t> held_{0};
  std::atomic<uint64_t> most_held_{0};
  std::atomic<uint64_t> refusals_{0};
  std::atomic<uintptr_t> next_{4096};
};

}  // namespace tenon::tests
