// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/along_axis.hpp: what softmax and log_softmax share.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// Attribute 0 is an axis of x; the result has x's shape.
inline void infer_along_axis(const sdk::Args& args, std::span<tenon_meta> out) {
  axis_of(args.attrs.integer(0), args.shape(0).size(), "axis");
  sdk::set_shape(out[0], args.shape(0));
}

// x less its largest element along the axis, which leaves the result as it is and keeps exp in
// range; 16-bit floats as f32. Nothing has no largest element.
inline tenon_tensor* shifted(sdk::Compose& c) {
  const sdk::Value x = widened(c, c.in(0));
  const tenon_meta meta = c.meta(x.tensor());
  if (sdk::count_of(shape_of(meta)) == 0) return c.call("tenon.copy", {x});
  const int64_t axis = c.attrs.integer(0);
  const Dims axes(std::span(&axis, 1));
  return c.call("tenon.sub", {x, c.call("tenon.max", {x}, {axes.value(), true})});
}

// The composition's result.
inline void set_rounded(sdk::Compose& c, tenon_tensor* y) {
  c.set(0, rounded_to(c, y, c.meta(c.in(0).tensor()).dtype));
}

}  // namespace tenon::rules
