// SPDX-License-Identifier: Apache-2.0
// core/api/tensor_api.cc: public functions of tensors.

#include "core/api/guard.h"
#include "core/dispatch/roles.h"
#include "core/exchange/dlpack.h"
#include "core/inspect/print.h"
#include "core/launch/moves.h"
#include "core/tensor/external.h"

using namespace tenon;
using namespace tenon::api;
using tensor::Dims;
using tensor::DimSpan;
using tensor::Storage;

namespace {

tenon_tensor* give(Tensor* tensor) { return tensor::handle(tensor); }

DimSpan read_shape(int32_t rank, const int64_t* shape) {
  if (rank < 0 || rank > TENON_MAX_RANK) {
    fail(TENON_E_SHAPE, "a tensor has 0 to 8 dimensions", "rank", "0 to 8", std::to_string(rank));
  }
  if (rank > 0) require_pointer(shape, "shape");
  return {shape, static_cast<size_t>(rank)};
}

void check_dtype(tenon_dtype dtype) {
  if (tensor::is_known(dtype)) return;
  fail(TENON_E_DTYPE, "unknown dtype", "dtype", "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64",
       std::to_string(dtype));
}

Device& chosen_device(Context& context, const tenon_device* device) {
  return device ? context.runtime->device(*device) : context.default_device();
}

Tensor* create(Context& context, tenon_dtype dtype, const tenon_device* device, int32_t rank,
               const int64_t* shape) {
  const DimSpan dims = read_shape(rank, shape);
  check_dtype(dtype);
  tensor::checked_count(dims, tensor::size_of(dtype));
  return Tensor::create(chosen_device(context, device), dtype, dims);
}

uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.elements()) * tensor.element_size();
}

void check_bytes(const Tensor& tensor, uint64_t bytes) {
  if (bytes == bytes_of(tensor)) return;
  fail(TENON_E_SHAPE, "the number of bytes does not fit the tensor", "bytes",
       std::to_string(bytes_of(tensor)) + " for " + tensor::describe(tensor),
       std::to_string(bytes));
}

// A row-major tensor over the caller's memory for the length of one copy.
Ref borrow(Context& context, const Tensor& like, void* data) {
  Dims strides{};
  tensor::row_major_strides(like.shape(), strides.data());
  Storage* storage = Storage::create_external(context.runtime->host_device(), data, bytes_of(like),
                                              nullptr, nullptr);
  return Ref(Tensor::create(storage, like.dtype(), like.shape(), strides.data(), 0));
}

void copy_in(Context& context, Tensor& tensor, const void* data) {
  if (tensor.elements() == 0) return;
  if (device_of(tensor).host_memory() && tensor.contiguous()) {
    std::memcpy(tensor.view.data, data, bytes_of(tensor));
    return;
  }
  const CaptureSuspended suspended(context);
  const Ref source = borrow(context, tensor, const_cast<void*>(data));
  launch::copy_into(context, *source, tensor);
}

void check_writable(const Context& context, const Tensor& tensor) {
  launch::require_writable(tensor, "the tensor", {});
  if (context.grad_enabled() && tape::requires_grad(tensor)) {
    fail(TENON_E_GRAD, "the tensor requires a gradient; writing to it would go unrecorded",
         "tensor", {}, tensor::describe(tensor),
         "wrap the write in tenon_grad_begin(TENON_GRAD_DISABLED)");
  }
}

// Addresses a view may touch must lie inside the storage.
void check_inside(const Storage& storage, DimSpan shape, DimSpan strides, int64_t offset,
                  uint32_t size) {
  const tensor::Span span = tensor::checked_span(shape, strides, size);
  if (span.bytes == 0) return;
  __extension__ using Wide = __int128;  // the offset is the caller's and may be anything
  const Wide first = (static_cast<Wide>(offset) + span.low) * size;
  if (first >= 0 && first + static_cast<Wide>(span.bytes) <= static_cast<Wide>(storage.bytes)) {
    return;
  }
  fail(TENON_E_LAYOUT, "the view leaves its storage", "strides",
       "elements inside " + std::to_string(storage.bytes) + " bytes",
       "shape " + tensor::dims_text(shape) + " strides " + tensor::dims_text(strides) + " offset " +
           std::to_string(offset));
}

}  // namespace

tenon_status tenon_tensor_create(tenon_context* context, tenon_dtype dtype,
                                 const tenon_device* device, int32_t rank, const int64_t* shape,
                                 tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor",
                   [&](Context& cx) { return give(create(cx, dtype, device, rank, shape)); });
}

