// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/erfinv.cc: erfinv, the inverse of the error function, element by element.
//
// erf(y) = x;  dx = dy * sqrt(pi) / 2 * exp(y^2).
// Source: PyTorch, `erfinv`.
#include <numbers>

#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.erfinv";

constexpr std::string_view doc =
    R"(The number whose error function is `x`: `erf(y) = x`. Of 1 and -1 it is infinite, beyond NaN;
a zero keeps its sign.

Gradient: `dx = dy * sqrt(pi) / 2 * exp(y^2)`.

Source: PyTorch, `erfinv`; gradient as in PyTorch `tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
3 ULP in f64 and 1 in f32. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` takes a
step of Newton with the C library's erf in f64, from M. Wichura, "Algorithm AS 241: The Percentage
Points of the Normal Distribution", Applied Statistics 37, 1988.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* power = v.call("tenon.exp", {v.call("tenon.mul", {v.out(), v.out()})});
  tenon_tensor* slope = v.call("tenon.mul", {power, 0.5 / std::numbers::inv_sqrtpi});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "erfinv(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kOutput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-0.9,0.9)", "f64[5](-0.9,0.9)", "f64[2,1,3,2](-0.9,0.9)", "f64[](-0.9,0.9)",
    "f64[1,5,1](-0.9,0.9)",
    "f32[8]{0.5,-0.5,0.99999994,-0.99999994,1.0000001,0.75,0.7500001,-1e-20}",
    "f64[8]{0.9999999999999999,-0.9999999999999998,0.75,0.7500000000000001,1e-9,"
    "-1.0000000000000002,0.85,-0.999999}",
    "f16[4]{0.9995,-0.9995,0.001,-0.75}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "In f64 tenon.cpu is within 3 ULP, and so is a step of Newton with an erf within 1; a narrower "
    "float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {3, 0}});

}  // namespace

TENON_UNIT(erfinv) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
