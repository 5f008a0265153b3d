// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/running.hpp: what cummax and cummin share.
#pragma once

#include <array>

#include "index/order.hpp"

namespace tenon::rules {

inline void infer_running(const sdk::Args& args, std::span<tenon_meta> out) {
  axis_of(args.attrs.integer(0), args.shape(0).size(), "axis");
  for (tenon_meta& meta : out) sdk::set_shape(meta, args.shape(0));
}

inline void vjp_running(sdk::Vjp& v) { gradient_of_picked(v, 0); }

constexpr tenon_op_desc running_op(std::string_view name, std::string_view schema,
                                   std::string_view doc) {
  return sdk::op(
      {.name = name, .schema = schema, .doc = doc, .infer = sdk::infer_fn<infer_running>});
}

constexpr tenon_vjp_desc running_vjp(std::string_view op) {
  return sdk::vjp({.op = op,
                   .needs = kPickedNeeds,
                   .vjp = sdk::vjp_fn<vjp_running>,
                   .n_outputs = 2,
                   .n_attrs = 1});
}

constexpr auto running_samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[5] | axis=0"),
      sdk::sample(name, "f64[2,3,4] | axis=1"),
      sdk::sample(name, "f64[2,3,4] | axis=-1"),
      sdk::sample(name, "f64[2,1,3,2] | axis=2"),
      sdk::sample(name, "f64[4,3] | axis=0"),
      sdk::sample(name, "f32[3,17] | axis=1"),
      sdk::sample(name, "f32[17,3] | axis=0"),
      sdk::sample(name, "f64[4,1] | axis=1"),
      sdk::sample(name, "f64[1,4] | axis=0"),
      sdk::sample(name, "f64[0] | axis=0"),
      sdk::sample(name, "f64[2,0,3] | axis=1"),
      sdk::sample(name, "f64[2,0,3] | axis=2"),
      // Equal ones, zeros of either sign, NaN, and the ends.
      sdk::sample(name, "i32[9]{3,1,3,2,1,3,4,1,4} | axis=0"),
      sdk::sample(name, "f32[6]{-0.0,0.0,-0.0,1e-45,-1e-45,1e-45} | axis=0"),
      sdk::sample(name, "f32[6]{1.0,nan,inf,nan,-inf,2.0} | axis=0"),
      sdk::sample(name, "f32[4]{-inf,-inf,inf,inf} | axis=0"),
      sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,-3.4028235e38} | axis=0"),
      sdk::sample(name, "f64[3]{5e-324,-1.7976931348623157e308,2.2250738585072014e-308} | axis=0"),
      sdk::sample(name, "f16[3]{6e-8,65504.0,-65504.0} | axis=0"),
      sdk::sample(name, "bf16[3]{9.2e-41,3.39e38,-3.39e38} | axis=0"),
      sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807} | axis=0"),
      sdk::sample(name, "u8[2,2]{255,1,128,0} | axis=1"),
      sdk::sample(name, "i16[2,3] | axis=0"),
      sdk::sample(name, "bool[5]{false,true,false,true,false} | axis=0"),
      sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
      sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[2,3]", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
      sdk::refused(name, "f32[2], f32[2] | axis=0", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::rules