tenon_status tenon_tensor_create_from(tenon_context* context, tenon_dtype dtype,
                                      const tenon_device* device, int32_t rank,
                                      const int64_t* shape, const void* data, uint64_t bytes,
                                      tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    Ref tensor(create(cx, dtype, device, rank, shape));
    check_bytes(*tensor, bytes);
    if (bytes != 0) require_pointer(data, "data");
    copy_in(cx, *tensor, data);
    // A replay makes it anew, as the step does, whatever the run before has written there.
    if (cx.capture) tensor = Ref(launch::copy(cx, *tensor));
    return give(tensor.take());
  });
}

tenon_status tenon_tensor_create_external(tenon_context* context, tenon_dtype dtype, int32_t rank,
                                          const int64_t* shape, const int64_t* strides, void* data,
                                          uint32_t flags, void (*deleter)(void* user), void* user,
                                          tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    const DimSpan dims = read_shape(rank, shape);
    refuse_flags(flags, TENON_VIEW_READ_ONLY);
    return give(tensor::wrap_external(cx.runtime->host_device(),
                                      {.first = data,
                                       .dtype = dtype,
                                       .shape = dims,
                                       .strides = strides,
                                       .read_only = (flags & TENON_VIEW_READ_ONLY) != 0,
                                       .deleter = deleter,
                                       .user = user}));
  });
}

[[gnu::cold]] tenon_status tenon_tensor_create_view(tenon_context* context, tenon_tensor* base,
                                                    int32_t rank, const int64_t* shape,
                                                    const int64_t* strides, int64_t offset,
                                                    tenon_tensor** out_view) {
  return guard_out(context, out_view, "out_view", [&](Context& cx) {
    Tensor& from = require_tensor(cx, base, "base");
    const DimSpan dims = read_shape(rank, shape);
    if (rank > 0) require_pointer(strides, "strides");
    if (cx.grad_enabled() && tape::requires_grad(from)) {
      fail(TENON_E_GRAD, "a view by strides is not differentiable", "base", {},
           tensor::describe(from), "use a view op, or detach the base");
    }
    tensor::checked_count(dims, from.element_size());
    check_inside(*from.storage, dims, {strides, dims.size()}, offset, from.element_size());
    return give(tensor::window(from, dims, strides, offset).take());
  });
}

tenon_status tenon_tensor_create_detached(tenon_context* context, tenon_tensor* tensor,
                                          tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor",
                   [&](Context& cx) { return give(require_tensor(cx, tensor, "tensor").alias()); });
}

tenon_status tenon_tensor_create_copy(tenon_context* context, tenon_tensor* tensor,
                                      const tenon_device* device, tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    Tensor& from = require_tensor(cx, tensor, "tensor");
    Ref made(Tensor::create(chosen_device(cx, device), from.dtype(), from.shape()));
    launch::copy_into(cx, from, *made);
    return give(made.take());
  });
}

[[gnu::cold]] tenon_status tenon_tensor_create_clone(tenon_context* context, tenon_tensor* tensor,
                                                     uint32_t layout, tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    Tensor& from = require_tensor(cx, tensor, "tensor");
    if (layout > TENON_CLONE_PRESERVE) {
      fail(TENON_E_ARGUMENT, "unknown layout of a clone", "layout",
           "TENON_CLONE_ROW_MAJOR or TENON_CLONE_PRESERVE", std::to_string(layout));
    }
    Ref made(layout == TENON_CLONE_PRESERVE ? dispatch::clone_preserving(cx, from)
                                            : dispatch::clone(cx, from));
    return give(made.take());
  });
}

[[gnu::cold]] tenon_status tenon_dtype_get_info(tenon_context* context, tenon_dtype dtype,
                                                tenon_dtype_info* out_info) {
  return guard(context, [&](Context&) {
    require_pointer(out_info, "out_info");
    if (!tensor::is_known(dtype)) {
      fail(TENON_E_DTYPE, "there is no dtype " + std::to_string(dtype), "dtype",
           "one of TENON_DTYPE_BOOL to TENON_DTYPE_F64", std::to_string(dtype));
    }
    const tensor::DtypeLimits limits = tensor::limits_of(dtype);
    tenon_dtype_info info{};
    info.flags = (tensor::is_bool(dtype) ? TENON_DTYPE_IS_BOOL : 0u) |
                 (tensor::is_integer(dtype) ? TENON_DTYPE_IS_INTEGER : 0u) |
                 (tensor::is_signed(dtype) ? TENON_DTYPE_IS_SIGNED : 0u) |
                 (tensor::is_float(dtype) ? TENON_DTYPE_IS_FLOAT : 0u);
    info.name = tensor::name_of(dtype).data();
    info.bits = 8 * tensor::size_of(dtype);
    info.int_min = limits.imin;
    info.int_max = limits.imax;
    info.min = limits.min;
    info.max = limits.max;
    info.eps = limits.eps;
    info.tiny = limits.smallest_normal;
    info.tiny_subnormal = limits.smallest_subnormal;
    for (double step = limits.eps * 10; step > 0 && step <= 1; step *= 10) ++info.digits;
    fill_sized(out_info, info);
  });
}

