// SPDX-License-Identifier: Apache-2.0
// tests/core/allocator_test.cc: reuse, figures, limit and recovery of the caching allocator.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/core/allocator_support.h"

namespace tenon::tests {
namespace {

using tenon::OutOfMemory;
using tenon::memory::Block;
using tenon::memory::CachingAllocator;
using tenon::memory::Source;
using tenon::memory::Stats;

TEST(Allocator, RoundsToSizeClassesWithinAQuarter) {
  EXPECT_EQ(CachingAllocator::size_for(0).capacity, 64u);
  EXPECT_EQ(CachingAllocator::size_for(1).capacity, 64u);
  EXPECT_EQ(CachingAllocator::size_for(64).capacity, 64u);
  EXPECT_EQ(CachingAllocator::size_for(65).capacity, 128u);
  EXPECT_EQ(CachingAllocator::size_for(257).capacity, 320u);
  EXPECT_EQ(CachingAllocator::size_for(1025).capacity, 1280u);
  EXPECT_EQ(CachingAllocator::size_for(uint64_t{1} << 62).capacity, uint64_t{1} << 62);
  EXPECT_EQ(CachingAllocator::size_for((uint64_t{1} << 62) + 1).capacity, 0u);
  EXPECT_EQ(CachingAllocator::size_for(~uint64_t{0}).capacity, 0u);
  std::mt19937_64 random(7);
  RecordProperty("seed", 7);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bytes = (random() >> (random() % 55 + 2)) + 1;
    const uint64_t rounded = CachingAllocator::size_for(bytes).capacity;
    ASSERT_GE(rounded, bytes);
    ASSERT_EQ(rounded % 64, 0u) << bytes;
    ASSERT_EQ(CachingAllocator::size_for(rounded).capacity, rounded) << bytes;
    if (bytes > 256) {
      ASSERT_LE(rounded - bytes, bytes / 4) << bytes;
    } else {
      ASSERT_LT(rounded - bytes, 64u) << bytes;
    }
  }
}

TEST(Allocator, EveryClassKeepsItsOwnBlocks) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  std::vector<Block> blocks;
  for (uint64_t bytes = 1; bytes != 0 && bytes < (uint64_t{1} << 50);) {
    const Block block = allocator.allocate(bytes);
    ASSERT_GE(block.capacity, bytes);
    blocks.push_back(block);
    bytes = block.capacity + 1;
  }
  ASSERT_GT(blocks.size(), 160u);
  for (const Block& block : blocks) allocator.release(block);
  for (const Block& block : blocks) {
    EXPECT_EQ(allocator.allocate(block.capacity).data, block.data);
  }
  EXPECT_EQ(allocator.stats().raw_allocations, blocks.size());
  for (const Block& block : blocks) allocator.release(block);
}

TEST(Allocator, ReusesABlockOfTheSameClassOnly) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  const Block first = allocator.allocate(1000);
  EXPECT_EQ(first.capacity, 1024u);
  allocator.release(first);
  const Block again = allocator.allocate(900);
  EXPECT_EQ(again.data, first.data);
  const Block other = allocator.allocate(1025);
  EXPECT_NE(other.data, first.data);
  EXPECT_EQ(allocator.stats().raw_allocations, 2u);
  allocator.release(again);
  allocator.release(other);
}

TEST(Allocator, EmptyRequestsGetBlocksOfTheirOwn) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  const Block a = allocator.allocate(0);
  const Block b = allocator.allocate(0);
  EXPECT_NE(a.data, nullptr);
  EXPECT_NE(a.data, b.data);
  EXPECT_EQ(a.capacity, 64u);
  allocator.release(a);
  allocator.release(b);
  allocator.release(Block{});
  EXPECT_EQ(allocator.stats().live_blocks, 0u);
}

