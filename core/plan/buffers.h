// SPDX-License-Identifier: Apache-2.0
// core/plan/buffers.h: the memory that the launches of a capture touch, by number.
//
// What a launch overwrites before anything else touches it may turn out to be a temporary: memory
// that nobody refers to when the capture ends. It is watched, not held, so that a capture needs no
// more memory than the step itself; the same address may be many buffers, one after another.
// Everything else is held.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/tensor/storage.h"

namespace tenon::plan {

using tensor::Storage;

class Buffers : NoCopy {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  [[gnu::cold]] Buffers() = default;
  [[gnu::cold]] ~Buffers();

  // The number of a live storage; a new one until it is held or watched.
  [[gnu::cold]] uint32_t number(Storage& storage);
  [[gnu::cold]] void hold(uint32_t number);
  // Only what is overwritten first; holds it if it cannot be watched.
  [[gnu::cold]] void watch(uint32_t number);
  bool is_new(uint32_t number) const { return buffers_[number].state == State::kNew; }
  // Is one of the storage's references ours?
  [[gnu::cold]] bool holds(const Storage& storage) const;
  // Has a launch overwritten it before anything else touched it?
  [[gnu::cold]] bool is_watched(const Storage& storage) const;
  // Does anybody but us refer to it? If so, it is held from now on.
  [[gnu::cold]] bool is_referred(uint32_t number);
  // Forgets those from `count` on.
  [[gnu::cold]] void cut(size_t count) noexcept;
  // All that are held but temporaries go to `taken`, with our references; it has room for them.
  // The rest is let go of.
  [[gnu::cold]] void give_held(const std::vector<bool>& temporary,
                               std::vector<Storage*>& taken) noexcept;

  size_t size() const { return buffers_.size(); }
  // Of its life as this buffer.
  char* data(uint32_t number) const { return buffers_[number].data; }
  uint64_t bytes(uint32_t number) const { return buffers_[number].bytes; }
  tensor::Memory& memory(uint32_t number) const { return *buffers_[number].memory; }
  Storage& held_storage(uint32_t number) const { return *buffers_[number].storage; }

 private:
  struct Watch;
  enum class State : uint8_t { kNew, kHeld, kWatched };
  struct Buffer {
    Storage* storage;  // gone if it was watched and is no more
    char* data;
    uint64_t bytes;
    tensor::Memory* memory;
    State state = State::kNew;
    Watch* watch = nullptr;
  };
  // A reference to what is watched, if it still lives: it is held then.
  bool catch_up(Buffer& buffer) noexcept;
  void let_go(Buffer& buffer) noexcept;

  std::vector<Buffer> buffers_;
  std::unordered_map<const Storage*, uint32_t> numbers_;  // the newest at each address
};

}  // namespace tenon::plan
