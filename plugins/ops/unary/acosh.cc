// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/acosh.cc: acosh, the inverse hyperbolic cosine, element by element.
//
// y = ln(x + sqrt(x^2 - 1));  dx = dy / sqrt(x^2 - 1).
// Source: Python array API standard, `acosh`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.acosh";

constexpr std::string_view doc =
    R"(The number from 0 on whose hyperbolic cosine is `x`: `y = ln(x + sqrt(x^2 - 1))`. Below 1 it
is NaN.

Gradient: `dx = dy / sqrt(x^2 - 1)`.

Source: Python array API standard, `acosh`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

// A factor each for x - 1 and x + 1: digits near 1 stay, and no square overflows.
void vjp(sdk::Vjp& v) {
  tenon_tensor* below = v.call("tenon.rsqrt", {v.call("tenon.sub", {v.in(0), 1.0})});
  tenon_tensor* above = v.call("tenon.rsqrt", {v.call("tenon.add", {v.in(0), 1.0})});
  v.grad(0, v.call("tenon.mul", {v.call("tenon.mul", {v.dy(), below}), above}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "acosh(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](1.1,4)", "f64[5](1,1000)", "f64[2,1,3,2](1.1,4)", "f64[](1.1,4)",
    "f64[1,5,1](1.1,4)", "f32[6]{1.0000001,0.99999994,1.001,1e10,-1e30,2.7e8}",
    "f64[6]{1.0000000000000002,1.0001,268435457.0,1e200,-1e200,2.0}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The C library's acosh is within 2 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(acosh) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
