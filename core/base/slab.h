// SPDX-License-Identifier: Apache-2.0
// core/base/slab.h: type-stable slots for the objects that public handles lead to.
//
// A handle is a slot's address with a generation in its low 8 bits. Slots are 256-byte aligned,
// stay slots of one kind for ever, and their memory is never given back; so a handle that was once
// valid, of any kind, can always be looked at: NULL, a wrong kind, a released object and a bare
// pointer are told from a live handle by one comparison with the slot's tag. A stale handle is
// recognised until its slot has been reused 255 times.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "core/base/count.h"
#include "core/base/error.h"
#include "core/base/no_copy.h"
#include "core/base/poison.h"

namespace tenon::base {

inline constexpr uintptr_t kSlotAlignment = 256;
inline constexpr uintptr_t kChunkBytes = 65536;  // size and alignment of what slots are cut from
inline constexpr uint32_t kTagLive = 1u << 16;
inline constexpr uint32_t kTagGeneration = 0xff;
inline constexpr uint32_t kQuarantineDepth = 4096;

// First 16 bytes of every slot; the base class of everything kept in a slab.
// The members sit in unions so that constructing an object leaves them alone: another thread may be
// comparing a stale handle with the tag at that moment.
struct SlotHeader {
  SlotHeader() noexcept {}
  SlotHeader(const SlotHeader&) = delete;
  SlotHeader& operator=(const SlotHeader&) = delete;

  // Bits 0..7 generation, 8..15 kind, 16 live; written by the slab alone.
  union {
    std::atomic<uint32_t> tag;
  };
  // 1 after create; the owner of the type counts from there.
  union {
    std::atomic<uint32_t> refs;
  };
  // The slab's while the slot is dead; free for the object, and not initialised, while live.
  union {
    void* link;
  };
};
static_assert(sizeof(SlotHeader) == 16);

// Process-wide, as long as anybody holds it: destroyed slots rest until kQuarantineDepth others of
// their kind were destroyed, so that stale handles are caught for longer (TENON_CHECK=handles).
// When the last one drops it, those resting are free again.
void hold_quarantine() noexcept;
void drop_quarantine() noexcept;

// How many hold the quarantine.
extern constinit std::atomic<int64_t> quarantine_holders;
inline bool quarantine_on() noexcept {
  return quarantine_holders.load(std::memory_order_relaxed) > 0;
}

// What slabs of all types share. Has no destructor to run, so objects outlive every static.
class SlabBase : NoCopy {
 public:
  constexpr SlabBase(uintptr_t slot_bytes, uint8_t kind) noexcept
      : slot_bytes_(slot_bytes), kind_(kind) {}

  int64_t live() const noexcept { return live_.load(std::memory_order_relaxed); }

  // A dead slot, counted as live from now on. Throws OutOfMemory.
  void* take() {
    void* slot = nullptr;
    {
      const std::lock_guard<SpinLock> guard(lock_);
      slot = free_;
      if (slot != nullptr) [[likely]] {
        free_ = header(slot).link;
        count(1);
      }
    }
    if (slot == nullptr) slot = take_other();
    allow(static_cast<char*>(slot) + sizeof(SlotHeader), slot_bytes_ - sizeof(SlotHeader));
    return slot;
  }

  // Takes back a slot whose object is gone and whose tag says dead. Its header stays readable:
  // stale handles are compared with it.
  void give(void* slot) noexcept {
    header(slot).refs.store(0, std::memory_order_relaxed);
    forbid(static_cast<char*>(slot) + sizeof(SlotHeader), slot_bytes_ - sizeof(SlotHeader));
    const std::lock_guard<SpinLock> guard(lock_);
    count(-1);
    if (quarantine_on()) [[unlikely]]
      slot = rest(slot);
    if (slot != nullptr) push_free(slot);
  }

  static std::atomic<uint32_t>& tag_of(void* slot) noexcept {
    return std::launder(static_cast<SlotHeader*>(slot))->tag;
  }