TEST(Allocator, CountsWhatItHolds) {
  TestSource memory;
  {
    CachingAllocator allocator(memory.source(), 0);
    const Block a = allocator.allocate(100);
    const Block b = allocator.allocate(1000);
    Stats stats = allocator.stats();
    EXPECT_EQ(stats.live_bytes, 128u + 1024u);
    EXPECT_EQ(stats.peak_bytes, 1152u);
    EXPECT_EQ(stats.reserved_bytes, 1152u);
    EXPECT_EQ(stats.live_blocks, 2u);
    allocator.release(b);
    stats = allocator.stats();
    EXPECT_EQ(stats.live_bytes, 128u);
    EXPECT_EQ(stats.peak_bytes, 1152u);
    EXPECT_EQ(stats.reserved_bytes, 1152u);
    EXPECT_EQ(stats.live_blocks, 1u);
    EXPECT_EQ(stats.allocations, 2u);
    EXPECT_EQ(stats.raw_allocations, 2u);
    allocator.trim();
    EXPECT_EQ(allocator.stats().reserved_bytes, 128u);
    EXPECT_EQ(memory.held(), 128u);
    allocator.release(a);
    EXPECT_EQ(memory.held(), 128u);
  }
  EXPECT_EQ(memory.held(), 0u);
}

TEST(Allocator, LimitCountsLiveBytesAndTheCacheGivesWay) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 4096);
  const Block a = allocator.allocate(2048);
  const Block b = allocator.allocate(1024);
  allocator.release(b);
  // 2048 live and 1024 cached: a request of 2048 fits only without the cache.
  const Block c = allocator.allocate(2048);
  EXPECT_EQ(allocator.stats().reserved_bytes, 4096u);
  EXPECT_LE(memory.held(), 4096u);
  try {
    allocator.allocate(1);
    FAIL() << "the limit was exceeded";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.bytes, 1u);
  }
  EXPECT_EQ(allocator.stats().live_bytes, 4096u);
  EXPECT_EQ(memory.refusals(), 0u);
  allocator.set_limit(8192);
  const Block d = allocator.allocate(1);
  allocator.release(a);
  allocator.release(c);
  allocator.set_limit(2048 + 64);
  EXPECT_LE(allocator.stats().reserved_bytes, 2048u + 64u);
  EXPECT_GE(allocator.stats().reserved_bytes, 64u);
  allocator.set_limit(0);
  const Block e = allocator.allocate(kMiB);
  allocator.release(d);
  allocator.release(e);
}

TEST(Allocator, OnlyAsMuchCacheAsNeededGivesWayToTheLimit) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 10240);
  std::vector<Block> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(allocator.allocate(1024));
  const Block large = allocator.allocate(4096);
  for (const Block& block : blocks) allocator.release(block);
  allocator.release(large);
  memory.record_ = true;
  // 512 bytes too many: the smallest block that is enough goes. Then 6656 are: all of them.
  const Block next = allocator.allocate(2560);
  EXPECT_EQ(memory.freed_sizes, std::vector<uint64_t>{1024});
  const Block most = allocator.allocate(7168);
  EXPECT_EQ(memory.freed_sizes, (std::vector<uint64_t>{1024, 1024, 1024, 1024, 4096}));
  allocator.release(next);
  allocator.release(most);
}

TEST(Allocator, ARefusingSourceIsTriedAgainWithoutTheCache) {
  TestSource memory(100 * kMiB);
  memory.record_ = true;
  CachingAllocator allocator(memory.source(), 0);
  const Block small = allocator.allocate(kMiB);
  const Block large = allocator.allocate(80 * kMiB);
  allocator.release(small);
  allocator.release(large);
  // Giving back the large block is enough; the small one stays cached.
  const Block next = allocator.allocate(48 * kMiB);
  EXPECT_EQ(memory.freed_sizes, std::vector<uint64_t>{80 * kMiB});
  EXPECT_EQ(memory.refusals(), 1u);
  EXPECT_EQ(allocator.allocate(kMiB).data, small.data);
  allocator.release(small);
  allocator.release(next);
  // Only giving back everything is enough: 12 small blocks are in the way of 96 MiB of 100.
  std::vector<Block> many;
  for (int i = 0; i < 12; ++i) many.push_back(allocator.allocate(kMiB));
  for (const Block& block : many) allocator.release(block);
  const Block most = allocator.allocate(96 * kMiB);
  EXPECT_EQ(memory.held(), 96 * kMiB);
  EXPECT_EQ(allocator.stats().reserved_bytes, memory.held());
  allocator.release(most);
}

