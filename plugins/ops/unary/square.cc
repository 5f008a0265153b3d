// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/square.cc: square, the square of a number, element by element.
//
// y = x^2;  dx = 2 dy x.
// Source: Python array API standard, `square`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.square";

constexpr std::string_view doc =
    R"(The square: `y = x * x`. Of integers it wraps modulo 2^bits.

Gradient: `dx = 2 * dy * x`.

Source: Python array API standard, `square`.

Canonical arithmetic: one product in T, rounded to nearest even; f16 and bf16 are computed in f32
and rounded once. Integers wrap.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.mul", {v.call("tenon.mul", {v.dy(), v.in(0)}), 2}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "square(x: T[...]) -> T[...] where T: number", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::joined(
    unary::number_samples(name, "f64[2,3](-2,2)", "f64[2,1,3,2](-3,3)", "f64[](0.5,2)",
                          "f64[1,5,1](0.5,2)", "f32[5]{1e-20,3e-23,-1.5e19,1.9e19,0.1}"),
    unary::refused_bool(name));

}  // namespace

TENON_UNIT(square) = {.ops = ops, .vjps = vjps, .samples = samples};
