// SPDX-License-Identifier: Apache-2.0
// core/plan/buffers.cc: storages that a capture holds, and those whose end it only notices.
#include "core/plan/buffers.h"

#include <mutex>

namespace tenon::plan {

// Shared by a storage, whose `deleter` it is, and the capture; whoever is last deletes it.
struct Buffers::Watch {
  base::SpinLock lock;
  bool gone = false;
  std::atomic<int> refs{2};

  void release() noexcept {
    if (base::add(refs, -1) == 1) delete this;
  }
  // The storage ends, on any thread.
  static void note(void* self) {
    Watch& watch = *static_cast<Watch*>(self);
    {
      const std::lock_guard guard(watch.lock);
      watch.gone = true;
    }
    watch.release();
  }
};

Buffers::~Buffers() { cut(0); }

uint32_t Buffers::number(Storage& storage) {
  const auto known = numbers_.find(&storage);
  if (known != numbers_.end()) {
    const Buffer& buffer = buffers_[known->second];
    // Another storage at the address of one that ended has no watch, or another one.
    if (buffer.state != State::kWatched || storage.user == buffer.watch) return known->second;
  }
  const auto fresh = static_cast<uint32_t>(buffers_.size());
  buffers_.push_back({&storage, static_cast<char*>(storage.data), storage.bytes, storage.memory});
  try {
    numbers_[&storage] = fresh;
  } catch (...) {
    buffers_.pop_back();
    throw;
  }
  return fresh;
}

void Buffers::hold(uint32_t number) {
  Buffer& buffer = buffers_[number];
  if (buffer.state != State::kNew) return;
  buffer.storage->retain();
  buffer.state = State::kHeld;
}

void Buffers::watch(uint32_t number) {
  Buffer& buffer = buffers_[number];
  if (buffer.state != State::kNew) return;
  Storage& storage = *buffer.storage;
  if (storage.external || storage.deleter) return hold(number);
  buffer.watch = new Watch;
  buffer.state = State::kWatched;
  storage.user = buffer.watch;
  storage.deleter = Watch::note;
}

bool Buffers::holds(const Storage& storage) const {
  const auto known = numbers_.find(&storage);
  return known != numbers_.end() && buffers_[known->second].state == State::kHeld;
}

bool Buffers::is_watched(const Storage& storage) const {
  const auto known = numbers_.find(&storage);
  if (known == numbers_.end()) return false;
  const Buffer& buffer = buffers_[known->second];
  return buffer.state == State::kWatched && storage.user == buffer.watch;
}

bool Buffers::catch_up(Buffer& buffer) noexcept {
  Watch& watch = *buffer.watch;
  {
    const std::lock_guard guard(watch.lock);
    if (watch.gone) return false;
    // Its end waits for the lock, so that it is a storage still; it may have begun.
    std::atomic<int64_t>& refs = buffer.storage->refs;
    int64_t now = refs.load();
    while (now > 0 && !refs.compare_exchange_weak(now, now + 1)) {
    }
    if (now == 0) return false;
    buffer.storage->deleter = nullptr;
    buffer.storage->user = nullptr;
  }
  watch.release();
  watch.release();
  buffer.watch = nullptr;
  buffer.state = State::kHeld;
  return true;
}

bool Buffers::is_referred(uint32_t number) {
  Buffer& buffer = buffers_[number];
  if (buffer.state == State::kWatched) return catch_up(buffer);
  return buffer.storage->refs.load() > 1 || buffer.storage->external;
}

void Buffers::let_go(Buffer& buffer) noexcept {
  if (buffer.state == State::kWatched && !catch_up(buffer)) buffer.watch->release();
  if (buffer.state == State::kHeld) buffer.storage->release();
}

void Buffers::cut(size_t count) noexcept {
  while (buffers_.size() > count) {
    Buffer& last = buffers_.back();
    const auto known = numbers_.find(last.storage);
    if (known != numbers_.end() && known->second == buffers_.size() - 1) numbers_.erase(known);
    let_go(last);
    buffers_.pop_back();
  }
}

void Buffers::give_held(const std::vector<bool>& temporary, std::vector<Storage*>& taken) noexcept {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (temporary[i] || buffers_[i].state != State::kHeld) continue;
    taken.push_back(buffers_[i].storage);
    buffers_[i].storage->retain();
  }
  cut(0);
}

}  // namespace tenon::plan
