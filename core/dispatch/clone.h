// SPDX-License-Identifier: Apache-2.0
// core/dispatch/clone.h: copies of a tensor that are recorded for backward.
#pragma once

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

// Row-major. Throws Error{TENON_E_NO_ROLE}.
tensor::Tensor* clone(Context& context, tensor::Tensor& from);

// With the strides of `from`. Elements that share memory are copied once and share it. Throws
// Error{TENON_E_GRAD} if such a tensor would be recorded.
tensor::Tensor* clone_preserving(Context& context, tensor::Tensor& from);

}  // namespace tenon::dispatch
