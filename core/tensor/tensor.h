// SPDX-License-Identifier: Apache-2.0
// core/tensor/tensor.h: a view of a storage that a public handle leads to, and its place in a
// graph.
//
// All tensors on one storage are one alias set. They may be released on any thread; the link to a
// graph is given back to the floor that made it.
#pragma once

#include <tenon/types.h>

#include <atomic>
#include <optional>
#include <string>

#include "core/base/count.h"
#include "core/base/handles.h"
#include "core/base/slab.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"
#include "core/tensor/storage.h"

namespace tenon::tensor {

// What new tensors of one kind are like.
struct Fresh {
  tenon_dtype dtype = 0;
  int32_t rank = 0;
  uint32_t flags = 0;  // of a view
  uint64_t form = 0;   // theirs alone
  memory::Size size;
  Dims shape{};
  Dims strides{};
};
// Row-major. The shape must have been checked.
Fresh fresh_like(const tenon_meta& meta) noexcept;

// A tensor's place in a graph, whose kind the graph knows. It is the tensor's until that goes.
struct GraphLink {
  explicit GraphLink(void (*drops)(GraphLink*) noexcept) : drop(drops) {}
  void (*drop)(GraphLink* link) noexcept;  // on any thread
};

struct Tensor : base::SlotHeader {
  Storage* storage = nullptr;
  Owner* owner = nullptr;
  tenon_view view{};   // shape and strides point to the arrays below
  int64_t offset = 0;  // elements from the storage's start
  std::atomic<GraphLink*> link{nullptr};
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
  bool contiguous() const { return is_row_major(shape(), strides()); }
  // See why_read_only.
  bool read_only() const { return (view.flags & TENON_VIEW_READ_ONLY) != 0; }

  // A new handle with one owner on a retained `storage` (the caller's reference is taken over, also
  // when this throws). `offset` in elements. `form` if the caller knows it; else a new one. `flags`
  // beside those of the storage.
  static Tensor* create(Storage* storage, tenon_dtype dtype, DimSpan shape, const int64_t* strides,
                        int64_t offset, uint64_t form = 0, uint32_t flags = 0);
  // Fresh and row-major; throws OutOfMemory. The shape must have been checked.
  static Tensor* create(Memory& memory, tenon_dtype dtype, DimSpan shape);
  static Tensor* create(Memory& memory, const Fresh& like);
  static uint64_t new_form() noexcept;
  // Another handle on the same view, without graph link.
  Tensor* alias() const;
  // Takes the memory of `fresh`, which has the same shape and dtype and the same values elsewhere,
  // and gives it its own. What was saved for a backward, and plans, can tell; `writer` as that of a
  // storage. Nobody else may use the tensor meanwhile.
  void move_to(Tensor& fresh, const std::string* writer) noexcept;

  void retain() noexcept { base::add(refs, 1); }
  void release() noexcept {
    if (base::add(refs, -1) == 1) destroy();
  }

 private:
  void destroy() noexcept;
};
static_assert(sizeof(Tensor) <= 256, "one slot");

using TensorSlab = base::Slab<Tensor, kTensorKind>;

inline tenon_tensor* handle(Tensor* tensor) {
  return static_cast<tenon_tensor*>(TensorSlab::to_handle(tensor));
}
// nullptr if the handle is not a live tensor's.
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

// Another window on the memory of `of`: `offset` in elements from the storage's start. It must lie
// in the storage. Read-only if elements of it share an address, and if `of` is: a row of an
// expanded tensor is all of its rows.
Ref window(const Tensor& of, DimSpan shape, const int64_t* strides, int64_t offset);

// Why a tensor may not be written, in words for a message: "the tensor " + what.
struct ReadOnly {
  std::string what;
  std::string expected;
  std::string found;
  std::string hint;
};
// Nothing if it may be. Memory may be read-only, or elements share an address with others of the
// tensor, or of one that it is a window on.
std::optional<ReadOnly> why_read_only(const Tensor& tensor);

// Elements [begin, begin + count) of the memory from the first element on, as one dimension; of a
// row-major tensor these are its elements.
Ref elements(const Tensor& of, int64_t begin, int64_t count);

inline DimSpan shape_of(const tenon_meta& meta) {
  return {meta.shape, static_cast<size_t>(meta.rank)};
}
// [n, ...] of which `row` is one row; its rank must be below TENON_MAX_RANK.
tenon_meta rows_of(int64_t n, const tenon_meta& row) noexcept;
// One row of `rows`, whose rank must not be 0.
tenon_meta row_of(const tenon_meta& rows) noexcept;

// Shape, dtype and memory are the same.
bool alike(const Tensor& a, const Tensor& b) noexcept;
// "f32[2,3]"
std::string describe(const Tensor& tensor);
std::string describe(const tenon_meta& meta);
tenon_meta meta_of(const Tensor& tensor);

// Which addresses elements lie between: from the first byte until the one after the last; both 0 if
// there is no element.
struct Addresses {
  intptr_t begin = 0;
  intptr_t end = 0;
  bool meet(const Addresses& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};

// Bytes between the elements count too.
Addresses addresses_of(const tenon_view& view) noexcept;

// Do the two share a byte? Conservative: compares the ranges of addresses they touch.
bool may_overlap(const tenon_view& a, const tenon_view& b) noexcept;
// Same address, shape, strides and dtype.
bool same_view(const tenon_view& a, const tenon_view& b) noexcept;

}  // namespace tenon::tensor
