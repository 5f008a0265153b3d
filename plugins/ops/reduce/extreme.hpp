// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/extreme.hpp: what max, min, argmax and argmin share.
#pragma once

#include <array>

#include "rules.hpp"

namespace tenon::rules {

// The reduction's usual shape, but an axis of size 0 has no `word` ("maximum").
inline void infer_extreme(const sdk::Args& args, std::span<tenon_meta> out, const char* word) {
  const std::span<const int64_t> shape = args.shape(0);
  const auto reduced = reduced_axes(args.attrs[0], shape.size());
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
      result.push(shape[i]);
      continue;
    }
    if (shape[i] == 0) {
      throw sdk::Failure{TENON_E_SHAPE,
                         "axis " + std::to_string(i) + " has no " + word + ": its size is 0", "x",
                         "a size of 1 or more along each reduced axis", sdk::shape_text(shape)};
    }
    if (args.attrs.flag(1)) result.push(1);
  }
  sdk::set_shape(out[0], result.span());
}

// dy shared equally among the elements that are equal to the result.
inline void vjp_extreme(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  const sdk::Value axes = v.attr(0);
  const tenon_meta meta = v.in_meta(0);
  const Dims kept = kept_shape(shape_of(meta), axes);
  tenon_tensor* tied = v.call("tenon.eq", {x, reshape(v, v.out(), kept)});
  tenon_tensor* ones = v.call("tenon.cast", {tied}, {sdk::Value::dtype(meta.dtype)});
  tenon_tensor* ties = v.call("tenon.sum", {ones}, {axes, true});
  tenon_tensor* picked = v.call("tenon.where", {tied, reshape(v, v.dy(), kept), 0});
  v.grad(0, v.call("tenon.div", {picked, ties}));
}

inline constexpr tenon_vjp_need kExtremeNeeds[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(0)})};

constexpr tenon_vjp_desc extreme_vjp(std::string_view op) {
  return sdk::vjp(
      {.op = op, .needs = kExtremeNeeds, .vjp = sdk::vjp_fn<vjp_extreme>, .n_attrs = 2});
}

// The shape of places along attribute 0, an axis or none; of nothing there is no `word`
// ("largest").
inline void infer_place(const sdk::Args& args, std::span<tenon_meta> out, const char* word) {
  const std::span<const int64_t> shape = args.shape(0);
  const bool keep = args.attrs.flag(1);
  Dims result;
  bool empty = sdk::count_of(shape) == 0;
  if (args.attrs.given(0)) {
    const auto axis = static_cast<size_t>(axis_of(args.attrs.integer(0), shape.size(), "axis"));
    empty = shape[axis] == 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != axis) result.push(shape[i]);
      if (i == axis && keep) result.push(1);
    }
  } else {
    for (size_t i = 0; keep && i < shape.size(); ++i) result.push(1);
  }
  if (empty) {
    throw sdk::Failure{TENON_E_SHAPE, std::string("there is no ") + word + " element among 0", "x",
                       "one element or more to choose from", sdk::shape_text(shape)};
  }
  sdk::set_shape(out[0], result.span());
}

// Calls of max and min. `losers`: of what any other element wins; `refusal`: in the message of
// nothing.
constexpr auto extreme_samples(std::string_view name, std::string_view losers,
                               std::string_view refusal) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,3]"),
      sdk::sample(name, "f64[2,3,4] | axes=[1]"),
      sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true"),
      sdk::sample(name, "f64[2,3,1,4] | axes=[1,3]"),
      sdk::sample(name, "f64[2,3] | axes=[]"),
      sdk::sample(name, "f64[] | axes=[]"),
      sdk::sample(name, "f64[]"),
      sdk::sample(name, "f32[61](0,1)"),
      sdk::sample(name, "f32[70,67](0,1) | axes=[1]"),
      sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
      sdk::sample(name, "f64[2,0,3] | axes=[0]"),
      sdk::sample(name, "i32[2,3]{1,5,5,-2,-2,-7} | axes=[1]"),
      sdk::sample(name, "f32[4]{1.0,nan,inf,-inf}"),
      sdk::sample(name, losers),
      sdk::sample(name, "f32[2,2]{0.0,-0.0,-0.0,0.0} | axes=[1]"),
      sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,-3.4028235e38}"),
      sdk::sample(name, "f64[3]{-1.7976931348623157e308,5e-324,2.2250738585072014e-308}"),
      sdk::sample(name, "f16[3]{65504.0,-65504.0,6e-8}"),
      sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}"),
      sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}"),
      sdk::sample(name, "u8[4]"),
      sdk::sample(name, "bool[2,2] | axes=[0]"),
      sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "f32[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
      sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "f32[2,0] | axes=[1]", TENON_E_SHAPE, refusal),
      sdk::refused(name, "f32[0]", TENON_E_SHAPE, refusal),
  });
}

// Calls of argmax and argmin, with the same parameters.
constexpr auto place_samples(std::string_view name, std::string_view losers,
                             std::string_view refusal) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[5]"),
      sdk::sample(name, "f64[2,3,4] | axis=1"),
      sdk::sample(name, "f64[2,3,4] | axis=-1, keepdims=true"),
      sdk::sample(name, "f64[2,1,3,2] | axis=2"),
      sdk::sample(name, "f64[2,3] | keepdims=true"),
      sdk::sample(name, "i64[2,3]{4,7,7,-1,-1,-3} | axis=1"),
      sdk::sample(name, "f32[4]{1.0,nan,inf,nan}"),
      sdk::sample(name, losers),
      sdk::sample(name, "f32[4]{-0.0,0.0,-0.0,-1e-45}"),
      sdk::sample(name, "f32[3]{1e-45,3.4028235e38,1.1754944e-38}"),
      sdk::sample(name, "f64[3]{5e-324,-1.7976931348623157e308,2.2250738585072014e-308}"),
      sdk::sample(name, "f16[2]{6e-8,65504.0}"),
      sdk::sample(name, "bf16[2]{9.2e-41,3.39e38}"),
      sdk::sample(name, "i64[3]{-9223372036854775808,9223372036854775807,9223372036854775806}"),
      sdk::sample(name, "u8[4]{1,255,0,255}"),
      sdk::sample(name, "bool[4]{false,true,true,false}"),
      sdk::sample(name, "f64[1]"),
      sdk::sample(name, "f64[]"),
      sdk::sample(name, "f64[0,3] | axis=1"),
      sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[2,3] | axis=-3", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[2,3] | axis=1.0", TENON_E_ATTRIBUTE, "axis"),
      sdk::refused(name, "f32[2,0] | axis=1", TENON_E_SHAPE, refusal),
      sdk::refused(name, "f32[0]", TENON_E_SHAPE, refusal),
      sdk::refused(name, "f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
      sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::rules
