// SPDX-License-Identifier: Apache-2.0
// tests/core/pool_test.cc: chunks, nesting, concurrent callers, fork, limits of the compute pool.
#include "core/threads/pool.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using tenon::threads::cgroup_cpu_quota;
using tenon::threads::Pool;

// Runs a C++ callable as a body.
template <class F>
bool run(Pool& pool, int64_t n, int64_t grain, F body) {
  return pool.run(
      n, grain,
      [](void* user, int64_t begin, int64_t end, int64_t chunk) {
        (*static_cast<F*>(user))(begin, end, chunk);
      },
      &body);
}

using Chunk = std::tuple<int64_t, int64_t, int64_t>;

std::set<Chunk> chunks_of(Pool& pool, int64_t n, int64_t grain) {
  std::mutex mutex;
  std::set<Chunk> chunks;
  run(pool, n, grain, [&](int64_t begin, int64_t end, int64_t chunk) {
    const std::lock_guard<std::mutex> guard(mutex);
    EXPECT_TRUE(chunks.insert({chunk, begin, end}).second);
  });
  return chunks;
}

TEST(PoolThreads, VisitsEveryIndexOnce) {
  for (int32_t size : {1, 2, 3, 4}) {
    Pool pool(size);
    EXPECT_EQ(pool.size(), size);
    for (int64_t n : {0, 1, 2, 3, 7, 64, 65, 1000, 4097}) {
      for (int64_t grain : {1, 2, 3, 64, 1000, 100000}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
        ASSERT_TRUE(run(pool, n, grain, [&](int64_t begin, int64_t end, int64_t chunk) {
          EXPECT_EQ(begin, chunk * grain);
          EXPECT_LE(end, n);
          for (int64_t i = begin; i < end; ++i) {
            visits[static_cast<size_t>(i)].fetch_add(1, std::memory_order_relaxed);
          }
        }));
        for (const auto& count : visits) {
          ASSERT_EQ(count.load(), 1) << "size " << size << " n " << n << " grain " << grain;
        }
      }
    }
  }
}

TEST(PoolThreads, ChunksDependOnTheWorkAlone) {
  Pool one(1);
  Pool two(2);
  Pool five(5);
  for (int64_t n : {1, 10, 63, 64, 1001}) {
    for (int64_t grain : {1, 3, 64}) {
      const std::set<Chunk> expected = chunks_of(one, n, grain);
      EXPECT_EQ(expected.size(), static_cast<size_t>((n + grain - 1) / grain));
      EXPECT_EQ(chunks_of(two, n, grain), expected);
      EXPECT_EQ(chunks_of(five, n, grain), expected);
    }
  }
}

TEST(PoolThreads, RangesNearTheEndOfTheIntegersDoNotOverflow) {
  Pool pool(2);
  const int64_t most = std::numeric_limits<int64_t>::max();
  const std::set<Chunk> chunks = chunks_of(pool, most, most / 2 + 1);
  const std::set<Chunk> expected{{0, 0, most / 2 + 1}, {1, most / 2 + 1, most}};
  EXPECT_EQ(chunks, expected);
}

TEST(PoolThreads, RefusesSenselessArguments) {
  Pool pool(2);
  const auto never = [](int64_t, int64_t, int64_t) { ADD_FAILURE(); };
  EXPECT_FALSE(run(pool, -1, 1, never));
  EXPECT_FALSE(run(pool, 5, 0, never));
  EXPECT_FALSE(run(pool, 5, -3, never));
  EXPECT_FALSE(pool.run(5, 1, nullptr, nullptr));
  EXPECT_TRUE(run(pool, 0, 1, never));
}

