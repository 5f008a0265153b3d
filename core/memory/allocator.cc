// SPDX-License-Identifier: Apache-2.0
// core/memory/allocator.cc: the caching allocator of one device.
#include "core/memory/allocator.h"

#include <bit>
#include <chrono>
#include <limits>
#include <new>
#include <utility>

#include "core/base/error.h"

namespace tenon::memory {

namespace {

constexpr uint64_t kSmallest = 64;
constexpr uint64_t kLargest = uint64_t{1} << 62;
constexpr uint64_t kLarge = uint64_t{64} << 20;  // blocks above this are the first to be given back
constexpr uint64_t kSpare = uint64_t{64} << 20;  // that may be cached whatever was ever live
constexpr uint64_t kLeastFreed = uint64_t{16} << 20;  // at once, so that it is not done often
constexpr uint64_t kEverything = std::numeric_limits<uint64_t>::max();

// Waiting is bounded because a source that calls back into us while it holds a lock of its own
// could otherwise wait for itself.
constexpr auto kWaitForOthers = std::chrono::milliseconds(100);

// The power of two p with p < bytes <= 2p.
uint64_t power_below(uint64_t bytes) noexcept { return std::bit_floor(bytes - 1); }

}  // namespace

CachingAllocator::CachingAllocator(const Source& source, uint64_t limit_bytes)
    : source_(source), limit_(limit_bytes) {}

CachingAllocator::~CachingAllocator() {
  trim();
  // Unlinked one by one: a long chain would otherwise be destroyed recursively.
  while (groups_ != nullptr) groups_ = std::move(groups_->next);
}

Size CachingAllocator::size_for(uint64_t bytes) noexcept {
  if (bytes > kLargest) return {bytes, 0, 0};
  if (bytes <= kSmallest) return {bytes, kSmallest, class_index(kSmallest)};
  const uint64_t step = std::max(kSmallest, power_below(bytes) / 4);
  const uint64_t capacity = (bytes + step - 1) / step * step;
  return {bytes, capacity, class_index(capacity)};
}

Size CachingAllocator::exact_size(uint64_t bytes) noexcept {
  if (bytes > kLargest) return {bytes, 0, kExactRequests};
  const uint64_t capacity = (std::max(bytes, kSmallest) + kSmallest - 1) / kSmallest * kSmallest;
  return {bytes, capacity, kExactRequests};
}

uint32_t CachingAllocator::class_index(uint64_t capacity) noexcept {
  const uint64_t power = power_below(capacity);
  const uint64_t quarter = (capacity - power) / (power / 4);  // 1..4
  return static_cast<uint32_t>(std::bit_width(power)) * 4 + static_cast<uint32_t>(quarter) - 1;
}

Block CachingAllocator::allocate_slowly(const Size& size) {
  const uint64_t bytes = size.bytes;
  const uint64_t capacity = size.capacity;
  if (capacity == 0) throw OutOfMemory{bytes};
  const bool exact = size.size_class == kExactRequests;
  uint64_t smallest = kLarge + 1;
  bool patience = true;
  Lock lock(mutex_);
  for (;;) {
    if (limit_ != 0 && stats_.live_bytes + pending_bytes_ + capacity > limit_) break;
    if (Node* node = exact ? take_exact(capacity) : take_cached(size)) return hand_out(node);
    const uint64_t reserved = stats_.reserved_bytes + pending_bytes_ + capacity;
    if (limit_ != 0 && reserved > limit_) {
      if (free_cached(lock, reserved - limit_) || wait_for_others(lock, patience)) continue;
      break;
    }
    if (const uint64_t over = over_bound(pending_bytes_ + capacity)) {
      if (Node* node = take_larger(size)) return hand_out(node);
      if (free_cached(lock, std::max(over, kLeastFreed))) continue;
    }
    // It stays long, so that what is cached is rather given up than kept beside it.
    if (exact) free_cached(lock, capacity);
    Node* node = take_spare();
    if (node == nullptr) break;
    pending_bytes_ += capacity;
    lock.unlock();
    void* data = nullptr;
    bool given = false;
    try {
      given = source_.alloc(source_.self, capacity, &data) && data != nullptr;
    } catch (...) {
      lock.lock();
      pending_bytes_ -= capacity;
      give_spare(node);
      throw;
    }
    lock.lock();
    pending_bytes_ -= capacity;
    if (given) {
      ++stats_.raw_allocations;
      stats_.reserved_bytes += capacity;
      node->data = data;
      node->capacity = capacity;
      node->size_class = exact ? kExactBlocks : size.size_class;
      const Block block = hand_out(node);
      // Others may meanwhile have released what was thought to be live together with this.
      if (const uint64_t over = over_bound(0)) free_cached(lock, over);
      return block;
    }
    give_spare(node);
    if (!make_room(lock, smallest) && !wait_for_others(lock, patience)) break;
  }
  throw OutOfMemory{bytes};
}

// By how much the bound is exceeded when `coming` more bytes become live.
uint64_t CachingAllocator::over_bound(uint64_t coming) const noexcept {
  const uint64_t most = std::max(stats_.peak_bytes, stats_.live_bytes + coming);
  const uint64_t allowed = most + most / 4 + kSpare;
  const uint64_t reserved = stats_.reserved_bytes + coming;
  return reserved > allowed ? reserved - allowed : 0;
}

uint64_t CachingAllocator::trim() noexcept {
  Lock lock(mutex_);
  return free_cached(lock, kEverything);
}

void CachingAllocator::set_limit(uint64_t limit_bytes) noexcept {
  Lock lock(mutex_);
  limit_ = limit_bytes;
  if (limit_ != 0 && stats_.reserved_bytes > limit_) {
    free_cached(lock, stats_.reserved_bytes - limit_);
  }
}

Stats CachingAllocator::stats() const {
  const Lock lock(mutex_);
  return stats_;
}

CachingAllocator::Node* CachingAllocator::take_exact(uint64_t capacity) noexcept {
  Node** place = &cached_[kExactBlocks];
  while (*place != nullptr && (*place)->capacity != capacity) place = &(*place)->next;
  Node* node = *place;
  if (node != nullptr) *place = node->next;
  return node;
}

// A cached block of the next class, which is a quarter larger at most, unless what it has too much
// would raise the peak.
CachingAllocator::Node* CachingAllocator::take_larger(const Size& size) noexcept {
  Node*& list = cached_[size.size_class + 1];
  Node* node = list;
  if (node == nullptr || stats_.live_bytes + node->capacity > stats_.peak_bytes) return nullptr;
  list = node->next;
  return node;
}

// One without a class, else the smallest cached block that is enough by itself, else the largest
// one; nullptr if none has at least `smallest` bytes.
CachingAllocator::Node* CachingAllocator::take_to_free(uint64_t needed,
                                                       uint64_t smallest) noexcept {
  for (Node** place = &cached_[kExactBlocks]; *place != nullptr; place = &(*place)->next) {
    if ((*place)->capacity >= smallest) return std::exchange(*place, (*place)->next);
  }
  Node** chosen = nullptr;
  for (size_t i = kExactBlocks; i-- > 0;) {
    if (cached_[i] == nullptr) continue;
    if (cached_[i]->capacity < (chosen ? needed : smallest)) break;
    chosen = &cached_[i];
  }
  if (chosen == nullptr) return nullptr;
  Node* node = *chosen;
  *chosen = node->next;
  return node;
}

// A node without a block; nullptr when out of host memory.
CachingAllocator::Node* CachingAllocator::take_spare() noexcept {
  if (spare_ == nullptr) {
    std::unique_ptr<NodeGroup> group(new (std::nothrow) NodeGroup);
    if (group == nullptr) return nullptr;
    for (Node& node : group->nodes) give_spare(&node);
    group->next = std::move(groups_);
    groups_ = std::move(group);
  }
  Node* node = spare_;
  spare_ = node->next;
  return node;
}

void CachingAllocator::give_spare(Node* node) noexcept {
  node->next = spare_;
  spare_ = node;
}

// After a refusal by the source: gives back cached blocks, the large ones first; false when there
// are none. `smallest`: those to be given back next.
bool CachingAllocator::make_room(Lock& lock, uint64_t& smallest) noexcept {
  while (smallest != kEverything) {
    const uint64_t now = std::exchange(smallest, smallest == 0 ? kEverything : 0);
    if (free_cached(lock, kEverything, now)) return true;
  }
  return false;
}

// What other threads are giving back may be enough: waits for them, once per request.
bool CachingAllocator::wait_for_others(Lock& lock, bool& patience) noexcept {
  if (!patience || freeing_ == 0) return false;
  patience = false;
  freed_.wait_for(lock, kWaitForOthers, [this] { return freeing_ == 0; });
  return true;
}

// Gives cached blocks of at least `smallest` bytes back to the source until `needed` bytes are
// free; how many bytes that were. Lets go of the lock while the source is called.
uint64_t CachingAllocator::free_cached(Lock& lock, uint64_t needed, uint64_t smallest) noexcept {
  Node* chosen = nullptr;
  Node* last = nullptr;
  uint64_t bytes = 0;
  while (bytes < needed) {
    Node* node = take_to_free(needed - bytes, smallest);
    if (node == nullptr) break;
    node->next = chosen;
    chosen = node;
    if (last == nullptr) last = node;
    bytes += node->capacity;
  }
  if (chosen == nullptr) return 0;
  ++freeing_;
  lock.unlock();
  for (const Node* node = chosen; node != nullptr; node = node->next) {
    source_.free(source_.self, node->data, node->capacity);
  }
  lock.lock();
  last->next = spare_;
  spare_ = chosen;
  stats_.reserved_bytes -= bytes;
  --freeing_;
  if (freeing_ == 0) freed_.notify_all();
  return bytes;
}

}  // namespace tenon::memory
