// SPDX-License-Identifier: Apache-2.0
// core/tensor/item.cc: the one element of a tensor, as a number.
#include "core/tensor/item.h"

#include "core/api/error.h"
#include "core/tensor/host_values.h"

namespace tenon::tensor {

tenon_value item(Context& context, const Tensor& tensor) {
  if (tensor.elements() != 1) {
    throw Error{.status = TENON_E_SHAPE,
                .message = "only a tensor of one element has an item",
                .operand = "tensor",
                .expected = "1 element",
                .found = describe(tensor) + ", " + std::to_string(tensor.elements()) + " elements",
                .hint = "read all of it with tenon_tensor_get_data"};
  }
  const HostValues values(context, tensor);
  tenon_value value{};
  if (is_float(tensor.dtype())) {
    value.tag = TENON_VALUE_F64;
    value.as.f64 = values.real_at(0);
  } else {
    value.tag = is_bool(tensor.dtype()) ? TENON_VALUE_BOOL : TENON_VALUE_I64;
    value.as.i64 = values.integer_at(0);
  }
  return value;
}

}  // namespace tenon::tensor
