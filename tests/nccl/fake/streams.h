// SPDX-License-Identifier: Apache-2.0
// tests/nccl/fake/streams.h: streams of the fake CUDA driver, each a thread, and what it knows of
// memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace tenon::tests::fake {

// Runs what is put into it, one after the other.
class Stream {
 public:
  Stream();
  ~Stream();  // when all is done
  void put(std::function<void()> work);
  bool is_idle();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;  // the first is under way
  bool ends_ = false;
  std::thread thread_;
};

// Whether all of it is memory of one device: that of the emulated CUDA, or what cuMemAlloc gave.
bool is_device_memory(const void* data, size_t bytes);
// Whether the calling thread has chosen a context.
bool has_context();
// Whether TEST_NCCL_FAULT is this.
bool fault(std::string_view name);

}  // namespace tenon::tests::fake
