// SPDX-License-Identifier: Apache-2.0
// core/threads/pool.h: the one compute pool of a runtime, lent to every plugin.
//
// Work is cut by its size alone: chunk c of run(n, grain) is [c * grain, min(n, (c + 1) * grain))
// for any number of threads, so results that combine per chunk have the same bits everywhere. A
// body learns its chunk and never a thread id or count.
//
// Each participant owns a contiguous share of the chunks and, when done, claims what an absent
// partner left. The pool never blocks a caller: while it serves one caller (or when called from one
// of its own bodies) any other call runs all its chunks on its own thread.
//
// Beside a busy neighbour a partner may lose its processor in the middle of a chunk, and then every
// call would wait for a time slice. A caller that had to wait so long runs later calls alone, for a
// while that doubles each time it happens again.
#pragma once

#include <pthread.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/no_copy.h"

namespace tenon::threads {

class Pool : NoCopy {
 public:
  // Must not throw. `begin`, `end` are indices of the range, `chunk` is begin / grain.
  using Body = void (*)(void* user, int64_t begin, int64_t end, int64_t chunk);

  // `requested` counts the caller's thread; 0 or less means available(). Starts no thread yet: the
  // first call that has work for two does.
  [[gnu::cold]] explicit Pool(int32_t requested);

  // No call may be running. In a child made by fork, where the workers do not exist, joins nothing.
  [[gnu::cold]] ~Pool();

  // The most threads a call can use, its caller included; at least 1.
  int32_t size() const noexcept { return size_; }
  // Those that later calls do use.
  int32_t threads() const noexcept {
    const int32_t limit = limit_.load(std::memory_order_relaxed);
    return limit > 0 && limit < size_ ? limit : size_;
  }

  // Runs every chunk of [0, n) once and returns true when all are done; what bodies wrote is then
  // visible to the caller. Returns false, having run nothing, for n < 0, grain < 1 or no body.
  // A call with a single chunk is a plain call of the body and occupies nothing.
  // serial   on the calling thread alone
  // threads  any; runs serially in a child made by fork
  bool run(int64_t n, int64_t grain, Body body, void* user, bool serial = false) noexcept;

  // Caps the threads of later calls, callers included; 0 or less lifts the cap, 1 means serial.
  void set_limit(int32_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }

  // CPUs this process may use: its affinity mask, capped by its cgroup's CPU quota; at least 1.
  [[gnu::cold]] static int32_t available();

 private:
  // A participant's share of the current call's chunks: [next, end), claimed one by one by anyone.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  struct alignas(64) Worker {
    std::atomic<uint32_t> signal{0};  // advanced when there is something to look at
    Pool* pool = nullptr;
    int32_t participant = 0;
    pthread_t thread{};
  };

  // What the participants of the current call read; written only while the gate is shut and empty.
  struct Job {
    Body body = nullptr;
    void* user = nullptr;
    int64_t n = 0;
    int64_t grain = 1;
    int32_t participants = 1;
  };

  static void* worker_main(void* self);
  void serve(Worker& worker) noexcept;
  bool run_parallel(int64_t n, int64_t grain, int64_t chunks, Body body, void* user) noexcept;
  [[gnu::cold]] int32_t start_workers(int32_t wanted) noexcept;
  void deal_shares(int64_t chunks, int32_t participants) noexcept;
  void work(int32_t participant) noexcept;
  bool enter() noexcept;
  void leave() noexcept;
  void close_and_wait() noexcept;
  bool is_alone() noexcept;
  void judge_wait(int64_t work_ns, int64_t wait_ns) noexcept;

  const int32_t size_;
  const uint32_t forks_;  // how often this process had been forked off when it owned the workers
  int32_t startable_;     // workers that exist or may still be started; falls on failure
  int32_t started_ = 0;   // guarded, like the four below, by busy_
  int64_t alone_ns_ = 0;  // how long the last time alone was
  Job job_;
  std::unique_ptr<Share[]> shares_;
  std::unique_ptr<Worker[]> workers_;
  std::atomic<int32_t> limit_{0};
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> alone_until_ns_{0};  // on the steady clock; 0: nobody was late
  // A caller has the pool.
  alignas(64) std::atomic<bool> busy_{false};
  // Bit 0: open; the rest: workers inside.
  alignas(64) std::atomic<uint32_t> gate_{0};
  // Advanced when the last worker leaves a shut gate.
  alignas(64) std::atomic<uint32_t> finished_{0};
};

// The CPU quota, rounded up to whole CPUs, that the cgroups named in `proc_self_cgroup` (the text
// of /proc/self/cgroup) put on this process, or 0 for none. `root` is where cgroups are mounted;
// both versions and the hybrid layout are understood. Apart for tests.
[[gnu::cold]] int32_t cgroup_cpu_quota(std::string_view proc_self_cgroup, const std::string& root);

}  // namespace tenon::threads
