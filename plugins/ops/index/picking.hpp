// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/picking.hpp: what ops that pick whole slices by number share.
#pragma once

#include "index/along.hpp"

namespace tenon::rules {

// The sizes of x with others in place of the axis.
inline Dims replaced(std::span<const int64_t> x, size_t axis, std::span<const int64_t> by) {
  Dims shape(x.first(axis));
  for (const int64_t size : by) shape.push(size);
  for (const int64_t size : x.subspan(axis + 1)) shape.push(size);
  return shape;
}

// False if rows cannot be given: while a gradient is recorded, since rows are not.
inline bool gave_rows(sdk::Vjp& v, sdk::Value indices, sdk::Value values) {
  try {
    v.rows(0, indices, values);
    return true;
  } catch (const sdk::HostFailed& failed) {
    if (failed.status != TENON_E_GRAD) throw;
    return false;
  }
}

// dx of x and indices, inputs 0 and 1 of a rule that needs the values of indices and both metadata.
// Along axis 0 as rows, where rows can be given. `indices`: those, counted from the front.
inline void picked_grad(sdk::Vjp& v, int64_t along, sdk::Value indices) {
  const Dims x(v.in_meta(0));
  const tenon_meta given = v.in_meta(1);
  const int64_t count = sdk::count_of(shape_of(given));
  const auto axis = static_cast<size_t>(axis_of(along, x.count(), "axis"));
  const Dims flat = replaced(x.span(), axis, {&count, 1});
  tenon_tensor* values = reshape(v, v.dy(), flat);
  if (axis == 0) {
    sdk::Value rows = indices;
    if (v.meta(indices.tensor()).dtype != TENON_DTYPE_I64) {
      rows = v.call("tenon.cast", {rows}, {sdk::Value::dtype(TENON_DTYPE_I64)});
    }
    if (gave_rows(v, reshape(v, rows, Dims({&count, 1})), values)) return;
  }
  Dims line;
  for (size_t d = 0; d < flat.count(); ++d) line.push(d == axis ? count : 1);
  indices = expand(v, reshape(v, indices, line), flat);
  v.grad(0, scattered_sum(v, x, indices, values, static_cast<int64_t>(axis)));
}

}  // namespace tenon::rules
