// SPDX-License-Identifier: Apache-2.0
// core/tensor/tensor.h: storages and tensors.
//
// A Storage is memory with a count and a version; all tensors on it are one alias set. A Tensor is
// a view of a storage behind a public handle, plus its place in a graph. Both may be released on
// any thread; a tensor's graph link is handed to the context that recorded it.
#pragma once

#include <tenon/types.h>

#include <atomic>
#include <span>
#include <string>

#include "core/api/handles.h"
#include "core/memory/allocator.h"
#include "core/memory/count.h"
#include "core/memory/slab.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace tenon {
struct Runtime;
struct Context;
struct Device;
namespace registry {
struct Op;
}
namespace autograd {
struct Link;
}
}  // namespace tenon

namespace tenon::tensor {

// What new tensors of one kind are like.
struct Fresh {
  tenon_dtype dtype = 0;
  int32_t rank = 0;
  uint64_t form = 0;  // theirs alone
  memory::Size size;
  Dims shape{};
  Dims strides{};
};
// Row-major. The shape must have been checked.
Fresh fresh_like(const tenon_meta& meta) noexcept;

// Lives in its block's room; one of foreign memory, on the heap.
struct Storage {
  std::atomic<int64_t> refs{1};
  Device* device = nullptr;  // lives as long as the runtime, which the storage keeps alive
  void* data = nullptr;
  uint64_t bytes = 0;
  memory::Block block{};  // data is ours where block.data is set
  void (*deleter)(void* user) = nullptr;
  void* user = nullptr;
  bool external = false;
  bool read_only = false;
  std::atomic<uint64_t> version{0};
  // The last write through Tenon, for messages about overwritten saved tensors.
  std::atomic<const registry::Op*> writer{nullptr};
  std::atomic<const std::string*> writer_scope{nullptr};

  // Fresh memory on `device`; throws OutOfMemory.
  static Storage* create(Device& device, uint64_t bytes);
  static Storage* create(Device& device, const memory::Size& size);
  // Somebody else's; `deleter(user)` may be NULL.
  static Storage* create_external(Device& device, void* data, uint64_t bytes,
                                  void (*deleter)(void* user), void* user);
  void retain() noexcept { memory::add(refs, 1); }
  void release() noexcept {
    if (memory::add(refs, -1) == 1) destroy();
  }
  // Two writers at once would be a race of the program's own, so this need not be one instruction.
  [[gnu::always_inline]] void written(const registry::Op* op, const std::string* scope) noexcept {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    writer.store(op, std::memory_order_relaxed);
    writer_scope.store(scope, std::memory_order_relaxed);
  }

 private:
  void destroy() noexcept;
};
static_assert(sizeof(Storage) <= memory::kRoomBytes);

struct Tensor : memory::SlotHeader {
  Storage* storage = nullptr;
  Runtime* runtime = nullptr;
  tenon_view view{};   // shape and strides point to the arrays below
  int64_t offset = 0;  // elements from the storage's start
  std::atomic<autograd::Link*> link{nullptr};
  // Tensors of one form have equal dtypes, shapes, strides, devices, alignments and flags; the
  // reverse need not hold. So one comparison often tells what many would.
  uint64_t form = 0;
  int64_t shape_[TENON_MAX_RANK];
  int64_t strides_[TENON_MAX_RANK];

  DimSpan shape() const { return {shape_, static_cast<size_t>(view.rank)}; }
  DimSpan strides() const { return {strides_, static_cast<size_t>(view.rank)}; }
  tenon_dtype dtype() const { return view.dtype; }
  int64_t elements() const { return count(shape()); }
  uint32_t element_size() const { return size_of(view.dtype); }
  Device& device() const { return *storage->device; }
  bool contiguous() const { return is_row_major(shape(), strides()); }

  // A new handle with one owner on a retained `storage` (the caller's reference is taken over, also
  // when this throws). `offset` in elements. `form` where the caller knows it; else a new one.
  static Tensor* create(Storage* storage, tenon_dtype dtype, DimSpan shape, const int64_t* strides,
                        int64_t offset, uint64_t form = 0);
  // Fresh and row-major; throws OutOfMemory. The shape must have been checked.
  static Tensor* create(Device& device, tenon_dtype dtype, DimSpan shape);
  static Tensor* create(Device& device, const Fresh& like);
  static uint64_t new_form() noexcept;
  // Another handle on the same view, without graph link.
  Tensor* alias() const;

  void retain() noexcept { memory::add(refs, 1); }
  void release() noexcept {
    if (memory::add(refs, -1) == 1) destroy();
  }

 private:
  void destroy() noexcept;
};
static_assert(sizeof(Tensor) <= 256, "one slot");

using TensorSlab = memory::Slab<Tensor, kTensorKind>;

inline tenon_tensor* handle(Tensor* tensor) {
  return static_cast<tenon_tensor*>(TensorSlab::to_handle(tensor));
}
// nullptr where the handle is not a live tensor's.
inline Tensor* from_handle(const tenon_tensor* handle) { return TensorSlab::from_handle(handle); }

// Owning pointer for core code.
class Ref {
 public:
  Ref() = default;
  explicit Ref(Tensor* owned) : tensor_(owned) {}
  Ref(const Ref& other) : tensor_(other.tensor_) {
    if (tensor_) tensor_->retain();
  }
  Ref(Ref&& other) noexcept : tensor_(other.tensor_) { other.tensor_ = nullptr; }
  Ref& operator=(Ref other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  ~Ref() {
    if (tensor_) tensor_->release();
  }
  static Ref shared(Tensor* tensor) {
    if (tensor) tensor->retain();
    return Ref(tensor);
  }
  void reset() noexcept {
    if (tensor_) std::exchange(tensor_, nullptr)->release();
  }
  Tensor* get() const { return tensor_; }
  Tensor* operator->() const { return tensor_; }
  Tensor& operator*() const { return *tensor_; }
  explicit operator bool() const { return tensor_ != nullptr; }
  Tensor* take() { return std::exchange(tensor_, nullptr); }

 private:
  Tensor* tensor_ = nullptr;
};

// Shape, dtype and device are the same.
bool alike(const Tensor& a, const Tensor& b) noexcept;
// "f32[2,3]"
std::string describe(const Tensor& tensor);
std::string describe(const tenon_meta& meta);
tenon_meta meta_of(const Tensor& tensor);

// Do the two share a byte? Conservative: compares the ranges of addresses they touch.
bool may_overlap(const tenon_view& a, const tenon_view& b) noexcept;
// Same address, shape, strides and dtype.
bool same_view(const tenon_view& a, const tenon_view& b) noexcept;

}  // namespace tenon::tensor
