// SPDX-License-Identifier: Apache-2.0
// core/dispatch/clone.cc: copies of a tensor that are recorded for backward.
#include "core/dispatch/clone.h"

#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"
#include "core/tape/graph.h"

namespace tenon::dispatch {

using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

namespace {

const registry::Op& copy_op(Context& context) {
  return context.runtime->plugins.require_role(TENON_ROLE_COPY);
}

// `shape` and `strides` on new memory of its own, which reaches from `low` to `high`, the lowest
// and highest element relative to the first.
Ref spread(const Tensor& like, DimSpan shape, DimSpan strides, int64_t low, int64_t high) {
  const int64_t length[] = {high - low + 1};
  const Ref memory(Tensor::create(device_of(like), like.dtype(), length));
  return tensor::window(*memory, shape, strides.data(), -low);
}

// Each element of the memory between the first and the last that `from` has, once.
Tensor* clone_shared(Context& context, Tensor& from, int64_t low, int64_t high) {
  if (context.grad_enabled() && tape::requires_grad(from)) {
    fail(TENON_E_GRAD, "a clone that shares memory within itself is not differentiable", "tensor",
         "a tensor without stride 0 and without overlap", tensor::describe(from),
         "detach it first, or ask for TENON_CLONE_ROW_MAJOR");
  }
  const Ref made = spread(from, from.shape(), from.strides(), low, high);
  const int64_t length[] = {high - low + 1};
  const int64_t one[] = {1};
  const Ref source = tensor::window(from, length, one, from.offset + low);
  const Ref target = tensor::window(*made, length, one, 0);
  launch::copy_into(context, *source, *target);
  return Ref(made).take();
}

}  // namespace

Tensor* clone(Context& context, Tensor& from) {
  const tenon_value input = registry::tensor_value(from);
  Tensor* out = nullptr;
  call(context, copy_op(context), {&input, 1}, {}, {&out, 1});
  return out;
}

Tensor* clone_preserving(Context& context, Tensor& from) {
  int64_t low = 0;
  int64_t high = 0;
  if (!tensor::extent(from.shape(), from.strides(), low, high)) {  // no element
    low = 0;
    high = -1;
  }
  if (tensor::overlaps_itself(from.shape(), from.strides())) {
    return clone_shared(context, from, low, high);
  }
  Ref made = spread(from, from.shape(), from.strides(), low, high);
  const tenon_value input = registry::tensor_value(from);
  Tensor* out = made.get();
  call_onto(context, copy_op(context), {&input, 1}, {}, {&out, 1});
  return made.take();
}

}  // namespace tenon::dispatch
