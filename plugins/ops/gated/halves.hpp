// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/halves.hpp: what glu, swiglu, geglu and their gradients share.
//
// The axis of x holds two halves. One of them, the gate, goes through a function; the other is
// multiplied by what comes out:
//
//   y = f(gate) other;  dother = dy f(gate),  dgate = (dy other) f'(gate)
//
// What tells the three apart is a Rule:
//
//   struct Rule {
//     static constexpr bool kGateFirst;  // else the gate is the second half
//     static tenon_tensor* value(sdk::Compose& c, sdk::Value gate);  // f(gate)
//     // g f'(gate)
//     static tenon_tensor* slope(sdk::Compose& c, sdk::Value g, sdk::Value gate, sdk::Value value);
//   };
#pragma once

#include <algorithm>
#include <array>

#include "ends.hpp"
#include "rules.hpp"

namespace tenon::gated {

namespace rules = tenon::rules;

enum Attribute : uint32_t { kAxis };

// The shape of a half of x, which is operand `input`.
inline rules::Dims half_shape(const sdk::Args& args, uint32_t input) {
  const std::span<const int64_t> shape = args.shape(input);
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(kAxis), shape.size(), "axis"));
  rules::Dims half(shape);
  if (half[axis] % 2 != 0) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "axis " + std::to_string(axis) + " of x does not hold two halves",
                       "x",
                       "an even size of axis " + std::to_string(axis),
                       sdk::shape_text(shape),
                       "along this axis come first the one half, then the other"};
  }
  half[axis] /= 2;
  return half;
}

inline void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], half_shape(args, 0).span());
}

inline void infer_grad(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims half = half_shape(args, 1);
  if (!std::ranges::equal(args.shape(0), half.span())) {
    throw sdk::Failure{TENON_E_SHAPE, "dy must have the shape of a half of x", "dy",
                       sdk::shape_text(half.span()), sdk::shape_text(args.shape(0))};
  }
  sdk::set_shape(out[0], args.shape(1));
}

// Half 0 or 1 of x.
inline sdk::Value half_of(sdk::Compose& c, sdk::Value x, int64_t number) {
  const tenon_meta meta = c.meta(x.tensor());
  const int64_t axis =
      rules::axis_of(c.attrs.integer(kAxis), static_cast<size_t>(meta.rank), "axis");
  const int64_t size = meta.shape[axis] / 2;
  return c.call("tenon.slice", {x}, {axis, number * size, (number + 1) * size});
}

template <class Rule>
void compose(sdk::Compose& c) {
  const sdk::Value gate = rules::widened(c, half_of(c, c.in(0), Rule::kGateFirst ? 0 : 1));
  const sdk::Value other = rules::widened(c, half_of(c, c.in(0), Rule::kGateFirst ? 1 : 0));
  tenon_tensor* y = c.call("tenon.mul", {Rule::value(c, gate), other});
  c.set(0, rules::rounded_to(c, y, c.meta(c.in(0).tensor()).dtype));
}

// In f64, since its gradient multiplies dy and both halves, of which a product may leave the range
// of narrower floats before it meets a slope near 0.
template <class Rule>
void compose_grad(sdk::Compose& c) {
  constexpr tenon_dtype kComputed = TENON_DTYPE_F64;
  const sdk::Value dy = rules::as(c, c.in(0), kComputed);
  const sdk::Value gate = rules::as(c, half_of(c, c.in(1), Rule::kGateFirst ? 0 : 1), kComputed);
  const sdk::Value other = rules::as(c, half_of(c, c.in(1), Rule::kGateFirst ? 1 : 0), kComputed);
  const sdk::Value value = Rule::value(c, gate);
  tenon_tensor* dgate = Rule::slope(c, c.call("tenon.mul", {dy, other}), gate, value);
  tenon_tensor* dother = c.call("tenon.mul", {dy, value});
  tenon_tensor* const first = Rule::kGateFirst ? dgate : dother;
  tenon_tensor* const second = Rule::kGateFirst ? dother : dgate;
  tenon_tensor* const parts[] = {first, second};
  const std::span<tenon_tensor* const> list(parts);
  tenon_tensor* dx = c.call("tenon.concat", {list}, {c.attrs.integer(kAxis)});
  c.set(0, rules::rounded_to(c, dx, c.meta(c.in(1).tensor()).dtype));
}

// The halves of a gate's gradient come from one op, which reads x once.
template <const std::string_view& grad_op, uint32_t n_attrs>
void vjp(sdk::Vjp& v) {
  const sdk::Value inputs[] = {v.dy(), v.in(0)};
  sdk::Value attrs[n_attrs];
  for (uint32_t i = 0; i < n_attrs; ++i) attrs[i] = v.attr(i);
  tenon_tensor* dx[1] = {};
  v.call_many(grad_op, inputs, attrs, dx);
  v.grad(0, dx[0]);
}
inline constexpr tenon_vjp_need kNeeds[] = {sdk::need({.inputs = sdk::bit(0)})};

