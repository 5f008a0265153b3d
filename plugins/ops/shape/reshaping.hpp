// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/reshaping.hpp: the same elements in another shape, shared by reshape, view and
// flatten.
//
// When a view exists is PyTorch's `computeStride` (`aten/src/ATen/TensorUtils.cpp`).
#pragma once

#include <algorithm>

#include "rules.hpp"

namespace tenon::rules {

// The sizes `given` for the elements of `shape`; one of them may be -1, which is what is left over.
inline Dims filled_shape(std::span<const int64_t> shape, std::span<const int64_t> given) {
  const int64_t count = sdk::count_of(shape);
  const auto open = std::count(given.begin(), given.end(), -1);
  if (open > 1) {
    throw sdk::Failure{TENON_E_SHAPE, "shape has more than one -1", "shape", "at most one -1",
                       sdk::shape_text(given)};
  }
  const size_t place =
      static_cast<size_t>(std::find(given.begin(), given.end(), -1) - given.begin());
  Dims target(given);
  if (open == 1) target[place] = 1;
  target = checked_shape(target.span(), "shape");
  const int64_t known = sdk::count_of(target.span());
  if (open == 1 && known == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "-1 could be any size beside a size of 0", "shape",
                       "sizes without -1", sdk::shape_text(given)};
  }
  if (open == 1 && count % known == 0) {
    target[place] = count / known;
  } else if (open == 1 || known != count) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "the " + std::to_string(count) + " elements of " + sdk::shape_text(shape) +
                           " do not fill " + sdk::shape_text(given),
                       "shape", "sizes whose product is " + std::to_string(count),
                       sdk::shape_text(given)};
  }
  return target;
}

// Gives strides to the target dimensions, from the last on, that together hold the `run` elements
// `stride` apart; false if no whole dimensions do.
inline bool use_up(int64_t run, int64_t stride, const Dims& target, size_t& to,
                   tenon_view_result& out) {
  int64_t used = 1;
  while (to > 0 && used < run) {
    --to;
    out.strides[to] = used * stride;
    used *= target[to];
  }
  return used == run;
}

// The view of x in the shape `target`, which has as many elements; false if none exists. Runs of
// dimensions of x that lie in memory as one dimension would are split and merged freely; every run
// must be used up by whole dimensions of the target.
inline bool reshaped_view(const tenon_view& x, const Dims& target, tenon_view_result& out) {
  out.rank = static_cast<int32_t>(target.count());
  std::copy_n(target.span().begin(), target.count(), out.shape);
  const bool empty = sdk::count_of({x.shape, static_cast<size_t>(x.rank)}) == 0;
  size_t to = target.count();  // target dimensions still without a stride
  int64_t run = 1;             // elements of the run, from its last dimension on
  int64_t run_stride = 1;      // stride of the run's last dimension
  int64_t next_stride = 1;     // stride that merges with the run
  for (size_t from = static_cast<size_t>(x.rank); from-- > 0 && !empty;) {
    if (x.shape[from] == 1) continue;
    if (run > 1 && x.strides[from] == next_stride) {
      run *= x.shape[from];
      next_stride *= x.shape[from];
      continue;
    }
    if (!use_up(run, run_stride, target, to, out)) return false;
    run = x.shape[from];
    run_stride = x.strides[from];
    next_stride = run_stride * run;
  }
  if (!use_up(run, run_stride, target, to, out)) return false;
  // What is left are sizes of 1, or the dimensions of an empty tensor: any strides serve.
  for (int64_t stride = 1; to > 0; stride *= std::max<int64_t>(target[to], 1)) {
    out.strides[--to] = stride;
  }
  return true;
}

}  // namespace tenon::rules
