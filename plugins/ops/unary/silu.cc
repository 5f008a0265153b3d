// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/silu.cc: silu, the sigmoid linear unit, element by element.
//
// y = x s, s = sigmoid(x);  dx = dy s (1 + x (1 - s)).
// Source: S. Elfwing, E. Uchibe, K. Doya, "Sigmoid-Weighted Linear Units for Neural Network
// Function Approximation", 2017; PyTorch's `silu`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.silu";

constexpr std::string_view doc =
    R"(The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`. Of -inf it is
NaN, as of that quotient in IEEE 754.

Gradient: `dx = dy * s * (1 + x * (1 - s))` with `s = sigmoid(x)`, NaN where `x` is infinite.

Source: S. Elfwing, E. Uchibe, K. Doya, "Sigmoid-Weighted Linear Units for Neural Network
Function Approximation in Reinforcement Learning", 2017; PyTorch, `silu`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP, far left of 0 too. f16 and bf16 are computed in f32 and rounded once.
`tenon.ref` rounds once what the C library gives in more digits.)";

// s + y (1 - s), with 1 - s as sigmoid(-x): it keeps its digits where it is small.
void vjp(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  tenon_tensor* share = v.call("tenon.sigmoid", {x});
  tenon_tensor* rest = v.call("tenon.sigmoid", {v.call("tenon.neg", {x})});
  tenon_tensor* bend = v.call("tenon.mul", {v.out(), rest});
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.add", {share, bend})}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0)})};

constexpr tenon_op_desc ops[] = {
    unary::op(name, "silu(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, needs)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
    "f64[1,5,1](-2,2)", "f32[8]{-3.0,-5.5,-12.0,-20.0,-88.0,-104.0,-110.0,20.5}",
    "f64[6]{-8.3,-37.5,-300.0,-740.0,-746.0,-760.0}", "f16[6]{-2.0,-3.5,-9.0,-18.0,4.0,0.001}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "A quotient of sums of exponentials, known to more digits than T, and a product.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(silu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
