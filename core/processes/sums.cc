// SPDX-License-Identifier: Apache-2.0
// core/processes/sums.cc: trees over rows, and over terms that come one by one.
#include "core/processes/sums.h"

#include <algorithm>

#include "core/backward/walk.h"
#include "core/dispatch/roles.h"
#include "core/launch/moves.h"

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

namespace {

Ref ours(Context& context, Ref term) {
  if (backward::only_ours(context, *term)) return term;
  return Ref(launch::copy(context, *term));
}

}  // namespace

void Tree::add(Context& context, Ref term) {
  const GradMode off(context, false);
  for (Ref& level : levels_) {
    if (!level) {
      level = ours(context, std::move(term));
      return;
    }
    Ref sum = std::move(level);
    dispatch::add_into(context, *sum, *term);
    term = std::move(sum);
  }
  levels_.push_back(ours(context, std::move(term)));
}

Ref Tree::take(Context& context) {
  const GradMode off(context, false);
  Ref sum;
  for (Ref& level : levels_) {
    if (!level) continue;
    if (sum) dispatch::add_into(context, *level, *sum);
    sum = std::move(level);
  }
  levels_.clear();
  return sum;
}

}  // namespace tenon::processes
