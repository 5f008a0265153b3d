// SPDX-License-Identifier: Apache-2.0
// core/processes/leaf_grads.h: gradients taken from leaves and given to them, and numbers beside
// them.
#pragma once

#include "core/runtime/context.h"
#include "core/tape/graph.h"
#include "core/tensor/tensor.h"

namespace tenon::processes {

tape::Gradient take_grads(tensor::Tensor& leaf);
// In place of what the leaf has; in a capture, too.
void set_grads(Context& context, tensor::Tensor& leaf, tape::Gradient grads);

tensor::Ref new_host_tensor(Context& context, tenon_dtype dtype,
                            std::initializer_list<int64_t> shape);
// i64[n] on the device: 0 to n - 1.
tensor::Ref numbers_to(Context& context, Device& device, int64_t n);
// Calls visit(data, load, save) for a float tensor in host memory: its first element as it is
// stored, and what makes numbers of elements and elements of numbers.
template <class Visit>
void visit_floats(const tensor::Tensor& tensor, const Visit& visit) {
  const auto same = [](auto number) { return number; };
  auto* const halves = static_cast<uint16_t*>(tensor.view.data);
  switch (tensor.view.dtype) {
    case TENON_DTYPE_F64:
      return visit(static_cast<double*>(tensor.view.data), same, same);
    case TENON_DTYPE_F32:
      return visit(static_cast<float*>(tensor.view.data), same, same);
    case TENON_DTYPE_F16:
      return visit(halves, tensor::half_to_float, tensor::float_to_half);
    default:
      return visit(halves, tensor::bfloat_to_float, tensor::float_to_bfloat);
  }
}
// Every element of a row-major float tensor times `factor`, rounded once.
void scale(Context& context, const tensor::Ref& tensor, double factor);

}  // namespace tenon::processes
