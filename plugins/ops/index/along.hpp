// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/along.hpp: what ops share that pick or put elements by number along an axis.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// Numbers pass for tensors of rank 0 until here.
inline void need_index_tensor(const sdk::Args& args, uint32_t slot) {
  if ((args.view(slot).flags & TENON_VIEW_HOST_SCALAR) == 0) return;
  throw sdk::Failure{TENON_E_ARGUMENT, "indices must be a tensor", "indices",
                     "a tensor of i32 or i64", "a number"};
}

// `indices` has x's rank, and beside the axis no size above x's: element i of it belongs to the
// line of x that its other coordinates name.
inline size_t need_lines(const sdk::Args& args, int64_t given_axis) {
  const std::span<const int64_t> x = args.shape(0);
  const std::span<const int64_t> indices = args.shape(1);
  need_index_tensor(args, 1);
  const auto axis = static_cast<size_t>(axis_of(given_axis, x.size(), "axis"));
  bool fits = indices.size() == x.size();
  for (size_t d = 0; fits && d < x.size(); ++d) fits = d == axis || indices[d] <= x[d];
  if (fits) return axis;
  throw sdk::Failure{TENON_E_SHAPE,
                     indices.size() == x.size()
                         ? "indices is larger than x beside axis " + std::to_string(axis)
                         : "indices must have as many dimensions as x",
                     "indices",
                     std::to_string(x.size()) + " dimensions, at most as large as those of " +
                         sdk::shape_text(x) + " but for the axis",
                     sdk::shape_text(indices)};
}

inline void need_broadcast(std::span<const int64_t> from, std::span<const int64_t> to,
                           const char* operand, const std::string& target) {
  if (broadcasts_to(from, to)) return;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " does not broadcast to " + target,
                     operand, "a shape that broadcasts to " + sdk::shape_text(to),
                     sdk::shape_text(from)};
}

// Zeros on the device of `like`, of its dtype: a sum over nothing, seen in every place.
inline tenon_tensor* zeros_beside(sdk::Calls& calls, sdk::Value like, const Dims& shape) {
  if (calls.meta(like.tensor()).rank == 0) {
    Dims one;
    one.push(1);
    like = reshape(calls, like, one);
  }
  const sdk::Value none = calls.call("tenon.slice", {like}, {0, 0, 0});
  return expand(calls, calls.call("tenon.sum", {none}), shape);
}

// Indices that a kernel has accepted, counted from the front: below 0 they count from the end of
// `size` places.
inline tenon_tensor* from_front(sdk::Calls& calls, sdk::Value indices, int64_t size) {
  const tenon_meta given = calls.meta(indices.tensor());
  if (given.dtype == TENON_DTYPE_I32 && size > std::numeric_limits<int32_t>::max()) {
    indices = calls.call("tenon.cast", {indices}, {sdk::Value::dtype(TENON_DTYPE_I64)});
  }
  return calls.call("tenon.remainder", {indices, size});
}

// zeros[..., indices, ...] += values along the axis.
inline tenon_tensor* scattered_sum(sdk::Calls& calls, const Dims& shape, sdk::Value indices,
                                   sdk::Value values, sdk::Value axis) {
  return calls.call("tenon.scatter_add", {zeros_beside(calls, values, shape), indices, values},
                    {axis});
}

}  // namespace tenon::rules
