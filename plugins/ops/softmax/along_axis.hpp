// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/along_axis.hpp: what softmax and log_softmax share.
#pragma once

#include <array>

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

// Calls of softmax and log_softmax.
constexpr auto softmax_samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,3]"),
      sdk::sample(name, "f64[2,3,4] | axis=1"),
      sdk::sample(name, "f64[2,1,3,2] | axis=-2"),
      sdk::sample(name, "f64[5] | axis=0"),
      sdk::sample(name, "f32[3,67](-4,4) | axis=0"),
      sdk::sample(name, "f32[70,5](-4,4) | axis=0"),
      sdk::sample(name, "f64[2,3](-20,20)"),
      sdk::sample(name, "f64[4,1]"),
      sdk::sample(name, "f32[2,3](-1000,1000)"),
      sdk::sample(name, "f32[3]{0.0,-inf,1.0}"),
      sdk::sample(name, "f32[3]{nan,0.0,1.0}"),
      sdk::sample(name, "f32[2]{inf,1.0}"),
      sdk::sample(name, "f32[2]{-inf,-inf}"),
      sdk::sample(name, "f32[2,2]{3.4028235e38,-3.4028235e38,1e-45,1.1754944e-38}"),
      sdk::sample(name,
                  "f64[2,2]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,"
                  "2.2250738585072014e-308}"),
      sdk::sample(name, "f16[2,2]{65504.0,-65504.0,6e-8,6.1035e-5}"),
      sdk::sample(name, "bf16[2,2]{3.39e38,-3.39e38,9.2e-41,1.0}"),
      sdk::sample(name, "f16[7]"),
      sdk::sample(name, "f64[0,3]"),
      sdk::sample(name, "f64[2,0]"),
      sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
      sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
      sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
  });
}

constexpr auto softmax_tolerances(std::string_view name) {
  return sdk::float_tolerances(
      name, "The sum of powers depends on its order, and exp and log are the C library's.",
      {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});
}

}  // namespace tenon::rules
