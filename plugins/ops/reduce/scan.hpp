// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/scan.hpp: what cumsum, cumprod and linear_recurrence share.
//
// A scan goes along one axis, from its last element to its first with `reverse`. An exclusive one
// leaves the element itself out, so that the first place has the result of nothing.
#pragma once

#include "reduce/back.hpp"

namespace tenon::rules {

enum ScanAttribute : uint32_t { kScanAxis, kReverse, kExclusive, kScanAttributes };

inline void infer_scan(const sdk::Args& args, std::span<tenon_meta> out) {
  axis_of(args.attrs.integer(kScanAxis), args.shape(0).size(), "axis");
  sdk::set_shape(out[0], args.shape(0));
}

// Each element's neighbour against the direction of the scan, and 0 if there is none: x[i-1],
// with `reverse` x[i+1].
inline tenon_tensor* neighbour_before(sdk::Vjp& v, sdk::Value x, int64_t axis, bool reverse) {
  const Dims shape(v.meta(x.tensor()));
  const auto index = static_cast<size_t>(axis_of(axis, shape.count(), "axis"));
  if (shape[index] == 0) return v.call("tenon.copy", {x});
  const int64_t last = shape[index] - 1;
  const int64_t from = reverse ? 1 : 0;
  tenon_tensor* rest = v.call("tenon.slice", {x}, {axis, from, from + last, 1});
  return v.call("tenon.slice_put", {rest}, {shape.value(), axis, 1 - from, 1});
}

}  // namespace tenon::rules