// ---- Samples that all three have ----------------------------------------------------------------

template <size_t N, size_t M>
constexpr auto joined(const std::array<tenon_sample, N>& shared, const tenon_sample (&own)[M]) {
  std::array<tenon_sample, N + M> all{};
  for (size_t i = 0; i < N; ++i) all[i] = shared[i];
  for (size_t i = 0; i < M; ++i) all[N + i] = own[i];
  return all;
}

template <size_t N>
constexpr auto forward_samples(std::string_view name, const tenon_sample (&own)[N]) {
  const auto shared = std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,6]"),
      sdk::sample(name, "f64[3,10](-4,4)"),
      sdk::sample(name, "f64[4,3] | axis=0"),
      sdk::sample(name, "f64[2,4,3] | axis=1"),
      sdk::sample(name, "f64[2,4,3] | axis=-2"),
      sdk::sample(name, "f64[2,2,2,4](0.5,2) | axis=3"),
      sdk::sample(name, "f64[2]"),
      sdk::sample(name, "f64[1,2,1] | axis=1"),
      sdk::sample(name, "f64[0,4]"),
      sdk::sample(name, "f64[3,0]"),
      sdk::sample(name, "f32[3,134](-4,4)"),
      sdk::sample(name, "f32[3,32](-4,4)"),
      sdk::sample(name, "f16[2,14]"),
      sdk::sample(name, "bf16[14,2] | axis=0"),
      sdk::sample(name, "f32[6]{0.0,-0.0,nan,-0.0,1.0,1.0}"),
      sdk::sample(name, "f32[4]{1.0,2.0,nan,1e-40}"),
      sdk::sample(name, "f32[6]{3.4028235e38,1e-45,1.1754944e-38,1.0,2.0,3.4028235e38}"),
      sdk::sample(name,
                  "f64[6]{1.7976931348623157e308,5e-324,2.2250738585072014e-308,1.0,2.0,"
                  "1.7976931348623157e308}"),
      sdk::sample(name, "f16[6]{65504.0,6e-8,6.1035e-5,1.0,2.0,65504.0}"),
      sdk::sample(name, "bf16[6]{3.39e38,9.2e-41,1.1755e-38,1.0,2.0,3.39e38}"),
      sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "does not hold two halves"),
      sdk::refused(name, "f32[2,4] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
      sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
      sdk::refused(name, "i32[4]", TENON_E_DTYPE, "i32"),
      sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
  });
  return joined(shared, own);
}

// Ranges keep away from where a slope is 0: layouts of one number for all show one slope alone.
template <size_t N>
constexpr auto backward_samples(std::string_view name, const tenon_sample (&own)[N]) {
  const auto shared = std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,3], f64[2,6](-0.5,3)"),
      sdk::sample(name, "f64[3,5](-4,4), f64[3,10](-0.5,3)"),
      sdk::sample(name, "f64[2,3], f64[4,3](0.5,2) | axis=0"),
      sdk::sample(name, "f64[2,2,3], f64[2,4,3](-0.5,3) | axis=1"),
      sdk::sample(name, "f64[2,2,3], f64[2,4,3](-0.5,3) | axis=-2"),
      sdk::sample(name, "f64[2,2,2,2], f64[2,2,2,4](0.5,2) | axis=3"),
      sdk::sample(name, "f64[1], f64[2](0.5,2)"),
      sdk::sample(name, "f64[0,2], f64[0,4]"),
      sdk::sample(name, "f64[3,0], f64[3,0]"),
      sdk::sample(name, "f32[3,67], f32[3,134](-0.5,3)"),
      sdk::sample(name, "f32[3,16], f32[3,32](-0.5,3)"),
      sdk::sample(name, "f16[2,7], f16[2,14](-0.5,3)"),
      sdk::sample(name, "bf16[7,2], bf16[14,2](-0.5,3) | axis=0"),
      sdk::sample(name, "f32[3]{1.0,nan,2.0}, f32[6]{0.0,-0.0,nan,-0.0,1.0,1.0}"),
      sdk::sample(name, "f32[2]{1e-45,1.1754944e-38}, f32[4]{1.0,0.5,2.0,1e-45}"),
      sdk::refused(name, "f32[2,3], f32[2,3]", TENON_E_SHAPE, "does not hold two halves"),
      sdk::refused(name, "f32[2,4], f32[2,4]", TENON_E_SHAPE, "shape of a half"),
      sdk::refused(name, "1.0, f32[2]", TENON_E_SHAPE, "shape of a half"),
      sdk::refused(name, "f32[2,2], f32[2,4] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
      sdk::refused(name, "f32[], f32[]", TENON_E_SHAPE, "no dimensions"),
      sdk::refused(name, "f64[2], f32[4]", TENON_E_DTYPE, "x"),
      sdk::refused(name, "i32[2], i32[4]", TENON_E_DTYPE, "i32"),
      sdk::refused(name, "f32[4]", TENON_E_ARGUMENT, "number of operands"),
  });
  return joined(shared, own);
}

}  // namespace tenon::gated
