// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/reciprocal.cc: reciprocal, one over a number, element by element.
//
// y = 1 / x;  dx = -dy y^2.
// Source: Python array API standard, `reciprocal`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.reciprocal";

constexpr std::string_view doc =
    R"(One over the number: `y = 1 / x`. Of a zero it is the infinity of its sign.

Gradient: `dx = -dy * y^2`.

Source: Python array API standard, `reciprocal`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: one division in T, rounded to nearest even; f16 and bf16 are computed in
f32 and rounded once.)";

// dy first, so that the square of a small or large y is not lost before.
void vjp(sdk::Vjp& v) {
  tenon_tensor* once = v.call("tenon.mul", {v.dy(), v.out()});
  v.grad(0, v.call("tenon.neg", {v.call("tenon.mul", {once, v.out()})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "reciprocal(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kOutput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,2)", "f64[5](-9,-0.5)", "f64[2,1,3,2](0.5,2)", "f64[](0.5,2)",
    "f64[1,5,1](0.5,2)", "f32[6]{3.0,7.0,-0.1,1e38,2.9e-39,-3e38}");

}  // namespace

TENON_UNIT(reciprocal) = {.ops = ops, .vjps = vjps, .samples = samples};
