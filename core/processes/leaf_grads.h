// SPDX-License-Identifier: Apache-2.0
// core/processes/leaf_grads.h: gradients taken from leaves and given to them, and numbers beside
// them.
#pragma once

#include "core/backward/vjp.h"
#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::processes {

struct LeafGrads {
  tensor::Ref dense;
  backward::RowGrad rows;
};

LeafGrads take_grads(tensor::Tensor& leaf);
// In place of what the leaf has; in a capture, too.
void set_grads(Context& context, tensor::Tensor& leaf, LeafGrads grads);

tensor::Ref new_host_tensor(Context& context, tenon_dtype dtype,
                            std::initializer_list<int64_t> shape);
// i64[n] on the device: 0 to n - 1.
tensor::Ref numbers_to(Context& context, Device& device, int64_t n);
// Every element of a row-major float tensor times `factor`, rounded once.
void scale(Context& context, const tensor::Ref& tensor, double factor);

}  // namespace tenon::processes
