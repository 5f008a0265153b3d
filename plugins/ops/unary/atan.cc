// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/atan.cc: atan, the angle of a tangent, element by element.
//
// y = atan(x);  dx = dy / (1 + x^2).
// Source: Python array API standard, `atan`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.atan";

constexpr std::string_view doc =
    R"(The angle in radians, from -pi/2 to pi/2, whose tangent is `x`.

Gradient: `dx = dy / (1 + x^2)`.

Source: Python array API standard, `atan`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* square = v.call("tenon.mul", {v.in(0), v.in(0)});
  v.grad(0, v.call("tenon.div", {v.dy(), v.call("tenon.add", {square, 1.0})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "atan(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[5](-20,20)", "f64[2,1,3,2](-2,2)", "f64[](-2,2)",
    "f64[1,5,1](-2,2)", "f32[6]{0.4142135,1.0,2.4142137,-1e10,1e-8,-1e-20}",
    "f64[6]{0.41421356237309503,1.0,2.414213562373095,-1e100,1e-9,1e17}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's atan is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(atan) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
