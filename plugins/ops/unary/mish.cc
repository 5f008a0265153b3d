// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/mish.cc: mish, a smooth unit that is not monotonic, element by element.
//
// y = x tanh(ln(1 + exp(x))).
// Source: D. Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019; PyTorch's
// `mish`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.mish";

constexpr std::string_view doc =
    R"(`y = x * tanh(ln(1 + exp(x)))`. Of -inf it is NaN, as of that product in IEEE
754.

Gradient: `dx = dy * (w + x * sigmoid(x) * (1 - w^2))` with `w = tanh(softplus(x))`, NaN where `x`
is infinite.

Source: D. Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019; PyTorch,
`mish`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 is
computed in f64 and rounded once, f64 is within 1 ULP, far left of 0 too. f16 and bf16 are
computed in f32 and rounded once. `tenon.ref` rounds once what the C library gives in more
digits.)";

void vjp(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  tenon_tensor* w = v.call("tenon.tanh", {v.call("tenon.softplus", {x})});
  tenon_tensor* rest = v.call("tenon.sub", {1.0, v.call("tenon.mul", {w, w})});
  tenon_tensor* steep = v.call("tenon.mul", {v.call("tenon.sigmoid", {x}), rest});
  tenon_tensor* slope = v.call("tenon.add", {w, v.call("tenon.mul", {x, steep})});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "mish(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
    "f64[1,5,1](-2,2)", "f32[8]{-3.0,-5.5,-12.0,-20.0,-88.0,-104.0,-110.0,20.5}",
    "f64[6]{-8.3,-37.5,-300.0,-740.0,-746.0,-760.0}", "f16[6]{-2.0,-3.5,-9.0,-18.0,4.0,0.001}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "A quotient of sums of exponentials, known to more digits than T, and a product.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(mish) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
