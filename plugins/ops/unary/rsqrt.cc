// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/rsqrt.cc: rsqrt, one over the square root, element by element.
//
// y = 1 / sqrt(x);  dx = -dy y^3 / 2.
// Source: PyTorch's `rsqrt`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.rsqrt";

constexpr std::string_view doc =
    R"(One over the square root: `y = 1 / sqrt(x)`. Of a zero it is the infinity of its sign, of a
negative number NaN.

Gradient: `dx = -dy * y^3 / 2`.

Source: PyTorch, `rsqrt`; gradient as in its `tools/autograd/derivatives.yaml`.

Canonical arithmetic: a square root and a division in T, each rounded to nearest even; f16 and
bf16 are computed in f32 and rounded once.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.mul", {v.dy(), v.out()});
  for (int i = 0; i < 2; ++i) slope = v.call("tenon.mul", {slope, v.out()});
  v.grad(0, v.call("tenon.mul", {slope, -0.5}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "rsqrt(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kOutput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,2)", "f64[5](1,1000)", "f64[2,1,3,2](0.5,2)", "f64[](0.5,2)",
    "f64[1,5,1](0.5,2)", "f32[6]{2.0,3.0,4.0,1e-30,16777216.0,0.1}");

constexpr auto tolerances =
    sdk::float_tolerances(name, "A root and a quotient, each rounded.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(rsqrt) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
