// SPDX-License-Identifier: Apache-2.0
// core/base/slab.cc: where slots come from, and the free lists.
#include "core/base/slab.h"

#include <stdlib.h>

#include <thread>

namespace tenon::base {

constinit std::atomic<int64_t> quarantine_holders{0};

void SpinLock::wait() noexcept {
  int spins = 0;
  do {
    while (locked_.load(std::memory_order_relaxed)) {
      if (++spins > 64) std::this_thread::yield();
    }
  } while (test_and_set(locked_));
}

void hold_quarantine() noexcept { quarantine_holders.fetch_add(1, std::memory_order_relaxed); }

void drop_quarantine() noexcept { quarantine_holders.fetch_sub(1, std::memory_order_relaxed); }

void* SlabBase::take_other() {
  for (;;) {
    if (void* slot = take_dead()) return slot;
    grow();
  }
}

// A slot that can be used now, or nullptr when a chunk is needed.
void* SlabBase::take_dead() noexcept {
  const std::lock_guard<SpinLock> guard(lock_);
  void* slot = free_;
  if (slot != nullptr) {
    free_ = header(slot).link;
  } else if (fresh_ != fresh_end_) {
    slot = reinterpret_cast<void*>(fresh_);
    fresh_ += slot_bytes_;
  } else if (resting_ != nullptr && !quarantine_on()) {
    end_rest();
    slot = free_;
    free_ = header(slot).link;
  } else {
    return nullptr;
  }
  count(1);
  return slot;
}

// Fetches one chunk, outside lock_ because the system may take its time.
void SlabBase::grow() {
  const std::lock_guard<SpinLock> only_one(growing_);
  {
    const std::lock_guard<SpinLock> guard(lock_);
    if (free_ != nullptr || fresh_ != fresh_end_) return;
  }
  void* memory = ::aligned_alloc(kChunkBytes, kChunkBytes);
  if (memory == nullptr) throw OutOfMemory{kChunkBytes};
  const uintptr_t chunk = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t end = chunk + kChunkBytes / slot_bytes_ * slot_bytes_;
  for (uintptr_t slot = chunk; slot != end; slot += slot_bytes_) {
    auto* fresh = ::new (reinterpret_cast<void*>(slot)) SlotHeader;
    ::new (&fresh->tag) std::atomic<uint32_t>(uint32_t{kind_} << 8);
    ::new (&fresh->refs) std::atomic<uint32_t>(0);
  }
  const std::lock_guard<SpinLock> guard(lock_);
  fresh_ = chunk;
  fresh_end_ = end;
}

// Lays a slot to rest and returns the one that has rested long enough, if any.
void* SlabBase::rest(void* slot) noexcept {
  header(slot).link = nullptr;
  if (resting_ == nullptr) {
    resting_ = slot;
  } else {
    header(last_resting_).link = slot;
  }
  last_resting_ = slot;
  if (++resting_count_ <= kQuarantineDepth) return nullptr;
  void* rested = resting_;
  resting_ = header(rested).link;
  --resting_count_;
  return rested;
}

void SlabBase::end_rest() noexcept {
  while (resting_ != nullptr) {
    void* slot = resting_;
    resting_ = header(slot).link;
    push_free(slot);
  }
  last_resting_ = nullptr;
  resting_count_ = 0;
}

}  // namespace tenon::base
