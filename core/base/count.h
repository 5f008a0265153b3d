// SPDX-License-Identifier: Apache-2.0
// core/base/count.h: counts and locks that need no atomic instruction while the process has one
// thread.
//
// The C library says whether it has; it says no before a second thread begins to run, and whatever
// the only thread has stored by then is visible to the new one. Elsewhere there are always several.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define TENON_TELLS_SINGLE_THREADED 1
#endif

#include <atomic>

namespace tenon::base {

inline bool single_threaded() noexcept {
#ifdef TENON_TELLS_SINGLE_THREADED
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

// Adds and returns what was there before; acquire and release.
template <class T, class By>
T add(std::atomic<T>& count, By by) noexcept {
  if (!single_threaded()) return count.fetch_add(static_cast<T>(by), std::memory_order_acq_rel);
  const T before = count.load(std::memory_order_relaxed);
  count.store(static_cast<T>(before + static_cast<T>(by)), std::memory_order_relaxed);
  return before;
}

// Stores true and returns what was there before; acquire and release.
inline bool test_and_set(std::atomic<bool>& flag) noexcept {
  if (!single_threaded()) return flag.exchange(true, std::memory_order_acq_rel);
  const bool before = flag.load(std::memory_order_relaxed);
  flag.store(true, std::memory_order_relaxed);
  return before;
}

// Stores false at the end of the scope.
struct Lowered {
  ~Lowered() { flag.store(false, std::memory_order_release); }
  std::atomic<bool>& flag;
};

class SpinLock {
 public:
  [[gnu::always_inline]] void lock() noexcept {
    if (test_and_set(locked_)) wait();
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  // Ends with the lock held.
  [[gnu::cold]] void wait() noexcept;

  std::atomic<bool> locked_{false};
};

}  // namespace tenon::base
