// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/asin.cc: asin, the angle of a sine, element by element.
//
// y = asin(x);  dx = dy / sqrt(1 - x^2).
// Source: Python array API standard, `asin`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.asin";

constexpr std::string_view doc =
    R"(The angle in radians, from -pi/2 to pi/2, whose sine is `x`. Beyond 1 it is NaN.

Gradient: `dx = dy / sqrt(1 - x^2)`.

Source: Python array API standard, `asin`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is
what the C library gives in f64.)";

// (1 - x) (1 + x) keeps its digits where x is near 1.
void vjp(sdk::Vjp& v) {
  tenon_tensor* below = v.call("tenon.sub", {1.0, v.in(0)});
  tenon_tensor* square = v.call("tenon.mul", {below, v.call("tenon.add", {v.in(0), 1.0})});
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.rsqrt", {square})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "asin(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples =
    unary::float_samples(name, "f64[2,3](-0.9,0.9)", "f64[5](-0.9,0.9)", "f64[2,1,3,2](-0.9,0.9)",
                         "f64[](-0.9,0.9)", "f64[1,5,1](-0.9,0.9)",
                         "f32[8]{0.5,-0.5,0.99999994,-0.99999994,1.0000001,0.70710677,1e-8,-1e-20}",
                         "f64[6]{0.9999999999999999,-0.9999999999999998,0.7071067811865476,1e-9,-1."
                         "0000000000000002,0.5}",
                         "f16[4]{0.9995,-0.9995,0.001,-0.5}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's asin is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(asin) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