TEST(PoolThreads, UsesSeveralThreadsAndPublishesTheirWrites) {
  Pool pool(2);
  // The first chunk waits until another thread has begun one: only a partner can end the wait.
  std::atomic<int> begun{0};
  std::vector<int64_t> plain(2, 0);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  run(pool, 2, 1, [&](int64_t begin, int64_t, int64_t chunk) {
    begun.fetch_add(1);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (begun.load() < 2 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    plain[static_cast<size_t>(chunk)] = begin + 1;
    const std::lock_guard<std::mutex> guard(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
  EXPECT_EQ(plain, (std::vector<int64_t>{1, 2}));
}

TEST(PoolThreads, AnAbsentPartnersShareIsClaimed) {
  Pool pool(2);
  // One participant is held in its first chunk until all others are done, its own share included.
  std::atomic<int> done{0};
  std::atomic<bool> holding{false};
  run(pool, 100, 1, [&](int64_t, int64_t, int64_t) {
    if (!holding.exchange(true)) {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (done.load() < 99 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
      }
      EXPECT_EQ(done.load(), 99);
    }
    done.fetch_add(1);
  });
  EXPECT_EQ(done.load(), 100);
}

TEST(PoolThreads, NestedCallsStayOnTheirThread) {
  Pool pool(4);
  std::atomic<int64_t> sum{0};
  for (int repeat = 0; repeat < 50; ++repeat) {
    run(pool, 16, 1, [&](int64_t, int64_t, int64_t) {
      const std::thread::id outer = std::this_thread::get_id();
      run(pool, 100, 7, [&](int64_t begin, int64_t end, int64_t) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        sum.fetch_add(end - begin);
      });
    });
  }
  EXPECT_EQ(sum.load(), 50 * 16 * 100);
}

TEST(PoolThreads, ConcurrentCallersNeverBlockEachOther) {
  Pool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&pool] {
      for (int64_t turn = 0; turn < 400; ++turn) {
        std::atomic<int64_t> sum{0};
        const int64_t n = 1 + turn % 97;
        run(pool, n, 3, [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t i = begin; i < end; ++i) sum.fetch_add(i);
        });
        ASSERT_EQ(sum.load(), n * (n - 1) / 2);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(PoolThreads, ABusyPoolServesAnotherCallerSerially) {
  Pool pool(2);
  std::atomic<bool> second_done{false};
  std::atomic<bool> first_inside{false};
  std::thread second([&] {
    while (!first_inside.load()) std::this_thread::yield();
    const std::thread::id self = std::this_thread::get_id();
    run(pool, 10, 1,
        [&](int64_t, int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
    second_done.store(true);
  });
  run(pool, 2, 1, [&](int64_t, int64_t, int64_t chunk) {
    if (chunk != 0) return;
    first_inside.store(true);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!second_done.load() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(second_done.load()) << "the second caller was made to wait";
  });
  second.join();
}

TEST(PoolThreads, LimitNarrowsAndLifts) {
  Pool pool(4);
  const auto threads_used = [&] {
    std::mutex mutex;
    std::set<std::thread::id> ids;
    run(pool, 64, 1, [&](int64_t, int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const std::lock_guard<std::mutex> guard(mutex);
      ids.insert(std::this_thread::get_id());
    });
    return ids;
  };
  EXPECT_GT(threads_used().size(), 1u);
  pool.set_limit(1);
  EXPECT_EQ(threads_used(), std::set<std::thread::id>{std::this_thread::get_id()});
  pool.set_limit(2);
  for (int i = 0; i < 10; ++i) EXPECT_LE(threads_used().size(), 2u);
  pool.set_limit(0);
  // On a busy machine a partner may have been late, and the caller is alone for up to a second.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::set<std::thread::id> last = threads_used();
  while (last.size() == 1 && std::chrono::steady_clock::now() < deadline) last = threads_used();
  EXPECT_GT(last.size(), 1u);
  EXPECT_LE(last.size(), 4u);
}

TEST(PoolThreads, LimitChangesWhileOthersRun) {
  Pool pool(4);
  std::atomic<int> running{3};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::vector<int> visits(256, 0);  // plain: each belongs to one chunk
        run(pool, 256, 8, [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t at = begin; at < end; ++at) ++visits[static_cast<size_t>(at)];
        });
        EXPECT_EQ(visits, std::vector<int>(256, 1));
      }
      --running;
    });
  }
  for (int32_t limit = 0; running > 0; limit = (limit + 1) % 6) {
    pool.set_limit(limit);
    EXPECT_EQ(pool.threads(), limit == 0 || limit > 4 ? 4 : limit);
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(PoolThreads, SerialCallsKeepToTheirCaller) {
  Pool pool(4);
  const std::thread::id self = std::this_thread::get_id();
  std::set<Chunk> chunks;
  auto note = [&](int64_t begin, int64_t end, int64_t chunk) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_TRUE(chunks.insert({chunk, begin, end}).second);
  };
  const auto body = [](void* user, int64_t begin, int64_t end, int64_t chunk) {
    (*static_cast<decltype(note)*>(user))(begin, end, chunk);
  };
  EXPECT_TRUE(pool.run(1000, 7, body, &note, true));
  EXPECT_EQ(chunks, chunks_of(pool, 1000, 7));
  EXPECT_FALSE(pool.run(-1, 7, body, &note, true));
}

// One chunk each: the partner's lasts `late`, the caller's until the partner has begun. Returns
// whether there was a partner.
bool run_with_late_partner(Pool& pool, std::chrono::milliseconds late) {
  const std::thread::id self = std::this_thread::get_id();
  std::atomic<bool> partner{false};
  std::atomic<int> mine{0};
  run(pool, 2, 1, [&](int64_t, int64_t, int64_t) {
    if (std::this_thread::get_id() != self) {
      partner.store(true);
      std::this_thread::sleep_for(late);
      return;
    }
    // The first of both chunks waits a little for somebody to take the other.
    if (mine.fetch_add(1) > 0) return;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!partner.load() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  return partner.load();
}

TEST(PoolThreads, ALatePartnerLeavesTheCallerAloneForAWhile) {
  Pool pool(2);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto late = [&] {
    while (!run_with_late_partner(pool, std::chrono::milliseconds(100))) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "never had a partner";
    }
  };
  late();
  const auto first = std::chrono::steady_clock::now();
  // Alone at once, and no longer after a while.
  EXPECT_FALSE(run_with_late_partner(pool, std::chrono::milliseconds(0)) &&
               std::chrono::steady_clock::now() - first < std::chrono::milliseconds(40));
  late();
  const auto again = std::chrono::steady_clock::now();
  EXPECT_GE(again - first, std::chrono::milliseconds(50));
  // The second time is longer: at least until 80 of the 100 ms are over.
  EXPECT_FALSE(run_with_late_partner(pool, std::chrono::milliseconds(0)) &&
               std::chrono::steady_clock::now() - again < std::chrono::milliseconds(80));
}

TEST(PoolThreads, ManyShortCallsAfterSleepAndWithout) {
  Pool pool(3);
  int64_t total = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    std::atomic<int64_t> sum{0};
    run(pool, 6, 1, [&](int64_t begin, int64_t, int64_t) { sum.fetch_add(begin); });
    total += sum.load();
    if (turn % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(total, 3000 * 15);
}

TEST(PoolThreads, IsDestroyedWhetherItsWorkersSpinSleepOrNeverWere) {
  for (int i = 0; i < 50; ++i) {
    Pool unused(4);
    Pool used(4);
    std::atomic<int> count{0};
    run(used, 8, 1, [&](int64_t, int64_t, int64_t) { count.fetch_add(1); });
    EXPECT_EQ(count.load(), 8);
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

TEST(PoolThreads, AChildMadeByForkRunsSerially) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not support fork in a program with threads";
#else
  auto pool = std::make_unique<Pool>(3);
  auto unused = std::make_unique<Pool>(3);
  std::atomic<int> before{0};
  run(*pool, 30, 1, [&](int64_t, int64_t, int64_t) { before.fetch_add(1); });
  ASSERT_EQ(before.load(), 30);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Neither the workers that were lost nor new ones take part.
    std::atomic<int> count{0};
    std::atomic<bool> alone{true};
    const std::thread::id self = std::this_thread::get_id();
    for (Pool* inherited : {pool.get(), unused.get()}) {
      run(*inherited, 100, 3, [&](int64_t begin, int64_t end, int64_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        if (std::this_thread::get_id() != self) alone.store(false);
        count.fetch_add(static_cast<int>(end - begin));
      });
    }
    pool.reset();
    unused.reset();
    _exit(alone.load() && count.load() == 200 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::atomic<int> after{0};
  run(*pool, 30, 1, [&](int64_t, int64_t, int64_t) { after.fetch_add(1); });
  EXPECT_EQ(after.load(), 30);
#endif
}

TEST(PoolThreads, AutomaticSizeIsWhatTheProcessMayUse) {
  EXPECT_GE(Pool::available(), 1);
  EXPECT_LE(Pool::available(), static_cast<int32_t>(sysconf(_SC_NPROCESSORS_CONF)));
  EXPECT_EQ(Pool(0).size(), Pool::available());
  EXPECT_EQ(Pool(-4).size(), Pool::available());
  EXPECT_EQ(Pool(1000000).size(), 1024);
}

class PoolCgroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tenon_cgroup_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(PoolCgroups, VersionTwoTakesTheTightestOfAllLevels) {
  put("/a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota("0::/a/b\n", root_), 4);
  put("/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota("0::/a/b\n", root_), 2);
  put("/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_quota("0::/a/b\n", root_), 2);
  EXPECT_EQ(cgroup_cpu_quota("0::/\n", root_), 0);
  put("/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota("0::/a/b\n", root_), 1);
  EXPECT_EQ(cgroup_cpu_quota("0::/not/visible/here\n", root_), 1);
}

TEST_F(PoolCgroups, VersionOneReadsTheCpuController) {
  put("/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  put("/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  put("/memory/job/cpu.cfs_quota_us", "1\n");
  const std::string text = "9:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/other\n";
  EXPECT_EQ(cgroup_cpu_quota(text, root_), 3);
  put("/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroup_cpu_quota(text, root_), 0);
  put("/cpu/cpu.cfs_quota_us", "100000\n");
  put("/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota("1:cpu:/elsewhere\n0::/\n", root_), 1);
}

TEST_F(PoolCgroups, NonsenseIsNoLimit) {
  put("/cpu.max", "banana");
  EXPECT_EQ(cgroup_cpu_quota("0::/\n", root_), 0);
  EXPECT_EQ(cgroup_cpu_quota("", root_), 0);
  EXPECT_EQ(cgroup_cpu_quota("no colons at all\n\n:\n1:cpu", root_), 0);
  put("/cpu.max", "100000 0\n");
  EXPECT_EQ(cgroup_cpu_quota("0::/\n", root_), 0);
}

}  // namespace
