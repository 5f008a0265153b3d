// SPDX-License-Identifier: Apache-2.0
// core/api/pinned.cc: blocks of pinned host memory.
#include "core/api/pinned.h"

#include <algorithm>
#include <bit>

#include "core/api/device.h"

namespace tenon {

namespace {
constexpr uint64_t kSmallestBlock = 4096;
}

PinnedPool::PinnedPool(Device& device, const tenon_backend_pinned_table& table)
    : device_(device), table_(table) {}

PinnedPool::~PinnedPool() {
  const registry::Backend& backend = *device_.backend;
  for (const auto& block : blocks_) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    table_.free(backend.self, block->data, block->capacity);
  }
}

// An event that failed is answered by waiting for everything: nothing is under way after that.
bool PinnedPool::finished(Block& block) {
  const registry::Backend& backend = *device_.backend;
  tenon_diag diag{};
  uint32_t done = 0;
  const tenon_status status =
      backend.table->event_query(backend.self, device_.id.index, block.event, &done, &diag);
  if (status == TENON_OK) return done != 0;
  diag.message[sizeof diag.message - 1] = 0;
  device_.keep(status, diag.message[0] ? diag.message : "an event failed");
  device_.collect();
  return true;
}

PinnedPool::Block* PinnedPool::make(uint64_t capacity) {
  const registry::Backend& backend = *device_.backend;
  if (bytes_ + capacity > kLimit) return nullptr;
  auto block = std::make_unique<Block>();
  blocks_.reserve(blocks_.size() + 1);
  if (backend.table->event_create(backend.self, device_.id.index, &block->event) != TENON_OK) {
    return nullptr;
  }
  if (table_.alloc(backend.self, capacity, &block->data) != TENON_OK || !block->data) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    return nullptr;
  }
  if (!is_aligned(block->data)) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    table_.free(backend.self, block->data, capacity);
    fail_unaligned(backend, "pinned memory of " + device_.name(), block->data);
  }
  block->capacity = capacity;
  bytes_ += capacity;
  blocks_.push_back(std::move(block));
  return blocks_.back().get();
}

PinnedPool::Block* PinnedPool::take(uint64_t bytes) {
  if (bytes > kLargestBlock) return nullptr;
  const uint64_t capacity = std::bit_ceil(std::max(bytes, kSmallestBlock));
  std::lock_guard lock(mutex_);
  Block* found = nullptr;
  for (const auto& block : blocks_) {
    if (block->capacity != capacity || block->state == Block::Taken) continue;
    if (block->state == Block::Sent && !finished(*block)) continue;
    found = block.get();
    break;
  }
  if (!found) found = make(capacity);
  if (found) found->state = Block::Taken;
  return found;
}

tenon_status PinnedPool::send(Block* block) {
  const registry::Backend& backend = *device_.backend;
  const tenon_status status =
      backend.table->event_record(backend.self, device_.id.index, block->event, device_.stream);
  std::lock_guard lock(mutex_);
  if (status == TENON_OK) block->state = Block::Sent;
  return status;
}

void PinnedPool::give_back(Block* block) {
  std::lock_guard lock(mutex_);
  block->state = Block::Idle;
}

uint64_t PinnedPool::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace tenon
