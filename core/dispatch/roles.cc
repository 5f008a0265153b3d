// SPDX-License-Identifier: Apache-2.0
// core/dispatch/roles.cc: what the core asks of ops by their roles: casts, sums, fills, copies.
#include "core/dispatch/dispatch.h"
#include "core/dispatch/launch.h"
#include "core/dispatch/values.h"

namespace tenon::dispatch {

namespace {

tenon_value ints_value(DimSpan ints) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(ints.size()), {}};
  value.as.ints = ints.data();
  return value;
}

const registry::Op& role(Context& context, uint32_t which) {
  return context.runtime->plugins.require_role(which);
}

}  // namespace

Tensor* cast(Context& context, Tensor& tensor, tenon_dtype dtype) {
  const tenon_value input = tensor_value(tensor);
  tenon_value attr{TENON_VALUE_DTYPE, 0, {}};
  attr.as.dtype = dtype;
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_CAST), {&input, 1}, {&attr, 1}, {&out, 1});
  return out;
}

Tensor* add(Context& context, Tensor& a, Tensor& b) {
  const tenon_value inputs[2] = {tensor_value(a), tensor_value(b)};
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_ADD), inputs, {}, {&out, 1});
  return out;
}

void add_into(Context& context, Tensor& accumulator, Tensor& b) {
  const tenon_value inputs[2] = {tensor_value(accumulator), tensor_value(b)};
  Tensor* out = &accumulator;
  apply(context, role(context, TENON_ROLE_ADD), inputs, {}, {&out, 1});
}

Tensor* sum_to(Context& context, Tensor& tensor, DimSpan shape) {
  const tenon_value input = tensor_value(tensor);
  const tenon_value attr = ints_value(shape);
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_SUM_TO), {&input, 1}, {&attr, 1}, {&out, 1});
  return out;
}

Tensor* full(Context& context, Device& device, tenon_dtype dtype, DimSpan shape,
             const tenon_value& value) {
  Ref out(Tensor::create(device, dtype, shape));
  fill(context, *out, value);
  return out.take();
}

void fill(Context& context, Tensor& tensor, const tenon_value& value) {
  launch_fill(context, tensor.device(), make_item(tensor, 0, TENON_SLOT_OUT), value);
}

Tensor* copy(Context& context, Tensor& tensor) {
  Ref out(Tensor::create(tensor.device(), tensor.dtype(), tensor.shape()));
  copy_into(context, tensor, *out);
  return out.take();
}

void copy_into(Context& context, const Tensor& source, Tensor& destination) {
  Device& from = source.device();
  Device& to = destination.device();
  Tensor& readable = const_cast<Tensor&>(source);
  if (&from == &to) {
    Ref separate;
    if (tensor::may_overlap(source.view, destination.view)) {
      if (tensor::same_view(source.view, destination.view)) return;
      separate = Ref(Tensor::create(from, source.dtype(), source.shape()));
      launch_copy(context, from, make_item(readable, 0, TENON_SLOT_IN),
                  make_item(*separate, 1, TENON_SLOT_OUT));
    }
    Tensor& last = separate ? *separate : readable;
    launch_copy(context, from, make_item(last, 0, TENON_SLOT_IN),
                make_item(destination, 1, TENON_SLOT_OUT));
    return;
  }
  // Strided copy at the source, raw copies through host memory, strided copy at the destination.
  if (context.capture) {
    throw Error{.status = TENON_E_CAPTURE,
                .message = "a copy between devices cannot be captured",
                .expected = "one device",
                .found = from.name() + " to " + to.name()};
  }
  Ref packed = Ref::shared(&readable);
  if (!source.contiguous()) {
    packed = Ref(Tensor::create(from, source.dtype(), source.shape()));
    launch_copy(context, from, make_item(readable, 0, TENON_SLOT_IN),
                make_item(*packed, 1, TENON_SLOT_OUT));
  }
  Ref target = Ref::shared(&destination);
  if (!destination.contiguous()) {
    target = Ref(Tensor::create(to, source.dtype(), source.shape()));
  }
  const uint64_t bytes = static_cast<uint64_t>(source.elements()) * source.element_size();
  if (from.host_memory()) {
    to.copy_from_host(target->view.data, packed->view.data, bytes, context.id);
  } else if (to.host_memory()) {
    from.copy_to_host(target->view.data, packed->view.data, bytes, context.id);
  } else {
    const Ref host(Tensor::create(context.runtime->host_device(), source.dtype(), source.shape()));
    from.copy_to_host(host->view.data, packed->view.data, bytes, context.id);
    to.copy_from_host(target->view.data, host->view.data, bytes, context.id);
  }
  destination.storage->written(nullptr, context.scope_path());
  if (target.get() != &destination) {
    launch_copy(context, to, make_item(*target, 0, TENON_SLOT_IN),
                make_item(destination, 1, TENON_SLOT_OUT));
  }
}

}  // namespace tenon::dispatch
