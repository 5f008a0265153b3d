// SPDX-License-Identifier: Apache-2.0
// core/inspect/item.h: the one element of a tensor, as a number.
#pragma once

#include <tenon/types.h>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::inspect {

using tensor::Tensor;

// F64 for floats, I64 for integers, BOOL for bool; exact. Any shape with one element. Not while
// capturing. errors   TENON_E_SHAPE (not one element)
tenon_value item(Context& context, const Tensor& tensor);

}  // namespace tenon::inspect