tenon_status tenon_tensor_retain(tenon_tensor* handle) {
  Tensor* tensor = tensor::from_handle(handle);
  if (!tensor) return TENON_E_HANDLE;
  tensor->retain();
  return TENON_OK;
}

void tenon_tensor_release(tenon_tensor* handle) {
  if (Tensor* tensor = tensor::from_handle(handle)) tensor->release();
}

tenon_status tenon_tensor_get_view(tenon_context* context, const tenon_tensor* tensor,
                                   tenon_view* out_view) {
  return guard_out(context, out_view, "out_view",
                   [&](Context& cx) { return require_tensor(cx, tensor, "tensor").view; });
}

[[gnu::cold]] tenon_status tenon_tensor_get_info(tenon_context* context, const tenon_tensor* tensor,
                                                 tenon_tensor_info* out_info) {
  return guard(context, [&](Context& cx) {
    const Tensor& t = require_tensor(cx, tensor, "tensor");
    const Storage& storage = *t.storage;
    tenon_tensor_info info{};
    const auto set = [&info](bool on, uint32_t flag) { info.flags |= on ? flag : 0u; };
    set(t.contiguous(), TENON_TENSOR_CONTIGUOUS);
    set(device_of(t).host_memory(), TENON_TENSOR_HOST);
    set(storage.external, TENON_TENSOR_EXTERNAL);
    set(t.read_only(), TENON_TENSOR_READ_ONLY);
    set(tape::requires_grad(t), TENON_TENSOR_REQUIRES_GRAD);
    set(tape::is_leaf(t), TENON_TENSOR_LEAF);
    info.node = "";
    if (tape::Link* link = tape::find_link(t)) {
      std::lock_guard lock(link->mutex);
      set(link->grad.dense || link->grad.rows.indices, TENON_TENSOR_HAS_GRAD);
      set(static_cast<bool>(link->grad.rows.indices), TENON_TENSOR_GRAD_ROWS);
      // Another context's node may be on its way out.
      if (!tape::is_leaf(t) && link->graph == &tape::graph_of(cx)) {
        info.node = link->node->of->op->name.c_str();
      }
    }
    info.elements = t.elements();
    info.offset = t.offset;
    info.storage = reinterpret_cast<uintptr_t>(&storage);
    info.storage_bytes = storage.bytes;
    info.version = storage.version.load(std::memory_order_relaxed);
    info.storage_users = storage.refs.load(std::memory_order_relaxed);
    info.plugin = device_of(t).backend->plugin->id.c_str();
    fill_sized(out_info, info);
  });
}

[[gnu::cold]] tenon_status tenon_tensor_set_data(tenon_context* context, tenon_tensor* tensor,
                                                 const void* data, uint64_t bytes) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    refuse_in_capture(cx, "writing from the host");
    check_bytes(t, bytes);
    if (bytes != 0) require_pointer(data, "data");
    check_writable(cx, t);
    copy_in(cx, t, data);
    t.storage->written(nullptr, cx.scope_path());
  });
}

[[gnu::cold]] tenon_status tenon_tensor_get_data(tenon_context* context, const tenon_tensor* tensor,
                                                 void* out_data, uint64_t bytes) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    refuse_in_capture(cx, "reading on the host");
    check_bytes(t, bytes);
    if (bytes == 0) return;
    require_pointer(out_data, "out_data");
    if (device_of(t).host_memory() && t.contiguous()) {
      std::memcpy(out_data, t.view.data, bytes);
      return;
    }
    const Ref target = borrow(cx, t, out_data);
    launch::copy_into(cx, t, *target);
  });
}

tenon_status tenon_tensor_get_item(tenon_context* context, const tenon_tensor* tensor,
                                   tenon_value* out_value) {
  return guard_out(context, out_value, "out_value", [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    refuse_in_capture(cx, "reading on the host");
    return inspect::item(cx, t);
  });
}

[[gnu::cold]] tenon_status tenon_tensor_get_text(tenon_context* context, const tenon_tensor* tensor,
                                                 uint32_t flags, tenon_text** out_text) {
  return guard_out(context, out_text, "out_text", [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    refuse_in_capture(cx, "reading on the host");
    return make_text([&] { return inspect::to_text(cx, t, flags); });
  });
}

tenon_status tenon_tensor_create_dlpack(tenon_context* context, void* managed,
                                        tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    require_pointer(managed, "managed");
    return give(exchange::from_dlpack(cx, managed));
  });
}

tenon_status tenon_tensor_get_dlpack(tenon_context* context, tenon_tensor* tensor,
                                     void** out_managed) {
  return guard_out(context, out_managed, "out_managed", [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    return exchange::to_dlpack(cx, t);
  });
}
