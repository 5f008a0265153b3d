// SPDX-License-Identifier: Apache-2.0
// core/memory/allocator.h: the caching allocator of one device.
//
// Raw memory comes from the backend through two callbacks; what is released stays here, sorted by
// size class, and serves the next request of its class without a call to the backend.
//
// Size classes: 64 bytes and its multiples up to 512, then four steps between powers of two, so
// from 257 bytes on rounding adds less than a quarter. Figures count rounded sizes: what memory is
// really used.
//
// What is kept is bounded: after every request at most a quarter more is reserved than was ever
// live at once, and 64 MiB. A request that would exceed this, and finds no block of its class,
// takes one of the next larger class; else cached blocks go back to the source. Requests that find
// one pay nothing for it.
//
// Few and large blocks that stay long may ask for no more than they need: such a block has no size
// class, serves only a request for as much, and is given back before any other.
//
// The backend's memory may be out of reach for the host, so blocks are never written to: each has a
// node of its own, from before it comes from the source until it goes back. Releasing therefore
// allocates nothing and cannot fail. The node has room for what the block's owner wants to keep
// beside it (a storage), which saves one allocation for each tensor.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

#include "core/base/count.h"
#include "core/base/no_copy.h"
#include "core/base/poison.h"

namespace tenon::memory {

using base::allow;
using base::forbid;
using base::SpinLock;

// Where raw memory comes from. Called on the requesting thread and never under a lock of ours.
struct Source {
  void* self = nullptr;
  // Memory aligned to 64 bytes in `out`; false when there is not enough. `bytes` is a multiple
  // of 64.
  bool (*alloc)(void* self, uint64_t bytes, void** out) = nullptr;
  void (*free)(void* self, void* data, uint64_t bytes) = nullptr;
};

struct Stats {
  uint64_t live_bytes = 0;       // in blocks handed out
  uint64_t peak_bytes = 0;       // the most live_bytes since the start
  uint64_t reserved_bytes = 0;   // live and cached together: what the source has given
  uint64_t live_blocks = 0;      // handed out and not released
  uint64_t allocations = 0;      // blocks handed out so far
  uint64_t raw_allocations = 0;  // those that needed the source
};

struct Block {
  void* data = nullptr;
  uint64_t capacity = 0;
  void* room = nullptr;  // kRoomBytes of host memory, the owner's as long as the block
};
inline constexpr size_t kRoomBytes = 128;

// A request with the class it belongs to, for those who make the same one again and again.
struct Size {
  uint64_t bytes = 0;     // asked for
  uint64_t capacity = 0;  // what it is rounded to; 0 when no size class is large enough
  uint32_t size_class = 0;
};

class CachingAllocator : NoCopy {
 public:
  // `limit_bytes` caps live and reserved bytes; 0 means no cap.
  CachingAllocator(const Source& source, uint64_t limit_bytes);

  // Gives the cache back to the source. Every block must have been released.
  ~CachingAllocator();

  // A block of at least `bytes` (for 0 as well: blocks of live tensors never share an address).
  // When the source or the limit refuses, cached blocks are given back and it is tried again; then
  // OutOfMemory with `bytes` is thrown and nothing is lost but the cache.
  // threads  any
  Block allocate(uint64_t bytes) { return allocate(size_for(bytes)); }
  Block allocate(const Size& size) {
    if (limit_ == 0) [[likely]] {
      const std::lock_guard<SpinLock> lock(mutex_);
      if (Node* node = take_cached(size)) return hand_out(node);
    }
    return allocate_slowly(size);
  }

  // Takes back a block of this allocator, unchanged; a block without data is ignored.
  // threads  any
  void release(Block block) noexcept {
    if (block.data == nullptr) return;
    static_assert(offsetof(Node, room) == 0);
    Node* node = static_cast<Node*>(block.room);
    forbid(block.room, kRoomBytes);
    const std::lock_guard<SpinLock> lock(mutex_);
    Node*& list = cached_[node->size_class];
    node->next = list;
    list = node;
    --stats_.live_blocks;
    stats_.live_bytes -= block.capacity;
  }

  // Gives every cached block back to the source; how many bytes that were.
  uint64_t trim() noexcept;

  // A limit below what is live refuses new blocks until enough is released.
  void set_limit(uint64_t limit_bytes) noexcept;

  Stats stats() const;

  static Size size_for(uint64_t bytes) noexcept;
  // Rounded to 64 bytes alone.
  static Size exact_size(uint64_t bytes) noexcept;

 private:
  struct Node {
    alignas(16) std::byte room[kRoomBytes];
    void* data = nullptr;
    uint64_t capacity = 0;
    uint32_t size_class = 0;
    Node* next = nullptr;
    Node() noexcept { forbid(room, sizeof room); }
    ~Node() { allow(room, sizeof room); }
  };
  struct NodeGroup {
    std::array<Node, 64> nodes;
    std::unique_ptr<NodeGroup> next;
  };
  using Lock = std::unique_lock<SpinLock>;

  Block allocate_slowly(const Size& size);
  // A cached block of exactly this class, or nullptr.
  Node* take_cached(const Size& size) noexcept {
    Node*& list = cached_[size.size_class];
    Node* node = list;
    if (node != nullptr) list = node->next;
    return node;
  }
  [[gnu::cold]] Node* take_exact(uint64_t capacity) noexcept;
  [[gnu::cold]] Node* take_larger(const Size& size) noexcept;
  [[gnu::cold]] Node* take_to_free(uint64_t needed, uint64_t smallest) noexcept;
  Node* take_spare() noexcept;
  void give_spare(Node* node) noexcept;
  Block hand_out(Node* node) noexcept {
    ++stats_.allocations;
    ++stats_.live_blocks;
    stats_.live_bytes += node->capacity;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
    allow(node->room, kRoomBytes);
    return Block{node->data, node->capacity, node->room};
  }
  uint64_t over_bound(uint64_t coming) const noexcept;
  bool make_room(Lock& lock, uint64_t& smallest) noexcept;
  bool wait_for_others(Lock& lock, bool& patience) noexcept;
  [[gnu::cold]] uint64_t free_cached(Lock& lock, uint64_t needed, uint64_t smallest = 0) noexcept;

  static constexpr size_t kClasses = 256;  // capacities use the first 252
  // Blocks without a class, and requests for them: what serves others never finds them.
  static constexpr uint32_t kExactBlocks = kClasses - 1;
  static constexpr uint32_t kExactRequests = kExactBlocks - 2;
  static uint32_t class_index(uint64_t capacity) noexcept;

  const Source source_;
  mutable SpinLock mutex_;  // guards everything below
  std::condition_variable_any freed_;
  std::atomic<uint64_t> limit_;  // written under the lock
  Stats stats_;
  uint64_t pending_bytes_ = 0;  // asked of the source, not answered yet
  uint64_t freeing_ = 0;        // threads that are giving blocks back to the source
  Node* spare_ = nullptr;       // nodes without a block
  std::unique_ptr<NodeGroup> groups_;
  std::array<Node*, kClasses> cached_{};
};

}  // namespace tenon::memory
