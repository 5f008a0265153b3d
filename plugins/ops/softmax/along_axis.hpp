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
// range. Nothing has no largest element.
inline tenon_tensor* shifted(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  if (sdk::count_of(shape_of(meta)) == 0) return c.call("tenon.copy", {c.in(0)});
  const int64_t axis = c.attrs.integer(0);
  const Dims axes(std::span(&axis, 1));
  tenon_tensor* largest = c.call("tenon.max", {c.in(0)}, {axes.value(), true});
  return c.call("tenon.sub", {c.in(0), largest});
}

}  // namespace tenon::rules
