// SPDX-License-Identifier: Apache-2.0
// core/tensor/storage.h: memory with a count and a version, and what it asks of the floors above.
#pragma once

#include <tenon/types.h>

#include <atomic>
#include <memory>
#include <string>

#include "core/base/count.h"
#include "core/memory/allocator.h"
#include "core/trace/recorder.h"

namespace tenon::tensor {

// A runtime, as its tensors see it. It goes with the last that holds it.
struct Owner {
  void retain() noexcept { base::add(refs, 1); }
  void release() noexcept {
    if (base::add(refs, -1) == 1) delete this;
  }

  std::atomic<int64_t> refs{1};
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> storages{0};
  // Of what captured plans take over as it is: tensors that move to other memory, whether a leaf
  // requires a gradient, hooks, frozen numbers. A plan that sees another count looks what it was.
  std::atomic<uint64_t> changes{0};
  trace::Recorder trace;

 protected:
  virtual ~Owner() = default;
};

// A device, as its storages see it: where their memory comes from. Lives as long as its owner.
struct Memory : NoCopy {
  Memory(Owner& of, const tenon_device& which, bool host) : owner(&of), id(which), host_(host) {}
  virtual ~Memory() = default;

  bool host_memory() const { return host_; }
  virtual std::string name() const = 0;  // "cpu:0"
  memory::Block allocate(const memory::Size& size) {
    return host_ ? allocator->allocate(size) : allocate_apart(size);
  }
  memory::Block allocate(uint64_t bytes) {
    return allocate(memory::CachingAllocator::size_for(bytes));
  }
  void release(memory::Block block) noexcept { allocator->release(block); }

  Owner* const owner;
  const tenon_device id;
  std::unique_ptr<memory::CachingAllocator> allocator;

 private:
  // Memory that is not the host's may be gone.
  virtual memory::Block allocate_apart(const memory::Size& size) = 0;

  const bool host_;
};

// Lives in its block's room; one of foreign memory, on the heap.
struct Storage {
  std::atomic<int64_t> refs{1};
  Memory* memory = nullptr;  // of a runtime that the storage keeps alive
  void* data = nullptr;
  uint64_t bytes = 0;
  memory::Block block{};  // data is ours if block.data is set
  void (*deleter)(void* user) = nullptr;
  void* user = nullptr;
  bool external = false;
  bool read_only = false;
  std::atomic<bool> left{false};     // by a tensor that is elsewhere now (Tensor::move_to)
  std::atomic<bool> planned{false};  // a captured plan works on it, or did
  std::atomic<uint64_t> version{0};
  // The last write through Tenon, for messages about overwritten saved tensors: the op's name, NULL
  // for the host.
  std::atomic<const std::string*> writer{nullptr};
  std::atomic<const std::string*> writer_scope{nullptr};

  // Fresh memory; throws OutOfMemory.
  static Storage* create(Memory& memory, uint64_t bytes);
  static Storage* create(Memory& memory, const memory::Size& size);
  // Somebody else's; `deleter(user)` may be NULL.
  static Storage* create_external(Memory& memory, void* data, uint64_t bytes,
                                  void (*deleter)(void* user), void* user);
  void retain() noexcept { base::add(refs, 1); }
  void release() noexcept {
    if (base::add(refs, -1) == 1) destroy();
  }
  // Two writers at once would be a race of the program's own, so this need not be one instruction.
  [[gnu::always_inline]] void written(const std::string* op, const std::string* scope) noexcept {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    writer.store(op, std::memory_order_relaxed);
    writer_scope.store(scope, std::memory_order_relaxed);
  }

 private:
  void destroy() noexcept;
};
static_assert(sizeof(Storage) <= memory::kRoomBytes);

}  // namespace tenon::tensor
