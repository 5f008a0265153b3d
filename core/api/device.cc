// SPDX-License-Identifier: Apache-2.0
// core/api/device.cc: one device of one runtime.
#include "core/api/device.h"

#include "core/api/error.h"
#include "core/plugin/plugin_host.h"

namespace tenon {

Device::Device(Runtime& owner, const registry::Backend& from, int32_t index, uint64_t limit)
    : runtime(&owner), backend(&from), id{from.kind, index} {
  memory::Source source;
  source.self = this;
  source.alloc = [](void* self, uint64_t bytes, void** out) {
    Device* d = static_cast<Device*>(self);
    return d->backend->table->alloc(d->backend->self, d->id.index, bytes, out) == TENON_OK;
  };
  source.free = [](void* self, void* data, uint64_t bytes) {
    Device* d = static_cast<Device*>(self);
    d->backend->table->free(d->backend->self, d->id.index, data, bytes);
  };
  allocator = std::make_unique<memory::CachingAllocator>(source, limit);
  if (!host_memory() && backend->table->stream_create(backend->self, index, &stream) != TENON_OK) {
    throw Error{.status = TENON_E_DEVICE,
                .message = "device " + name() + " cannot create a stream",
                .plugin = backend->plugin->id};
  }
}

Device::~Device() {
  tenon_diag diag{};
  if (stream) {
    backend->table->stream_wait(backend->self, id.index, stream, &diag);
    backend->table->stream_release(backend->self, id.index, stream);
  }
}

void Device::copy(uint32_t direction, void* destination, const void* source, uint64_t bytes) {
  if (bytes == 0) return;
  const tenon_status status =
      backend->table->copy(backend->self, id.index, stream, direction, destination, source, bytes);
  if (status != TENON_OK) {
    throw Error{
        .status = status,
        .message = "device " + name() + " failed to copy " + std::to_string(bytes) + " bytes",
        .plugin = backend->plugin->id};
  }
}

void Device::wait() {
  if (host_memory()) return;
  tenon_diag diag{};
  const tenon_status status = backend->table->stream_wait(backend->self, id.index, stream, &diag);
  if (status != TENON_OK) {
    diag.message[sizeof diag.message - 1] = 0;
    throw Error{
        .status = status,
        .message = "device " + name() + ": " + (diag.message[0] ? diag.message : "work failed"),
        .plugin = backend->plugin->id};
  }
}

}  // namespace tenon
