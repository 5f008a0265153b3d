// SPDX-License-Identifier: Apache-2.0
// core/inspect/item.cc: the one element of a tensor, as a number.
#include "core/inspect/item.h"

#include "core/base/error.h"
#include "core/inspect/host_values.h"
#include "core/registry/values.h"

namespace tenon::inspect {

tenon_value item(Context& context, const Tensor& tensor) {
  if (tensor.elements() != 1) {
    fail(TENON_E_SHAPE, "only a tensor of one element has an item", "tensor", "1 element",
         tensor::describe(tensor) + ", " + std::to_string(tensor.elements()) + " elements",
         "read all of it with tenon_tensor_get_data");
  }
  const HostValues values(context, tensor);
  if (tensor::is_float(tensor.dtype())) return registry::float_value(values.real_at(0));
  tenon_value value = registry::int_value(values.integer_at(0));
  if (tensor::is_bool(tensor.dtype())) value.tag = TENON_VALUE_BOOL;
  return value;
}

}  // namespace tenon::inspect
