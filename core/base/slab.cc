// SPDX-License-Identifier: Apache-2.0
// core/base/slab.cc: where slots come from, the free lists, and the register of chunks.
#include "core/base/slab.h"

#include <stdlib.h>

#include <thread>

namespace tenon::base {

constinit std::atomic<int64_t> quarantine_holders{0};

namespace {

// All chunks of all slabs: a list of hash tables, each twice the one before and at most half full.
// Entries are only ever added, so readers need no lock. An entry is the chunk's address, whose low
// 16 bits are free, with the slot size in units of kSlotAlignment there.
class ChunkRegister {
 public:
  // False when out of memory.
  bool add(uintptr_t chunk, uintptr_t slot_bytes) noexcept {
    const std::lock_guard<SpinLock> guard(lock_);
    if (newest_ < 0 || used_ * 2 >= capacity(newest_)) {
      if (newest_ + 1 >= kTables) return false;
      auto* table = new (std::nothrow) std::atomic<uintptr_t>[capacity(newest_ + 1)]();
      if (table == nullptr) return false;
      ++newest_;
      used_ = 0;
      tables_[newest_].store(table, std::memory_order_release);
    }
    std::atomic<uintptr_t>* table = tables_[newest_].load(std::memory_order_relaxed);
    const uintptr_t mask = capacity(newest_) - 1;
    uintptr_t i = hash(chunk) & mask;
    while (table[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & mask;
    table[i].store(chunk | slot_bytes / kSlotAlignment, std::memory_order_release);
    ++used_;
    return true;
  }

  // The slot size of a chunk, 0 when there is no chunk at that address.
  uintptr_t slot_bytes(uintptr_t chunk) const noexcept {
    for (int t = 0; t < kTables; ++t) {
      const std::atomic<uintptr_t>* table = tables_[t].load(std::memory_order_acquire);
      if (table == nullptr) return 0;
      const uintptr_t mask = capacity(t) - 1;
      for (uintptr_t i = hash(chunk) & mask;; i = (i + 1) & mask) {
        const uintptr_t entry = table[i].load(std::memory_order_acquire);
        if (entry == 0) break;
        if ((entry & ~(kChunkBytes - 1)) == chunk)
          return (entry & (kChunkBytes - 1)) * kSlotAlignment;
      }
    }
    return 0;
  }

 private:
  static constexpr int kTables = 28;
  static constexpr uintptr_t capacity(int table) noexcept { return uintptr_t{256} << table; }
  static constexpr uintptr_t hash(uintptr_t chunk) noexcept {
    return static_cast<uintptr_t>((uint64_t{chunk} / kChunkBytes * 0x9e3779b97f4a7c15u) >> 24);
  }

  SpinLock lock_;
  int newest_ = -1;
  uintptr_t used_ = 0;
  std::atomic<std::atomic<uintptr_t>*> tables_[kTables] = {};
};

constinit ChunkRegister chunks;

}  // namespace

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

bool is_slot(uintptr_t slot) noexcept {
  const uintptr_t offset = slot & (kChunkBytes - 1);
  const uintptr_t bytes = chunks.slot_bytes(slot - offset);
  return bytes != 0 && offset % bytes == 0 && offset + bytes <= kChunkBytes;
}

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
  if (!chunks.add(chunk, slot_bytes_)) {
    ::free(memory);
    throw OutOfMemory{kChunkBytes};
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
