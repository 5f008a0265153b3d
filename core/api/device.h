// SPDX-License-Identifier: Apache-2.0
// core/api/device.h: one device of one runtime.
#pragma once

#include <tenon/plugin.h>

#include <memory>
#include <string>

#include "core/memory/allocator.h"
#include "core/registry/registry.h"

namespace tenon {

struct Runtime;

// One device of one runtime: the backend's index with our caching allocator and default stream.
struct Device {
  Device(Runtime& owner, const registry::Backend& from, int32_t index, uint64_t limit);
  ~Device();

  memory::Block allocate(uint64_t bytes) { return allocator->allocate(bytes); }
  void release(memory::Block block) noexcept { allocator->release(block); }
  bool host_memory() const { return (backend->table->flags & TENON_BACKEND_HOST_MEMORY) != 0; }
  // Raw copy; throws on failure.
  void copy(uint32_t direction, void* destination, const void* source, uint64_t bytes);
  // Waits for the default stream; throws the first failure.
  void wait();
  std::string name() const { return backend->kind_name + ":" + std::to_string(id.index); }

  Runtime* runtime;
  const registry::Backend* backend;
  tenon_device id;
  void* stream = nullptr;
  std::unique_ptr<memory::CachingAllocator> allocator;
};

}  // namespace tenon
