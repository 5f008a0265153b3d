// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/difference.hpp: losses of d = x - target, element by element: mse, l1, huber,
// smooth l1.
//
// loss = reduction of f(d);  dx = dloss f'(d) / n,  dtarget = -dx; n = 1 except for the mean.
// An op states f and f'. Its own rule keeps x and target alone, and no infinity meets a 0 on the
// way, as it would in the gradients of the steps of f.
#pragma once

#include "loss/reduction.hpp"
#include "unary/elementwise.hpp"

namespace tenon::loss {

// Attribute 0 is `reduction`, attribute 1 the number `parameter`, where there is one.
using Step = tenon_tensor* (*)(sdk::Calls& calls, sdk::Value difference, double parameter);

inline void infer_difference(const sdk::Args& args, std::span<tenon_meta> out) {
  const Reduction reduction = reduction_of(args.attrs[0]);
  set_loss_shape(out[0], reduction, terms_shape(args, reduction).span());
}

template <Step Term>
void compose_difference(sdk::Compose& c) {
  const tenon_dtype dtype = dtype_of(c, {c.in(0), c.in(1)});
  tenon_tensor* x = wide_operand(c, c.in(0), dtype);
  tenon_tensor* difference = c.call("tenon.sub", {x, wide_operand(c, c.in(1), dtype)});
  tenon_tensor* terms = Term(c, difference, c.attrs.size() > 1 ? c.attrs.real(1) : 0.0);
  c.set(0, rules::rounded_to(c, reduced(c, terms, reduction_of(c.attrs[0])), dtype));
}

template <Step Slope, uint32_t NAttributes>
void difference_vjp(sdk::Vjp& v) {
  const tenon_dtype dtype = v.out_meta().dtype;
  tenon_tensor* x = wide_operand(v, v.in(0), dtype);
  tenon_tensor* difference = v.call("tenon.sub", {x, wide_operand(v, v.in(1), dtype)});
  const int64_t count = sdk::count_of(rules::shape_of(v.meta(difference)));
  tenon_tensor* dy = term_gradient(v, reduction_of(v.attr(0)), count, dtype);
  double parameter = 0;
  if constexpr (NAttributes > 1) parameter = sdk::Attrs::number(v.attr(1));
  tenon_tensor* dx = v.call("tenon.mul", {dy, Slope(v, difference, parameter)});
  if (v.wants(0)) set_rounded_grad(v, 0, dx, dtype);
  if (v.wants(1)) set_rounded_grad(v, 1, v.call("tenon.neg", {dx}), dtype);
}

inline constexpr tenon_vjp_need difference_needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1), .output_metas = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1), .output_metas = sdk::bit(0)}),
};

template <Step Slope, uint32_t NAttributes>
constexpr tenon_vjp_desc difference_rule(std::string_view op) {
  return sdk::vjp({.op = op,
                   .needs = difference_needs,
                   .vjp = sdk::vjp_fn<difference_vjp<Slope, NAttributes>>,
                   .n_attrs = NAttributes});
}

// The samples of all these losses, and then those of an op's own.
template <size_t N>
constexpr auto difference_samples(std::string_view name, const std::array<tenon_sample, N>& own) {
  return unary::joined(
      std::array{
          sdk::sample(name, "f64[2,3](-2,2), f64[2,3]"),
          sdk::sample(name, "f64[2,3](-2,2), f64[2,3] | reduction=\"sum\""),
          sdk::sample(name, "f64[2,3](-2,2), f64[2,3] | reduction=\"none\""),
          sdk::sample(name, "f64[2,1,3,2](-2,2), f64[2,3,1] | reduction=\"none\""),
          sdk::sample(name, "f64[3](-2,2), f64[2,3]"),
          sdk::sample(name, "f64[], f64[]"),
          sdk::sample(name, "f64[1,1], f64[1]"),
          sdk::sample(name, "f64[5](-3,3), 0.75"),
          sdk::sample(name, "2, f64[4,1] | reduction=\"sum\""),
          sdk::sample(name, "f64[0,3], f64[0,3]"),
          sdk::sample(name, "f64[0,3], f64[3] | reduction=\"sum\""),
          sdk::sample(name, "f64[0,3], f64[3] | reduction=\"none\""),
          sdk::sample(name, "f32[60](-2,2), f32[60]"),
          sdk::sample(name, "f32[3], f16[3]"),
          sdk::sample(name, "i32[3], f32[3]"),
          sdk::sample(name, "bf16[3], bf16[3] | reduction=\"none\""),
          sdk::sample(name,
                      "f32[7]{3.4028235e38,1e-45,1.1754944e-38,inf,nan,-inf,2.0}, "
                      "f32[7]{1.0,0.0,-1.1754944e-38,1.0,1.0,inf,2.0} | reduction=\"none\""),
          sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[2]{0.0,1.0}"),
          sdk::sample(name, "f32[2]{nan,1.0}, f32[2]"),
          sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "do not broadcast"),
          sdk::refused(name, "f32[4,1], f32[4]", TENON_E_SHAPE, "would both be repeated"),
          sdk::refused(name, "f32[2], f32[2] | reduction=\"median\"", TENON_E_ATTRIBUTE,
                       "reduction names no way"),
          sdk::refused(name, "f32[2], f32[2] | reduction=\"batchmean\"", TENON_E_ATTRIBUTE,
                       "reduction names no way"),
          sdk::refused(name, "f32[2], f32[2] | reduction=1", TENON_E_ATTRIBUTE, "reduction"),
          sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
      },
      own);
}

// ---- What huber and smooth l1 are made of, up to a factor ---------------------------------------

// d^2 / 2 up to |d| = bend, and a line from there: c (|d| - c / 2) with c = min(|d|, bend).
inline tenon_tensor* bent_term(sdk::Calls& calls, sdk::Value difference, double bend) {
  tenon_tensor* size = calls.call("tenon.abs", {difference});
  tenon_tensor* curved = calls.call("tenon.minimum", {size, bend});
  tenon_tensor* rest = calls.call("tenon.sub", {size, calls.call("tenon.mul", {curved, 0.5})});
  return calls.call("tenon.mul", {curved, rest});
}

inline tenon_tensor* bent_slope(sdk::Calls& calls, sdk::Value difference, double bend) {
  return calls.call("tenon.clamp", {difference, -bend, bend});
}

}  // namespace tenon::loss
