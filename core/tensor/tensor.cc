// SPDX-License-Identifier: Apache-2.0
// core/tensor/tensor.cc: tensors, and which of them share memory.
#include "core/tensor/tensor.h"

#include <new>

namespace tenon::tensor {

uint64_t Tensor::new_form() noexcept {
  static constinit std::atomic<uint64_t> last{0};
  return base::add(last, 1) + 1;
}

Tensor* Tensor::create(Storage* storage, tenon_dtype dtype, DimSpan shape, const int64_t* strides,
                       int64_t offset, uint64_t form, uint32_t flags) {
  Tensor* tensor = nullptr;
  try {
    tensor = TensorSlab::instance().create();
  } catch (...) {
    storage->release();
    throw;
  }
  tensor->storage = storage;
  tensor->owner = storage->memory->owner;
  base::add(tensor->owner->tensors, 1);
  tensor->offset = offset;
  tensor->form = form ? form : new_form();
  for (size_t i = 0; i < shape.size(); ++i) {
    tensor->shape_[i] = shape[i];
    tensor->strides_[i] = strides[i];
  }
  tenon_view& v = tensor->view;
  v.data = storage->data;
  // Unsigned arithmetic: an empty view's offset may lie past the end.
  if (offset != 0) {
    v.data = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(storage->data) +
                                     static_cast<uintptr_t>(offset) * size_of(dtype));
  }
  v.shape = tensor->shape_;
  v.strides = tensor->strides_;
  v.rank = static_cast<int32_t>(shape.size());
  v.dtype = dtype;
  v.device = storage->memory->id;
  v.flags = flags | (storage->read_only ? TENON_VIEW_READ_ONLY : 0u);
  return tensor;
}

Tensor* Tensor::create(Memory& memory, tenon_dtype dtype, DimSpan shape) {
  Dims strides{};
  row_major_strides(shape, strides.data());
  const uint64_t bytes = static_cast<uint64_t>(count(shape)) * size_of(dtype);
  return create(Storage::create(memory, bytes), dtype, shape, strides.data(), 0);
}

Fresh fresh_like(const tenon_meta& meta) noexcept {
  const DimSpan shape = shape_of(meta);
  Fresh like;
  like.dtype = meta.dtype;
  like.rank = meta.rank;
  like.form = Tensor::new_form();
  std::copy(shape.begin(), shape.end(), like.shape.begin());
  row_major_strides(shape, like.strides.data());
  like.size =
      memory::CachingAllocator::size_for(static_cast<uint64_t>(count(shape)) * size_of(meta.dtype));
  return like;
}

Tensor* Tensor::create(Memory& memory, const Fresh& like) {
  Storage* const storage = Storage::create(memory, like.size);
  return create(storage, like.dtype, {like.shape.data(), static_cast<size_t>(like.rank)},
                like.strides.data(), 0, like.form);
}

Tensor* Tensor::alias() const {
  storage->retain();
  return create(storage, view.dtype, shape(), strides_, offset, form, view.flags);
}

void Tensor::move_to(Tensor& fresh, const std::string* writer) noexcept {
  storage->written(writer, nullptr);
  storage->left.store(true, std::memory_order_relaxed);
  fresh.storage->version.store(storage->version.load(std::memory_order_relaxed),
                               std::memory_order_relaxed);
  fresh.storage->writer.store(writer, std::memory_order_relaxed);
  std::swap(storage, fresh.storage);
  std::swap(offset, fresh.offset);
  std::swap(form, fresh.form);
  std::swap(view.data, fresh.view.data);
  std::swap(view.device, fresh.view.device);
  std::swap(view.flags, fresh.view.flags);
  std::swap(strides_, fresh.strides_);
  owner->changes.fetch_add(1, std::memory_order_release);
}

void Tensor::destroy() noexcept {
  if (GraphLink* own = link.load(std::memory_order_acquire)) own->drop(own);
  Storage* held = storage;
  base::add(owner->tensors, -1);
  TensorSlab::instance().destroy(this);
  held->release();
}

Ref window(const Tensor& of, DimSpan shape, const int64_t* strides, int64_t offset) {
  const bool read_only = of.read_only() || overlaps_itself(shape, {strides, shape.size()});
  of.storage->retain();
  return Ref(Tensor::create(of.storage, of.dtype(), shape, strides, offset, 0,
                            read_only ? TENON_VIEW_READ_ONLY : 0u));
}

std::optional<ReadOnly> why_read_only(const Tensor& tensor) {
  if (!tensor.read_only()) return std::nullopt;
  if (tensor.storage->read_only) {
    return ReadOnly{"is read-only", "memory that may be written", "read-only memory", {}};
  }
  const std::string layout =
      "strides " + dims_text(tensor.strides()) + " for shape " + dims_text(tensor.shape());
  constexpr const char* hint = "write to what was expanded, or to a clone";
  if (overlaps_itself(tensor.shape(), tensor.strides())) {
    return ReadOnly{"overlaps itself", "one address for each element", layout, hint};
  }
  return ReadOnly{"is a part of a tensor that overlaps itself", "one address for each element",
                  layout + " of what other elements share", hint};
}

Ref elements(const Tensor& of, int64_t begin, int64_t count) {
  const int64_t step = 1;
  return window(of, {&count, 1}, &step, of.offset + begin);
}

tenon_meta rows_of(int64_t n, const tenon_meta& row) noexcept {
  tenon_meta rows = row;
  std::copy_n(row.shape, row.rank, rows.shape + 1);
  rows.shape[0] = n;
  ++rows.rank;
  return rows;
}

tenon_meta row_of(const tenon_meta& rows) noexcept {
  tenon_meta row = rows;
  --row.rank;
  std::copy_n(rows.shape + 1, row.rank, row.shape);
  return row;
}

std::string describe(const Tensor& tensor) {
  return std::string(name_of(tensor.dtype())) + dims_text(tensor.shape());
}

std::string describe(const tenon_meta& meta) {
  return std::string(name_of(meta.dtype)) + dims_text(shape_of(meta));
}

bool alike(const Tensor& a, const Tensor& b) noexcept {
  return std::ranges::equal(a.shape(), b.shape()) && a.dtype() == b.dtype() &&
         a.storage->memory == b.storage->memory;
}

tenon_meta meta_of(const Tensor& tensor) {
  tenon_meta meta{};
  meta.rank = tensor.view.rank;
  meta.dtype = tensor.view.dtype;
  meta.device = tensor.view.device;
  std::copy(tensor.shape_, tensor.shape_ + tensor.view.rank, meta.shape);
  return meta;
}

Addresses addresses_of(const tenon_view& view) noexcept {
  const Extent reach = extent(shape_of(view), strides_of(view));
  if (reach.empty()) return {};
  const auto first = reinterpret_cast<intptr_t>(view.data);
  const auto size = static_cast<int64_t>(size_of(view.dtype));
  return {first + reach.low * size, first + (reach.high + 1) * size};
}

bool may_overlap(const tenon_view& a, const tenon_view& b) noexcept {
  return addresses_of(a).meet(addresses_of(b));
}

bool same_view(const tenon_view& a, const tenon_view& b) noexcept {
  if (a.data != b.data || a.rank != b.rank || a.dtype != b.dtype) return false;
  for (int32_t i = 0; i < a.rank; ++i) {
    if (a.shape[i] != b.shape[i]) return false;
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

}  // namespace tenon::tensor
