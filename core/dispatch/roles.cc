// SPDX-License-Identifier: Apache-2.0
// core/dispatch/roles.cc: what the core asks of ops by their roles: sums.
#include "core/dispatch/roles.h"

#include "core/dispatch/dispatch.h"
#include "core/registry/values.h"

namespace tenon::dispatch {

using registry::tensor_value;
using tensor::DimSpan;

namespace {

const registry::Op& role(Context& context, uint32_t which) {
  return context.runtime->plugins.require_role(which);
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

Tensor* sum_to(Context& context, Tensor& tensor, DimSpan shape) {
  const tenon_value input = tensor_value(tensor);
  const tenon_value attr = registry::ints_value(shape);
  Tensor* out = nullptr;
  call(context, role(context, TENON_ROLE_SUM_TO), {&input, 1}, {&attr, 1}, {&out, 1});
  return out;
}

}  // namespace tenon::dispatch
