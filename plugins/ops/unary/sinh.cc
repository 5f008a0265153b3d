// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/sinh.cc: sinh, the hyperbolic sine, element by element.
//
// y = (exp(x) - exp(-x)) / 2;  dx = dy * cosh(x).
// Source: Python array API standard, `sinh`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.sinh";

constexpr std::string_view doc =
    R"(The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

Gradient: `dx = dy * cosh(x)`.

Source: Python array API standard, `sinh`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.cosh", {v.in(0)})})); }

constexpr tenon_op_desc ops[] = {
    unary::op(name, "sinh(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[5](-20,5)", "f64[2,1,3,2](-2,2)", "f64[](-2,2)",
    "f64[1,5,1](-2,2)", "f32[8]{89.4,89.5,-88.7,0.99999994,1.0,-1e-5,1e-20,12.0}",
    "f64[6]{710.4,710.5,-709.8,0.9999999999999999,1e-9,-25.0}", "f16[4]{11.7,11.8,-1.0,0.001}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's sinh is within 2 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(sinh) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