TEST(Allocator, SurvivesRunningOutOfMemory) {
  TestSource memory(kMiB);
  CachingAllocator allocator(memory.source(), 0);
  const Block kept = allocator.allocate(512 << 10);
  for (int i = 0; i < 3; ++i) {
    try {
      allocator.allocate(kMiB);
      FAIL() << "the source has no memory for this";
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.bytes, kMiB);
    }
    EXPECT_THROW(allocator.allocate(~uint64_t{0}), OutOfMemory);
  }
  const Stats stats = allocator.stats();
  EXPECT_EQ(stats.live_blocks, 1u);
  EXPECT_EQ(stats.live_bytes, stats.reserved_bytes);
  EXPECT_EQ(stats.peak_bytes, kept.capacity);
  const Block fits = allocator.allocate(256 << 10);
  allocator.release(fits);
  allocator.release(kept);
}

TEST(Allocator, DoesNotGrowOverManyCycles) {
  TestSource memory;
  CachingAllocator allocator(memory.source(), 0);
  std::mt19937_64 random(11);
  RecordProperty("seed", 11);
  std::vector<Block> live;
  uint64_t raw_after_start = 0;
  for (int cycle = 0; cycle < 100000; ++cycle) {
    for (uint64_t i = 0; i < 3; ++i) live.push_back(allocator.allocate(100 + 700 * i));
    std::shuffle(live.begin(), live.end(), random);
    for (const Block& block : live) allocator.release(block);
    live.clear();
    if (cycle == 0) raw_after_start = allocator.stats().raw_allocations;
  }
  const Stats stats = allocator.stats();
  EXPECT_EQ(stats.raw_allocations, raw_after_start);
  EXPECT_EQ(stats.live_blocks, 0u);
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_EQ(stats.allocations, 300000u);
}

TEST(Allocator, KeepsRealBlocksAlignedAndApart) {
  const Source heap{nullptr,
                    [](void*, uint64_t bytes, void** out) {
                      *out = ::aligned_alloc(64, bytes);
                      return *out != nullptr;
                    },
                    [](void*, void* data, uint64_t) { ::free(data); }};
  CachingAllocator allocator(heap, 0);
  std::vector<Block> blocks;
  std::set<void*> addresses;
  for (uint64_t bytes = 0; bytes < 3000; bytes += 37) {
    const Block block = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 64, 0u);
    memset(block.data, 0xa5, block.capacity);
    EXPECT_TRUE(addresses.insert(block.data).second);
    blocks.push_back(block);
  }
  for (const Block& block : blocks) allocator.release(block);
}

TEST(AllocatorThreads, ManyThreadsShareOneAllocator) {
  TestSource memory(64 * kMiB);
  CachingAllocator allocator(memory.source(), 48 * kMiB);
  std::atomic<uint64_t> refused{0};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      std::vector<Block> mine;
      for (int i = 0; i < 4000; ++i) {
        if (mine.size() > 20 || (!mine.empty() && random() % 2 == 0)) {
          std::swap(mine[random() % mine.size()], mine.back());
          allocator.release(mine.back());
          mine.pop_back();
          continue;
        }
        try {
          mine.push_back(allocator.allocate(random() % (2 * kMiB)));
        } catch (const OutOfMemory&) {
          refused.fetch_add(1);
        }
        if (random() % 256 == 0) allocator.trim();
      }
      for (const Block& block : mine) allocator.release(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Stats stats = allocator.stats();
  EXPECT_EQ(stats.live_blocks, 0u);
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_LE(stats.peak_bytes, 48 * kMiB);
  EXPECT_EQ(stats.reserved_bytes, memory.held());
  allocator.trim();
  EXPECT_EQ(memory.held(), 0u);
}

}  // namespace
}  // namespace tenon::tests
