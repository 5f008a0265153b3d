// SPDX-License-Identifier: Apache-2.0
// core/dispatch/roles.cc: what the core asks of ops by their roles: sums and copies.
#include "core/dispatch/roles.h"

#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"
#include "core/tape/graph.h"

namespace tenon::dispatch {

using registry::tensor_value;
using tensor::Ref;

namespace {

const registry::Op& role(Context& context, uint32_t which) {
  return context.runtime->plugins.require_role(which);
}

// The same shape and strides on new memory of its own.
Ref spread(const Tensor& like) {
  const auto [low, high] = tensor::extent(like.shape(), like.strides());
  const int64_t length[] = {high - low + 1};
  const Ref memory(Tensor::create(device_of(like), like.dtype(), length));
  return tensor::window(*memory, like.shape(), like.strides_, -low);
}

// Each element of the memory between the first and the last that `from` has, once.
Tensor* clone_shared(Context& context, Tensor& from) {
  if (context.grad_enabled() && tape::requires_grad(from)) {
    fail(TENON_E_GRAD, "a clone that shares memory within itself is not differentiable", "tensor",
         "a tensor without stride 0 and without overlap", tensor::describe(from),
         "detach it first, or ask for TENON_CLONE_ROW_MAJOR");
  }
  const Ref made = spread(from);
  const auto [low, high] = tensor::extent(from.shape(), from.strides());
  const Ref source = tensor::elements(from, low, high - low + 1);
  const Ref target = tensor::elements(*made, low, high - low + 1);
  launch::copy_into(context, *source, *target);
  return Ref(made).take();
}

}  // namespace

Tensor* add(Context& context, Tensor& a, Tensor& b) {
  const tenon_value inputs[2] = {tensor_value(a), tensor_value(b)};
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_ADD), inputs, {}, {&out, 1});
  return out;
}

void add_into(Context& context, Tensor& accumulator, Tensor& b) {
  const tenon_value inputs[2] = {tensor_value(accumulator), tensor_value(b)};
  Tensor* out = &accumulator;
  call_into(context, role(context, TENON_ROLE_ADD), inputs, {}, {&out, 1});
}

Tensor* sum_to(Context& context, Tensor& tensor, tensor::DimSpan shape) {
  const tenon_value input = tensor_value(tensor);
  const tenon_value attr = registry::ints_value(shape);
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_SUM_TO), {&input, 1}, {&attr, 1}, {&out, 1});
  return out;
}

Tensor* clone(Context& context, Tensor& from) {
  const tenon_value input = tensor_value(from);
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_COPY), {&input, 1}, {}, {&out, 1});
  return out;
}

Tensor* clone_preserving(Context& context, Tensor& from) {
  if (tensor::overlaps_itself(from.shape(), from.strides())) {
    return clone_shared(context, from);
  }
  Ref made = spread(from);
  const tenon_value input = tensor_value(from);
  Tensor* out = made.get();
  call_onto(context, role(context, TENON_ROLE_COPY), {&input, 1}, {}, {&out, 1});
  return made.take();
}

}  // namespace tenon::dispatch
