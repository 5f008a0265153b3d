// SPDX-License-Identifier: Apache-2.0
// tests/core/allocator_bound_test.cc: how much memory that nobody uses the caching allocator keeps,
// and what it computes with while the source is being asked.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/core/allocator_support.h"

namespace tenon::tests {
namespace {

using tenon::OutOfMemory;
using tenon::memory::Block;
using tenon::memory::CachingAllocator;
using tenon::memory::Stats;

// ---- What is kept
// --------------------------------------------------------------------------------

// One request after another, with what is promised of the figures after each.
class Bounded {
 public:
  Block take(uint64_t bytes) {
    const Block block = allocator.allocate(bytes);
    judge();
    return block;
  }
  void judge() {
    const Stats stats = allocator.stats();
    EXPECT_LE(stats.reserved_bytes, stats.peak_bytes + stats.peak_bytes / 4 + 64 * kMiB);
    EXPECT_EQ(stats.reserved_bytes, memory.held());
  }
  uint64_t raw() const { return allocator.stats().raw_allocations; }

  TestSource memory;
  CachingAllocator allocator{memory.source(), 0};
};

TEST(AllocatorBound, OneTensorThatGrowsAndShrinksKeepsLittle) {
  Bounded bounded;
  const auto one_after_another = [&](int from, int to) {
    for (int size = from; size != to; size += from < to ? 1 : -1) {
      bounded.allocator.release(bounded.take(static_cast<uint64_t>(size) * kMiB));
    }
  };
  one_after_another(1, 300);
  EXPECT_EQ(bounded.allocator.stats().peak_bytes, 320 * kMiB);
  one_after_another(300, 0);
  for (int tooth = 0; tooth < 3; ++tooth) one_after_another(1, 300);
  // The next one is made while the one before is alive.
  Block before = bounded.take(kMiB);
  for (uint64_t size = 2; size <= 300; ++size) {
    const Block next = bounded.take(size * kMiB);
    bounded.allocator.release(before);
    before = next;
  }
  bounded.allocator.release(before);
}

TEST(AllocatorBound, ManySizesKeepLittle) {
  Bounded bounded;
  std::mt19937_64 random(13);
  RecordProperty("seed", 13);
  std::vector<Block> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() > 40 || (!live.empty() && random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      bounded.allocator.release(live.back());
      live.pop_back();
    } else {
      live.push_back(bounded.take(random() >> (36 + random() % 24)));
    }
  }
  for (const Block& block : live) bounded.allocator.release(block);
}

TEST(AllocatorBound, ManySmallBlocksGiveWayToALargeOne) {
  Bounded bounded;
  std::vector<Block> live;
  for (int i = 0; i < 3000; ++i) live.push_back(bounded.take(48 * 1024));
  for (const Block& block : live) bounded.allocator.release(block);
  const uint64_t before = bounded.memory.held();
  const Block large = bounded.take(112 * kMiB);
  EXPECT_LT(bounded.memory.held(), before + large.capacity);
  bounded.allocator.release(large);
}

// What a training step asks for again and again is kept, where it fits the bound.
TEST(AllocatorBound, StepsThatRepeatAskTheSourceOnce) {
  Bounded bounded;
  uint64_t after_first = 0;
  for (int step = 0; step < 50; ++step) {
    std::vector<Block> live;
    for (uint64_t i = 1; i <= 40; ++i) live.push_back(bounded.take(i * kMiB));
    for (const Block& block : live) bounded.allocator.release(block);
    for (uint64_t i = 1; i <= 40; ++i) bounded.allocator.release(bounded.take(i * kMiB));
    if (step == 0) after_first = bounded.raw();
  }
  EXPECT_EQ(bounded.raw(), after_first);
}

// What a plan keeps long: no more than it needs, instead of what was cached, and of no use to
// others.
TEST(AllocatorBound, ExactBlocksTakeWhatTheyNeedAndServeTheirLike) {
  Bounded bounded;
  CachingAllocator& allocator = bounded.allocator;
  const uint64_t bytes = 9 * kMiB + 100;
  allocator.release(bounded.take(10 * kMiB));
  const Block exact = allocator.allocate(CachingAllocator::exact_size(bytes));
  EXPECT_EQ(exact.capacity, 9 * kMiB + 128);
  EXPECT_EQ(bounded.memory.held(), exact.capacity);
  EXPECT_EQ(allocator.stats().live_bytes, exact.capacity);
  allocator.release(exact);
  const Block other = bounded.take(9 * kMiB);
  EXPECT_NE(other.data, exact.data);
  const Block longer = allocator.allocate(CachingAllocator::exact_size(bytes + 100));
  EXPECT_NE(longer.data, exact.data);
  const Block again = allocator.allocate(CachingAllocator::exact_size(bytes));
  allocator.release(other);
  allocator.release(longer);
  allocator.release(again);
  allocator.trim();
  EXPECT_EQ(bounded.memory.held(), 0u);
  EXPECT_EQ(CachingAllocator::exact_size(0).capacity, 64u);
  EXPECT_THROW(allocator.allocate(CachingAllocator::exact_size(~uint64_t{0})), OutOfMemory);
}

// Two sizes by turns, more together than may be kept: the larger block serves both.
TEST(AllocatorBound, ABlockOfTheNextClassServesWhereTheBoundIsReached) {
  Bounded bounded;
  for (int turn = 0; turn < 10; ++turn) {
    bounded.allocator.release(bounded.take(300 * kMiB));
    bounded.allocator.release(bounded.take(256 * kMiB));
  }
  EXPECT_EQ(bounded.raw(), 1u);
  EXPECT_EQ(bounded.allocator.stats().peak_bytes, 320 * kMiB);
  // Not where what it has too much would raise the peak.
  const Block small = bounded.take(128 * kMiB);
  const Block other = bounded.take(256 * kMiB);
  EXPECT_EQ(other.capacity, 256 * kMiB);
  bounded.allocator.release(small);
  bounded.allocator.release(other);
}

TEST(AllocatorBound, TrimGivesBackWhatIsNotLive) {
  Bounded bounded;
  const Block kept = bounded.take(kMiB);
  for (const uint64_t size : {2, 3, 5}) bounded.allocator.release(bounded.take(size * kMiB));
  EXPECT_EQ(bounded.allocator.trim(), 10 * kMiB);
  EXPECT_EQ(bounded.memory.held(), kMiB);
  EXPECT_EQ(bounded.allocator.trim(), 0u);
  bounded.allocator.release(kept);
}

// A request that the source has not answered yet, held there for as long as wanted.
class Pending {
 public:
  Pending(TestSource& memory, CachingAllocator& allocator, uint64_t bytes) : allocator_(allocator) {
    memory.before_answer = [this, bytes](uint64_t asked) {
      if (asked != bytes) return;
      entered_ = true;
      while (!open_) std::this_thread::yield();
    };
    thread_ = std::thread([this, bytes] { block_ = allocator_.allocate(bytes); });
    while (!entered_) std::this_thread::yield();
  }
  ~Pending() {
    answer();
    allocator_.release(block_);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  void answer() {
    open_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  CachingAllocator& allocator_;
  std::atomic<bool> entered_{false};
  std::atomic<bool> open_{false};
  Block block_;
  std::thread thread_;
};

TEST(AllocatorBoundThreads, TheLimitCountsWhatTheSourceWasAskedFor) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 10 * kMiB);
  const Pending pending(memory, allocator, 6 * kMiB);
  EXPECT_THROW(allocator.allocate(5 * kMiB), OutOfMemory);
  allocator.release(allocator.allocate(4 * kMiB));
  EXPECT_EQ(memory.most_held(), 10 * kMiB);
}

TEST(AllocatorBoundThreads, TheCacheGivesWayToWhatTheSourceWasAskedFor) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 10 * kMiB);
  allocator.release(allocator.allocate(3 * kMiB));
  const Pending pending(memory, allocator, 6 * kMiB);
  // 6 are pending and 3 cached: 2 more fit without the cache alone.
  allocator.release(allocator.allocate(2 * kMiB));
  EXPECT_LE(memory.most_held(), 10 * kMiB);
}

TEST(AllocatorBoundThreads, WhatIsReleasedMeanwhileIsNotKeptBesides) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  const Block large = allocator.allocate(320 * kMiB);
  Pending pending(memory, allocator, 256 * kMiB);
  allocator.release(large);
  pending.answer();
  const Stats stats = allocator.stats();
  EXPECT_EQ(stats.peak_bytes, 320 * kMiB);
  EXPECT_LE(stats.reserved_bytes, 464 * kMiB);
  EXPECT_EQ(stats.reserved_bytes, memory.held());
}

TEST(AllocatorBoundThreads, ManyThreadsKeepLittle) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < 3000; ++i) {
        const Block first = allocator.allocate(random() % (300 * kMiB));
        allocator.release(allocator.allocate(random() % (100 * kMiB)));
        allocator.release(first);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Stats stats = allocator.stats();
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_EQ(stats.reserved_bytes, memory.held());
  EXPECT_LE(stats.reserved_bytes, stats.peak_bytes + stats.peak_bytes / 4 + 64 * kMiB);
}

}  // namespace
}  // namespace tenon::tests
