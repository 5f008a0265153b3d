// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/asinh.cc: asinh, the inverse hyperbolic sine, element by element.
//
// y = ln(x + sqrt(x^2 + 1));  dx = dy / sqrt(x^2 + 1).
// Source: Python array API standard, `asinh`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.asinh";

constexpr std::string_view doc =
    R"(The number whose hyperbolic sine is `x`: `y = ln(x + sqrt(x^2 + 1))`.

Gradient: `dx = dy / sqrt(x^2 + 1)`.

Source: Python array API standard, `asinh`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

// The root as a length, whose square does not overflow.
void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.div", {v.dy(), v.call("tenon.hypot", {v.in(0), 1.0})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "asinh(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[5](-20,20)", "f64[2,1,3,2](-2,2)", "f64[](-2,2)",
    "f64[1,5,1](-2,2)", "f32[6]{0.35,-0.36,1e10,-1e-5,1e-20,2.7e8}",
    "f64[6]{0.35,-0.36,268435457.0,1e200,-1e-9,1e-160}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The C library's asinh is within 2 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(asinh) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
