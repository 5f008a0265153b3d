// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/grid.cc: the blocks of a grid one after another, the threads of a block as
// fibers.
//
// A fiber runs one thread after another; only where a thread waits is another fiber needed. So a
// kernel that waits for nothing costs one call for each thread. Once every thread of the block has
// ended or waits, those that can go on are released; if none can, the launch fails.
#include "grid.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "emulator.h"
#include "fibers.h"

namespace tenon::cuda::emulated {

constinit thread_local Place place{};

namespace {

// Thrown out of the waits of a launch that has failed.
struct Cancelled {};

// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled":
// SplitMix64, public domain.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t below(uint32_t end) { return static_cast<uint32_t>((next() >> 32) * end >> 32); }

 private:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  uint64_t state_;
};

// The numbers below n, each once: from somewhere on, in steps that share no divisor with n.
class Order {
 public:
  Order() = default;
  Order(uint64_t n, Random& random) : n_(n), left_(n) {
    const auto range = static_cast<uint32_t>(n < UINT32_MAX ? n : UINT32_MAX);
    at_ = random.below(range);
    do {
      step_ = 1 + random.below(range);
      if (std::has_single_bit(n)) step_ |= 1;
    } while (std::gcd(step_, n) != 1);
    step_ %= n;
  }
  bool next(uint64_t* out) {
    if (left_ == 0) return false;
    --left_;
    at_ += step_;
    if (at_ >= n_) at_ -= n_;
    *out = at_;
    return true;
  }
  bool more() const { return left_ > 0; }
  void stop() { left_ = 0; }

 private:
  uint64_t n_ = 0, at_ = 0, step_ = 0, left_ = 0;
};

struct Thread {
  Wait wait = Wait::none;
  uint32_t mask = 0;
  uint32_t source = 0;
  bool released = false;
  uint64_t value = 0;
  uint64_t result = 0;
  Fiber* fiber = nullptr;
};

bool is_of_warp(Wait wait) { return wait >= Wait::warp_sync; }

uint3 at(Extent extent, uint64_t linear) {
  if (extent.y == 1 && extent.z == 1) return {static_cast<unsigned>(linear), 0, 0};
  const auto row = static_cast<unsigned>(linear / extent.x);
  return {static_cast<unsigned>(linear % extent.x), row % extent.y, row / extent.y};
}

std::string words_of(uint3 x) {
  return "(" + std::to_string(x.x) + ", " + std::to_string(x.y) + ", " + std::to_string(x.z) + ")";
}

const char* name_of(Wait wait) {
  constexpr const char* names[] = {"nothing",
                                   "__syncthreads",
                                   "__syncthreads_or",
                                   "__syncthreads_and",
                                   "__syncthreads_count",
                                   "__syncwarp",
                                   "a shuffle",
                                   "a vote"};
  return names[static_cast<uint32_t>(wait)];
}

class Machine {
 public:
  std::string run(const Grid& grid);
  uint64_t wait(Wait kind, uint32_t mask, uint64_t value, uint32_t source);
  void* shared() { return shared_.get(); }

 private:
  void run_block();
  void run_threads();
  void run_thread();
  void enter(uint32_t thread);
  Fiber* idle_fiber();
  void after_switch(Fiber* fiber);
  bool release_warps(bool all);
  bool release_warp(uint32_t first, bool all);
  void release_group(uint32_t first, uint32_t lanes);
  bool release_late_warp() { return std::exchange(late_warp_, kNoWarp) != kNoWarp; }
  bool release_block();
  void resume(uint32_t thread);
  void resume_released();
  void cancel();
  void fail(uint32_t thread, const std::string& words);
  void explain_deadlock();
  uint32_t lanes_that_wait(uint32_t first) const;
  void make_shared();
  void check_shared();

  static constexpr uint32_t kNoWarp = UINT32_MAX;
  static constexpr size_t kGuard = 128;  // bytes after the dynamic shared memory
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };

  const Grid* grid_ = nullptr;
  Random random_{0};
  Order order_;  // of the threads that have not begun
  uint32_t n_threads_ = 0;
  uint32_t n_waiting_ = 0;
  uint32_t late_warp_ = kNoWarp;  // stays at the last barrier until no other can go on
  bool cancelling_ = false;
  std::string failure_;
  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* running_ = nullptr;
  std::unique_ptr<void, Free> shared_;
};

// ---- The life of a block ------------------------------------------------------------------------

std::string Machine::run(const Grid& grid) {
  grid_ = &grid;
  random_ = Random(grid.seed);
  const Extent& extent = grid.threads;
  n_threads_ = extent.x * extent.y * extent.z;
  threads_.assign(n_threads_, Thread{});
  failure_.clear();
  make_shared();
  place.block_dim = {extent.x, extent.y, extent.z};
  place.grid_dim = {grid.blocks.x, grid.blocks.y, grid.blocks.z};
  Order blocks(uint64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z, random_);
  uint64_t block = 0;
  while (failure_.empty() && blocks.next(&block)) {
    place.block = at(grid.blocks, block);
    run_block();
  }
  return failure_;
}

