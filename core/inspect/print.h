// SPDX-License-Identifier: Apache-2.0
// core/inspect/print.h: a tensor as text for people, and its one element as a number.
#pragma once

#include <string>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::inspect {

using tensor::Tensor;

// Values in NumPy's form, then what the tensor is:
//
//   tensor([[1., 2.],
//           [3., 4.]], shape=[2,2], dtype=f32, device=cpu:0, requires_grad=true)
//
// Above 1000 elements every dimension longer than 6 shows its first and last 3. Lines end before
// column 76 if the words allow it.
// flags    TENON_TEXT_INFO: three more lines: strides and offset; storage and version; smallest and
//          largest value, mean (of all that is not a NaN) and the number of NaNs. The storage's
//          number is the one of tenon_tensor_info. Reads every element.
// state    not while capturing
// errors   TENON_E_ARGUMENT (unknown flags), and from another device what copying fails with
std::string to_text(Context& context, const Tensor& tensor, uint32_t flags);

// The one element of a tensor of any shape, as a number: F64 for floats, I64 for integers, BOOL for
// bool; exact.
// state    not while capturing
// errors   TENON_E_SHAPE (not one element)
tenon_value item(Context& context, const Tensor& tensor);

}  // namespace tenon::inspect
