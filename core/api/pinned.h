// SPDX-License-Identifier: Apache-2.0
// core/api/pinned.h: blocks of pinned host memory ("tenon.backend.pinned/1") that copies to a
// device read from while the host goes on.
//
// A block is used again once the event recorded behind its copy says so. The pool is bounded: where
// no block is to be had the copy is made straight from the caller's memory and waited for.
#pragma once

#include <tenon/plugin.h>

#include <memory>
#include <mutex>
#include <vector>

namespace tenon {

struct Device;

class PinnedPool {
 public:
  static constexpr uint64_t kLargestBlock = uint64_t{8} << 20;
  static constexpr uint64_t kLimit = uint64_t{32} << 20;

  struct Block {
    void* data = nullptr;
    uint64_t capacity = 0;
    void* event = nullptr;
    enum State : uint8_t { Idle, Taken, Sent } state = Idle;
  };

  PinnedPool(Device& device, const tenon_backend_pinned_table& table);
  // No copy may be under way any more.
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  // A block of at least `bytes` for one copy; NULL where there is none.
  Block* take(uint64_t bytes);
  // The copy is enqueued: the block comes back when it is done. Returns the backend's answer; where
  // that is a failure the block is still the caller's, to give back after a wait.
  tenon_status send(Block* block);
  void give_back(Block* block);
  uint64_t bytes() const;

 private:
  bool finished(Block& block);
  Block* make(uint64_t capacity);

  Device& device_;
  const tenon_backend_pinned_table& table_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  uint64_t bytes_ = 0;
};

}  // namespace tenon