void Machine::run_block() {
  if (grid_->shared_bytes > 0) std::memset(shared_.get(), 0xFD, grid_->shared_bytes);
  order_ = Order(n_threads_, random_);
  while (order_.more()) {
    Fiber* fiber = idle_fiber();
    if (!fiber) break;
    running_ = fiber;
    fiber->start([](void* self) { static_cast<Machine*>(self)->run_threads(); }, this);
    after_switch(fiber);
  }
  late_warp_ = kNoWarp;
  while (n_waiting_ > 0 && failure_.empty()) {
    const bool some =
        release_warps(false) || release_warps(true) || release_late_warp() || release_block();
    if (!failure_.empty()) break;
    if (some) {
      resume_released();
    } else {
      explain_deadlock();
    }
  }
  if (!failure_.empty()) cancel();
  check_shared();
}

// On a fiber: begins threads until none is left. Where one waits this function waits with it.
void Machine::run_threads() {
  uint64_t thread = 0;
  while (order_.next(&thread)) {
    enter(static_cast<uint32_t>(thread));
    run_thread();
  }
}

void Machine::run_thread() {
  try {
    grid_->invoke(grid_->kernel, grid_->arguments);
  } catch (const Cancelled&) {
  } catch (const std::exception& error) {
    fail(place.linear, std::string("threw an exception: ") + error.what());
  } catch (...) {
    fail(place.linear, "threw an exception");
  }
}

void Machine::enter(uint32_t thread) {
  place.linear = thread;
  place.thread = at(grid_->threads, thread);
}

// NULL, and a failure, if there is no memory for another.
Fiber* Machine::idle_fiber() {
  if (idle_.empty()) {
    try {
      idle_.reserve(fibers_.size() + 1);
      fibers_.push_back(std::make_unique<Fiber>(static_cast<uint32_t>(fibers_.size())));
      return fibers_.back().get();
    } catch (const std::bad_alloc&) {
      fail(0, "or another did not begin: the host is out of memory");
      return nullptr;
    }
  }
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void Machine::after_switch(Fiber* fiber) {
  if (fiber->ended()) idle_.push_back(fiber);
}

// ---- Waiting, and being released ----------------------------------------------------------------

uint64_t Machine::wait(Wait kind, uint32_t mask, uint64_t value, uint32_t source) {
  if (cancelling_) throw Cancelled{};
  Thread& thread = threads_[place.linear];
  thread = {kind, mask, source, false, value, 0, running_};
  ++n_waiting_;
  running_->suspend();
  if (cancelling_) throw Cancelled{};
  return thread.result;
}

uint32_t Machine::lanes_that_wait(uint32_t first) const {
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < 32 && first + lane < n_threads_; ++lane) {
    if (threads_[first + lane].wait != Wait::none) lanes |= 1U << lane;
  }
  return lanes;
}

// Where not `all`, some of those that could go on stay behind: warps drift apart on a GPU too.
bool Machine::release_warps(bool all) {
  bool some = false;
  for (uint32_t first = 0; first < n_threads_; first += 32) some |= release_warp(first, all);
  return some;
}

bool Machine::release_warp(uint32_t first, bool all) {
  const uint32_t waiting = lanes_that_wait(first);
  uint32_t left = waiting;
  bool some = false;
  while (left != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    left &= left - 1;
    const Thread& thread = threads_[first + lane];
    if (!is_of_warp(thread.wait) || thread.released) continue;
    if ((thread.mask >> lane & 1) == 0) {
      fail(first + lane, std::string("calls ") + name_of(thread.wait) +
                             " with a mask in which its own lane is missing");
      return false;
    }
    // Lanes that have ended count as if the mask did not name them.
    const uint32_t named = thread.mask & waiting;
    bool complete = true;
    for (uint32_t rest = named; rest != 0 && complete; rest &= rest - 1) {
      const Thread& other = threads_[first + static_cast<uint32_t>(std::countr_zero(rest))];
      complete = other.wait == thread.wait && other.mask == thread.mask && !other.released;
    }
    if (!complete) continue;
    left &= ~named;
    if (!all && random_.below(4) == 0) continue;
    release_group(first, named);
    some = true;
  }
  return some;
}

void Machine::release_group(uint32_t first, uint32_t lanes) {
  uint64_t votes = uint64_t{lanes} << 32;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (threads_[first + lane].value != 0) votes |= 1U << lane;
  }
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t number = first + static_cast<uint32_t>(std::countr_zero(rest));
    Thread& thread = threads_[number];
    thread.released = true;
    thread.result = votes;
    if (thread.wait != Wait::warp_shuffle) continue;
    if (thread.source >= 32 || (lanes >> thread.source & 1) == 0) {
      fail(number,
           "shuffles from lane " + std::to_string(thread.source) + ", which does not take part");
      return;
    }
    thread.result = threads_[first + thread.source].value;
  }
}

