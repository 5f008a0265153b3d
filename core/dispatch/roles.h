// SPDX-License-Identifier: Apache-2.0
// core/dispatch/roles.h: what the core asks of ops by their roles: sums and copies.
#pragma once

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

using tensor::Tensor;

// Roles the core uses by itself; each is an ordinary op call (recorded if grad is on).
Tensor* add(Context& context, Tensor& a, Tensor& b);
void add_into(Context& context, Tensor& accumulator, Tensor& b);  // in place
Tensor* sum_to(Context& context, Tensor& tensor, tensor::DimSpan shape);

// A row-major copy. Throws Error{TENON_E_NO_ROLE}.
Tensor* clone(Context& context, Tensor& from);

// With the strides of `from`. Elements that share memory are copied once and share it. Throws
// Error{TENON_E_GRAD} if such a tensor would be recorded.
Tensor* clone_preserving(Context& context, Tensor& from);

}  // namespace tenon::dispatch
