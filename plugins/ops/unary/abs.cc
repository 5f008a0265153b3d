// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/abs.cc: abs, the absolute value, element by element.
//
// y = |x|;  dx = dy * sign(x).
// Source: Python array API standard, `abs`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.abs";

constexpr std::string_view doc =
    R"(The absolute value: `y = |x|`.

Of the least signed integer it is that integer itself: the result wraps modulo 2^bits.

Gradient: `dx = dy * sign(x)`, 0 where `x` is 0.

Source: Python array API standard, `abs`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the sign bit is cleared, of zeros and NaNs too; integers wrap.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.sign", {v.in(0)})})); }

constexpr tenon_op_desc ops[] = {unary::op(name, "abs(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::joined(
    unary::number_samples(name, "f64[2,3](-2,2)", "f64[2,1,3,2](-3,3)", "f64[](0.5,2)",
                          "f64[1,5,1](0.5,2)", "f32[4,1,5](-100,100)"),
    unary::refused_bool(name));

}  // namespace

TENON_UNIT(abs) = {.ops = ops, .vjps = vjps, .samples = samples};