 private:
  static SlotHeader& header(void* slot) noexcept {
    return *std::launder(static_cast<SlotHeader*>(slot));
  }
  void count(int64_t by) noexcept {
    live_.store(live_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  void* take_other();
  void* take_dead() noexcept;
  void grow();
  void* rest(void* slot) noexcept;
  void end_rest() noexcept;
  void push_free(void* slot) noexcept {
    header(slot).link = free_;
    free_ = slot;
  }

  const uintptr_t slot_bytes_;
  const uint8_t kind_;
  SpinLock lock_;            // guards everything below but live_'s readers
  SpinLock growing_;         // held by the one thread that fetches a chunk; taken before lock_
  void* free_ = nullptr;     // most recently destroyed first
  void* resting_ = nullptr;  // quarantine, oldest first
  void* last_resting_ = nullptr;
  uint32_t resting_count_ = 0;
  uintptr_t fresh_ = 0;  // never used slots of the newest chunk
  uintptr_t fresh_end_ = 0;
  std::atomic<int64_t> live_{0};
};
static_assert(std::is_trivially_destructible_v<SlabBase>);

// The slab of objects T. `Kind` is unique per T in the process and never 0.
template <class T, uint8_t Kind>
class Slab {
 public:
  static Slab& instance() noexcept {
    static constinit Slab slab;
    return slab;
  }

  // A new T with refs = 1. Without arguments T is default-initialised: its members need
  // initialisers. Throws OutOfMemory, or what T's constructor throws.
  template <class... Args>
  [[gnu::always_inline]] T* create(Args&&... args) {
    static_assert(std::is_base_of_v<SlotHeader, T> && !std::is_polymorphic_v<T>,
                  "SlotHeader must be T's first base, at the slot's own address");
    static_assert(alignof(T) <= kSlotAlignment && slot_bytes() <= kChunkBytes / 4);
    static_assert(Kind != 0);
    void* slot = base_.take();
    const uint32_t dead = SlabBase::tag_of(slot).load(std::memory_order_relaxed);
    T* object = nullptr;
    try {
      if constexpr (sizeof...(Args) == 0) {
        object = ::new (slot) T;
      } else {
        object = ::new (slot) T(std::forward<Args>(args)...);
      }
    } catch (...) {
      SlabBase::tag_of(slot).store(dead, std::memory_order_relaxed);
      base_.give(slot);
      throw;
    }
    const uint32_t used = dead & kTagGeneration;
    const uint32_t generation = used == 255 ? 1 : used + 1;
    object->refs.store(1, std::memory_order_relaxed);
    object->tag.store(kTagLive | uint32_t{Kind} << 8 | generation, std::memory_order_release);
    return object;
  }

  // Ends a live object; NULL is allowed. From here on its handles are stale.
  void destroy(T* object) noexcept {
    if (object == nullptr) return;
    void* slot = object;
    // Only the one owner that is left writes the tag.
    std::atomic<uint32_t>& tag = SlabBase::tag_of(slot);
    tag.store(tag.load(std::memory_order_relaxed) & ~kTagLive, std::memory_order_release);
    object->~T();
    base_.give(slot);
  }

  // The handle of a live object, in the type the C boundary speaks.
  static void* to_handle(T* object) noexcept {
    if (object == nullptr) return nullptr;
    const uint32_t generation = object->tag.load(std::memory_order_relaxed) & kTagGeneration;
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(object) | generation);
  }

  // The live object of a handle; nullptr for NULL, a bare pointer, another kind, a stale handle.
  // The handle must have been a handle of some kind once.
  static T* from_handle(const void* handle) noexcept {
    const uintptr_t bits = reinterpret_cast<uintptr_t>(handle);
    const uint32_t generation = static_cast<uint32_t>(bits) & kTagGeneration;
    if (bits < kSlotAlignment || generation == 0) return nullptr;
    void* slot = reinterpret_cast<void*>(bits & ~(kSlotAlignment - 1));
    const uint32_t tag = SlabBase::tag_of(slot).load(std::memory_order_acquire);
    if (tag != (kTagLive | uint32_t{Kind} << 8 | generation)) return nullptr;
    return std::launder(static_cast<T*>(slot));
  }

  int64_t live() const noexcept { return base_.live(); }

 private:
  constexpr Slab() noexcept : base_(slot_bytes(), Kind) {}

  static constexpr uintptr_t slot_bytes() noexcept {
    return (sizeof(T) + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  }

  SlabBase base_;
};

}  // namespace tenon::base
