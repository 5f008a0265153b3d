// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/logsigmoid.cc: logsigmoid, the logarithm of the sigmoid, element by element.
//
// y = -ln(1 + exp(-x));  dx = dy sigmoid(-x).
// Source: PyTorch's `logsigmoid`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.logsigmoid";

constexpr std::string_view doc =
    R"(The logarithm of the sigmoid: `y = -ln(1 + exp(-x))`. Of inf it is the limit, -0.

Gradient: `dx = dy * sigmoid(-x)`.

Source: PyTorch, `logsigmoid`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 2 ULP. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` rounds once
what the C library gives in more digits.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.sigmoid", {v.call("tenon.neg", {v.in(0)})});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "logsigmoid(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
    "f64[1,5,1](-2,2)", "f32[8]{3.0,5.5,12.0,20.0,88.0,104.0,110.0,-20.5}",
    "f64[6]{8.3,37.5,300.0,740.0,746.0,-760.0}", "f16[6]{2.0,3.5,9.0,18.0,-4.0,0.001}");

constexpr auto tolerances =
    sdk::float_tolerances(name, "An exponential and a logarithm, each within 1 ULP.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(logsigmoid) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
