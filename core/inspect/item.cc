// SPDX-License-Identifier: Apache-2.0
// core/inspect/item.cc: the one element of a tensor, as a number.
#include "core/inspect/item.h"

#include "core/base/error.h"
#include "core/inspect/host_values.h"

namespace tenon::inspect {

tenon_value item(Context& context, const Tensor& tensor) {
  if (tensor.elements() != 1) {
    fail(TENON_E_SHAPE, "only a tensor of one element has an item", "tensor", "1 element",
         tensor::describe(tensor) + ", " + std::to_string(tensor.elements()) + " elements",
         "read all of it with tenon_tensor_get_data");
  }
  const HostValues values(context, tensor);
  tenon_value value{};
  if (tensor::is_float(tensor.dtype())) {
    value.tag = TENON_VALUE_F64;
    value.as.f64 = values.real_at(0);
  } else {
    value.tag = tensor::is_bool(tensor.dtype()) ? TENON_VALUE_BOOL : TENON_VALUE_I64;
    value.as.i64 = values.integer_at(0);
  }
  return value;
}

}  // namespace tenon::inspect
