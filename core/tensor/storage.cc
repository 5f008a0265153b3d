// SPDX-License-Identifier: Apache-2.0
// core/tensor/storage.cc: memory with a count and a version.
#include "core/tensor/storage.h"

#include <new>

namespace tenon::tensor {

namespace {

// A figure that finds no memory is left out, as the recorder does.
void trace_memory(const Memory& memory) noexcept {
  try {
    memory.owner->trace.add_counter(memory.name() + " bytes",
                                    static_cast<double>(memory.allocator->stats().live_bytes));
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

Storage* Storage::create(Memory& memory, uint64_t bytes) {
  return create(memory, memory::CachingAllocator::size_for(bytes));
}

Storage* Storage::create(Memory& memory, const memory::Size& size) {
  const memory::Block block = memory.allocate(size);
  Storage* storage = ::new (block.room) Storage;
  storage->block = block;
  storage->memory = &memory;
  storage->data = storage->block.data;
  storage->bytes = size.bytes;
  memory.owner->retain();
  base::add(memory.owner->storages, 1);
  if (memory.owner->trace.active()) trace_memory(memory);
  return storage;
}

Storage* Storage::create_external(Memory& memory, void* data, uint64_t bytes,
                                  void (*deleter)(void* user), void* user) {
  Storage* storage = new Storage;
  storage->memory = &memory;
  storage->data = data;
  storage->bytes = bytes;
  storage->deleter = deleter;
  storage->user = user;
  storage->external = true;
  memory.owner->retain();
  base::add(memory.owner->storages, 1);
  return storage;
}

void Storage::destroy() noexcept {
  Memory& from = *memory;
  Owner& owner = *from.owner;
  if (deleter) deleter(user);
  if (block.data) {
    const memory::Block held = block;
    this->~Storage();
    from.release(held);
  } else {
    delete this;
  }
  base::add(owner.storages, -1);
  owner.release();
}

}  // namespace tenon::tensor
