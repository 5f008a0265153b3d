// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/variance.hpp: what var and std share.
//
// Attributes: axes, keepdims, correction. v = sum (x - mean x)^2 / (n - correction), n elements;
// NaN where n - correction is not positive.
#pragma once

#include <limits>

#include "reduce/back.hpp"

namespace tenon::rules {

enum VarianceAttribute : uint32_t { kVarAxes, kVarKeepdims, kCorrection, kVarAttributes };

// 1 / (n - correction), or NaN.
inline double variance_scale(std::span<const int64_t> shape, const tenon_value& axes,
                             double correction) {
  const double freedom = static_cast<double>(reduced_count(shape, axes)) - correction;
  return freedom > 0 ? 1.0 / freedom : std::numeric_limits<double>::quiet_NaN();
}

// The composition of the variance, in f32 at least. The mean is rounded, so what is left of it is
// taken off once more.
inline tenon_tensor* composed_variance(sdk::Compose& c) {
  sdk::Value x = widened(c, c.in(0));
  const tenon_meta meta = c.meta(x.tensor());
  const sdk::Value axes = c.attrs[kVarAxes];
  for (int pass = 0; pass < 2; ++pass) {
    x = c.call("tenon.sub", {x, c.call("tenon.mean", {x}, {axes, true})});
  }
  tenon_tensor* total =
      c.call("tenon.sum", {c.call("tenon.mul", {x, x})}, {axes, c.attrs[kVarKeepdims]});
  const double scale = variance_scale(shape_of(meta), axes, c.attrs.real(kCorrection));
  return c.call("tenon.mul", {total, scale});
}

// dv (x - mean x) * factor / (n - correction), where dv broadcasts with x.
inline void set_variance_grad(sdk::Vjp& v, sdk::Value dv, double factor) {
  const sdk::Value x = wide(v, v.in(0));
  const tenon_meta meta = v.in_meta(0);
  const sdk::Value axes = v.attr(kVarAxes);
  tenon_tensor* apart = v.call("tenon.sub", {x, v.call("tenon.mean", {x}, {axes, true})});
  const double correction = sdk::Attrs::number(v.attr(kCorrection));
  const double scale = factor * variance_scale(shape_of(meta), axes, correction);
  set_grad(v, v.call("tenon.mul", {apart, v.call("tenon.mul", {dv, scale})}));
}

}  // namespace tenon::rules
