// SPDX-License-Identifier: Apache-2.0
// core/processes/sums.cc: a tree over rows.
#include "core/processes/sums.h"

#include <algorithm>

#include "core/dispatch/roles.h"

namespace tenon::processes {

using tensor::Ref;
using tensor::Tensor;

Ref row_of(const Tensor& tensor, int64_t row) {
  return tensor::window(tensor, tensor.shape().subspan(1), tensor.strides_ + 1,
                        tensor.offset + row * tensor.strides_[0]);
}

Ref as_rows(const Tensor& tensor, int64_t rows) {
  const int64_t shape[] = {rows, tensor.shape_[0] / rows};
  const int64_t strides[] = {shape[1], 1};
  return tensor::window(tensor, shape, strides, tensor.offset);
}

Ref rows_between(const Tensor& tensor, int64_t begin, int64_t count) {
  tensor::Dims shape{};
  std::copy(tensor.shape().begin(), tensor.shape().end(), shape.begin());
  shape[0] = count;
  return tensor::window(tensor, {shape.data(), tensor.shape().size()}, tensor.strides_,
                        tensor.offset + begin * tensor.strides_[0]);
}

void sum_rows(Context& context, Tensor& parts) {
  const GradMode off(context, false);
  const int64_t n = parts.shape_[0];
  for (int64_t gap = 1; gap < n; gap *= 2) {
    for (int64_t row = 0; row + gap < n; row += 2 * gap) {
      dispatch::add_into(context, *row_of(parts, row), *row_of(parts, row + gap));
    }
  }
}

}  // namespace tenon::processes
