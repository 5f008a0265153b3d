// SPDX-License-Identifier: Apache-2.0
// core/tensor/tensor.cc: storages and tensors.
#include "core/tensor/tensor.h"

#include <cstring>
#include <memory>
#include <new>

#include "core/api/error.h"
#include "core/api/runtime.h"
#include "core/autograd/graph.h"
#include "core/tensor/addresses.h"

namespace tenon::tensor {

namespace {

// A figure that finds no memory is left out, as the recorder does.
void trace_memory(const Device& device) noexcept {
  try {
    device.runtime->trace.add_counter(device.name() + " bytes",
                                      static_cast<double>(device.allocator->stats().live_bytes));
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

Storage* Storage::create(Device& device, uint64_t bytes) {
  return create(device, memory::CachingAllocator::size_for(bytes));
}

Storage* Storage::create(Device& device, const memory::Size& size) {
  const memory::Block block = device.allocate(size);
  Storage* storage = ::new (block.room) Storage;
  storage->block = block;
  storage->device = &device;
  storage->data = storage->block.data;
  storage->bytes = size.bytes;
  device.runtime->retain();
  memory::add(device.runtime->storages, 1);
  if (device.runtime->trace.active()) trace_memory(device);
  return storage;
}

Storage* Storage::create_external(Device& device, void* data, uint64_t bytes,
                                  void (*deleter)(void* user), void* user) {
  Storage* storage = new Storage;
  storage->device = &device;
  storage->data = data;
  storage->bytes = bytes;
  storage->deleter = deleter;
  storage->user = user;
  storage->external = true;
  device.runtime->retain();
  memory::add(device.runtime->storages, 1);
  return storage;
}

void Storage::destroy() noexcept {
  Device& from = *device;
  Runtime& runtime = *from.runtime;
  if (deleter) deleter(user);
  if (block.data) {
    const memory::Block held = block;
    this->~Storage();
    from.release(held);
  } else {
    delete this;
  }
  memory::add(runtime.storages, -1);
  runtime.release();
}

uint64_t Tensor::new_form() noexcept {
  static constinit std::atomic<uint64_t> last{0};
  return memory::add(last, 1) + 1;
}

Tensor* Tensor::create(Storage* storage, tenon_dtype dtype, DimSpan shape, const int64_t* strides,
                       int64_t offset, uint64_t form) {
  Tensor* tensor = nullptr;
  try {
    tensor = TensorSlab::instance().create();
  } catch (...) {
    storage->release();
    throw;
  }
  tensor->storage = storage;
  tensor->runtime = storage->device->runtime;
  memory::add(tensor->runtime->tensors, 1);
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
  v.device = storage->device->id;
  v.flags = storage->read_only ? TENON_VIEW_READ_ONLY : 0u;
  return tensor;
}

Tensor* Tensor::create(Device& device, tenon_dtype dtype, DimSpan shape) {
  Dims strides{};
  row_major_strides(shape, strides.data());
  const uint64_t bytes = static_cast<uint64_t>(count(shape)) * size_of(dtype);
  return create(Storage::create(device, bytes), dtype, shape, strides.data(), 0);
}

Fresh fresh_like(const tenon_meta& meta) noexcept {
  const DimSpan shape(meta.shape, static_cast<size_t>(meta.rank));
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

Tensor* Tensor::create(Device& device, const Fresh& like) {
  Storage* const storage = Storage::create(device, like.size);
  return create(storage, like.dtype, {like.shape.data(), static_cast<size_t>(like.rank)},
                like.strides.data(), 0, like.form);
}

Tensor* Tensor::alias() const {
  storage->retain();
  return create(storage, view.dtype, shape(), strides_, offset, form);
}

void Tensor::destroy() noexcept {
  if (autograd::Link* own = link.load(std::memory_order_acquire)) autograd::drop(own);
  Storage* held = storage;
  memory::add(runtime->tensors, -1);
  TensorSlab::instance().destroy(this);
  held->release();
}

std::string describe(const Tensor& tensor) {
  return std::string(name_of(tensor.dtype())) + dims_text(tensor.shape());
}

std::string describe(const tenon_meta& meta) {
  return std::string(name_of(meta.dtype)) + dims_text({meta.shape, static_cast<size_t>(meta.rank)});
}

bool alike(const Tensor& a, const Tensor& b) noexcept {
  return std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end()) &&
         a.dtype() == b.dtype() && &a.device() == &b.device();
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
  const DimSpan shape(view.shape, static_cast<size_t>(view.rank));
  int64_t low = 0;
  int64_t high = 0;
  if (!extent(shape, {view.strides, shape.size()}, low, high)) return {};
  const auto first = reinterpret_cast<intptr_t>(view.data);
  const auto size = static_cast<int64_t>(size_of(view.dtype));
  return {first + low * size, first + (high + 1) * size};
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