// Threads that have ended are not waited for.
bool Machine::release_block() {
  Wait kind = Wait::none;
  uint32_t count = 0;
  for (const Thread& thread : threads_) {
    if (thread.wait == Wait::none) continue;
    if (kind == Wait::none) kind = thread.wait;
    if (is_of_warp(kind) || thread.wait != kind) return false;
    count += static_cast<uint32_t>(thread.value);
  }
  uint64_t result = count;
  if (kind == Wait::barrier_or) result = count > 0;
  if (kind == Wait::barrier_and) result = count == n_waiting_;
  for (Thread& thread : threads_) {
    thread.released = thread.wait != Wait::none;
    thread.result = result;
  }
  // What it still reads must not be written by those that come to the next barrier before it.
  if (n_threads_ > 32 && random_.below(2) == 0) late_warp_ = random_.below((n_threads_ + 31) / 32);
  return true;
}

void Machine::resume(uint32_t number) {
  Thread& thread = threads_[number];
  thread.wait = Wait::none;
  thread.released = false;
  --n_waiting_;
  enter(number);
  Fiber* fiber = thread.fiber;
  running_ = fiber;
  fiber->resume();
  after_switch(fiber);
}

void Machine::resume_released() {
  Order order(n_threads_, random_);
  uint64_t number = 0;
  while (order.next(&number)) {
    if (number / 32 == late_warp_ || !threads_[number].released) continue;
    resume(static_cast<uint32_t>(number));
  }
}

// ---- Failures -----------------------------------------------------------------------------------

// The first is kept.
void Machine::fail(uint32_t thread, const std::string& words) {
  order_.stop();
  if (!failure_.empty()) return;
  failure_ = "thread " + words_of(at(grid_->threads, thread)) + " of block " +
             words_of(place.block) + " " + words;
}

void Machine::explain_deadlock() {
  uint32_t one = n_threads_;
  for (uint32_t number = n_threads_; number-- > 0;) {
    const Wait wait = threads_[number].wait;
    const bool known = one < n_threads_ && is_of_warp(threads_[one].wait);
    if (is_of_warp(wait) || (wait != Wait::none && !known)) one = number;
  }
  const Thread& thread = threads_[one];
  const uint32_t first = one / 32 * 32;
  for (uint32_t number = 0; number < n_threads_; ++number) {
    const Thread& other = threads_[number];
    if (other.wait == Wait::none) continue;
    if (is_of_warp(thread.wait)) {
      const bool named = number / 32 * 32 == first && (thread.mask >> (number - first) & 1) != 0;
      if (!named || (other.wait == thread.wait && other.mask == thread.mask)) continue;
    } else if (other.wait == thread.wait) {
      continue;
    }
    return fail(one, std::string("waits at ") + name_of(thread.wait) + " for thread " +
                         words_of(at(grid_->threads, number)) + ", which waits at " +
                         name_of(other.wait) +
                         (other.wait == thread.wait ? " with another mask" : ""));
  }
}

// Ends the threads that wait, so that nothing of theirs stays behind.
void Machine::cancel() {
  cancelling_ = true;
  order_.stop();
  for (uint32_t number = 0; number < n_threads_; ++number) {
    if (threads_[number].wait != Wait::none) resume(number);
  }
  cancelling_ = false;
}

// ---- Dynamic shared memory ----------------------------------------------------------------------

void Machine::make_shared() {
  shared_.reset();
  if (grid_->shared_bytes == 0) return;
  void* memory = nullptr;
  if (posix_memalign(&memory, 128, grid_->shared_bytes + kGuard) != 0) throw std::bad_alloc();
  shared_.reset(memory);
  std::memset(static_cast<char*>(memory) + grid_->shared_bytes, 0xFB, kGuard);
}

void Machine::check_shared() {
  if (!shared_) return;
  const auto* guard = static_cast<const unsigned char*>(shared_.get()) + grid_->shared_bytes;
  for (size_t i = 0; i < kGuard; ++i) {
    if (guard[i] != 0xFB) return fail(0, "or another wrote after the dynamic shared memory");
  }
}

Machine& machine() {
  static Machine& only = *new Machine;  // outlives whatever still computes at the process's end
  return only;
}

}  // namespace

std::string run_grid(const Grid& grid) { return machine().run(grid); }

uint32_t wait_block(Wait kind, uint32_t value) {
  return static_cast<uint32_t>(machine().wait(kind, 0, value, 0));
}
uint64_t wait_warp(Wait kind, uint32_t mask, uint64_t value, uint32_t source) {
  return machine().wait(kind, mask, value, source);
}

}  // namespace tenon::cuda::emulated

void* tenon_emulated_shared() { return tenon::cuda::emulated::machine().shared(); }
