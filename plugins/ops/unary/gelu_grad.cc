// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/gelu_grad.cc: gelu_grad, the backward rule of gelu, element by element.
//
// y = dy (P(x) + x P'(x)), P as in gelu.
// Source: PyTorch's `gelu_backward`.
#include <cmath>
#include <numbers>

#include "ends.hpp"
#include "unary/gelu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.gelu_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.gelu` for its operand: `y = dy * (P(x) + x * P'(x))`, with `P` as
`approximate` says. Where `x` is infinite the slope is its limit, 0 or 1.

Gradient: that of its composition.

Source: PyTorch, `gelu_backward`.

Canonical arithmetic: evaluated in f64 and rounded once to T; f64 itself is within the
tolerance, which is relative to the largest result because `P(x)` and `x * P'(x)` cancel left
of 0.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::by_tanh(args.attrs.text(0));
  const std::span<const int64_t> shape = args.shape(1);
  if (!std::ranges::equal(args.shape(0), shape)) {
    throw sdk::Failure{TENON_E_SHAPE, "dy and x have different shapes", "dy",
                       sdk::shape_text(shape), sdk::shape_text(args.shape(0))};
  }
  sdk::set_shape(out[0], shape);
}

// From here on the slope is 0 or 1 to the last digit of f64. Beyond, the limit itself stands in,
// so that no infinity meets a 0.
constexpr double kFlat = 40.0;

sdk::Value clamped(sdk::Compose& c, sdk::Value x) {
  x = c.call("tenon.where", {c.call("tenon.lt", {x, -kFlat}), -kFlat, x});
  return c.call("tenon.where", {c.call("tenon.lt", {kFlat, x}), kFlat, x});
}

tenon_tensor* slope_by_erf(sdk::Compose& c, sdk::Value x) {
  constexpr double density_at_0 = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  tenon_tensor* inner = c.call("tenon.mul", {x, 1.0 / std::numbers::sqrt2});
  tenon_tensor* half_square = c.call("tenon.mul", {c.call("tenon.mul", {x, x}), -0.5});
  tenon_tensor* density = c.call("tenon.mul", {c.call("tenon.exp", {half_square}), density_at_0});
  tenon_tensor* twice_below = c.call("tenon.add", {c.call("tenon.erf", {inner}), 1.0});
  tenon_tensor* below = c.call("tenon.mul", {twice_below, 0.5});
  return c.call("tenon.add", {below, c.call("tenon.mul", {x, density})});
}

// u = scale (x + cubic x^3);  P = sigmoid(2u),  P' = P (1 - P) 2u',  1 - P = sigmoid(-2u): neither
// loses digits where it is small.
tenon_tensor* slope_by_tanh(sdk::Compose& c, sdk::Value x) {
  constexpr double twice_scale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  constexpr double cubic = 0.044715;
  tenon_tensor* square = c.call("tenon.mul", {x, x});
  tenon_tensor* stretch = c.call("tenon.add", {c.call("tenon.mul", {square, cubic}), 1.0});
  tenon_tensor* twice_u = c.call("tenon.mul", {c.call("tenon.mul", {x, stretch}), twice_scale});
  tenon_tensor* below = c.call("tenon.sigmoid", {twice_u});
  tenon_tensor* above = c.call("tenon.sigmoid", {c.call("tenon.neg", {twice_u})});
  tenon_tensor* wider = c.call("tenon.add", {c.call("tenon.mul", {square, 3 * cubic}), 1.0});
  tenon_tensor* steep = c.call("tenon.mul", {c.call("tenon.mul", {x, wider}), twice_scale});
  tenon_tensor* bend = c.call("tenon.mul", {c.call("tenon.mul", {below, above}), steep});
  return c.call("tenon.add", {below, bend});
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(1).tensor()).dtype;
  const sdk::Value x = clamped(c, rules::widened(c, c.in(1)));
  tenon_tensor* slope = rules::by_tanh(c.attrs.text(0)) ? slope_by_tanh(c, x) : slope_by_erf(c, x);
  tenon_tensor* y = c.call("tenon.mul", {rules::widened(c, c.in(0)), slope});
  c.set(0, rules::rounded_to(c, y, dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "gelu_grad(dy: T[...S], x: T[...S], *, approximate: str=\"none\") "
                       "-> T[...S] where T: float",
             .doc = doc,
             .flags = TENON_OP_ELEMENTWISE,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    // Layouts of one number for all show one slope alone, so ranges keep away from where it is 0.
    sdk::sample(name, "f64[2,3], f64[2,3](-0.5,3)"),
    sdk::sample(name, "f64[2,3], f64[2,3](-0.5,3) | approximate=\"tanh\""),
    sdk::sample(name, "f64[7](0.5,2), f64[7]{1.0,-3.0,-5.0,-8.0,-12.0,3.0,6.0}"),
    sdk::sample(name,
                "f64[7](0.5,2), f64[7]{1.0,-3.0,-5.0,-8.0,-12.0,3.0,6.0} | approximate=\"tanh\""),
    sdk::sample(name, "f64[2,1,3,2], f64[2,1,3,2](-2,-1.1)"),
    sdk::sample(name, "f64[], f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3], f64[0,3] | approximate=\"tanh\""),
    sdk::sample(name, "f64[1,5,1], f64[1,5,1](-2,-1.1)"),
    sdk::sample(name, "f16[7], f16[7](-2,-1.1)"),
    sdk::sample(name, "bf16[7], bf16[7](-2,-1.1) | approximate=\"tanh\""),
    sdk::sample(name, "f32[5]{1.0,1.0,1.0,nan,1.0}, f32[5]{0.0,-0.0,nan,1.0,-0.7}"),
    sdk::sample(name, "f32[6]{1.0,1.0,2.0,inf,inf,1e30}, f32[6]{inf,-inf,1e-40,1.0,0.0,-1.0}"),
    sdk::sample(name,
                "f32[6]{1.0,1.0,2.0,inf,inf,1e30}, f32[6]{inf,-inf,1e-40,1.0,0.0,-1.0} | "
                "approximate=\"tanh\""),
    sdk::sample(name,
                "f32[5]{1.0,1.0,1e-45,3.4028235e38,1.1754944e-38}, "
                "f32[5]{3.4028235e38,-3.4028235e38,1.0,1e-45,1.0}"),
    sdk::sample(name,
                "f64[5]{1.0,1.0,5e-324,1.7976931348623157e308,2.2250738585072014e-308}, "
                "f64[5]{1.7976931348623157e308,-1.7976931348623157e308,2.0,5e-324,1.0} | "
                "approximate=\"tanh\""),
    sdk::sample(name, "f16[4]{1.0,1.0,65504.0,6.1035e-5}, f16[4]{65504.0,-65504.0,6e-8,1.0}"),
    sdk::sample(name, "bf16[3]{1.0,1.0,3.39e38}, bf16[3]{3.39e38,-3.39e38,9.2e-41}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "different shapes"),
    sdk::refused(name, "1.0, f32[3]", TENON_E_SHAPE, "different shapes"),
    sdk::refused(name, "f64[2], f32[2]", TENON_E_DTYPE, "x"),
    sdk::refused(name, "i32[2], i32[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2], f32[2] | approximate=\"\"", TENON_E_ATTRIBUTE, "approximate"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Both terms are rounded, and a few operations before them; left of 0 they cancel, so errors "
    "count against the largest result.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(gelu_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
