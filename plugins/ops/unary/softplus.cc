// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/softplus.cc: softplus, the smooth positive part, element by element.
//
// y = ln(1 + exp(beta x)) / beta;  dx = dy sigmoid(beta x).
// Source: C. Dugas and others, "Incorporating Second-Order Functional Knowledge for Better Option
// Pricing", 2000; PyTorch's `softplus`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.softplus";

constexpr std::string_view doc =
    R"(The smooth positive part: `y = ln(1 + exp(beta * x)) / beta`, and `x` itself where `beta *
x` is above `threshold`.

Gradient: `dx = dy * sigmoid(beta * x)`, and `dy` where `beta * x` is above `threshold`.

Source: C. Dugas and others, "Incorporating Second-Order Functional Knowledge for Better Option
Pricing", 2000; PyTorch, `softplus`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 3 ULP, with `beta` and `threshold` rounded to T before. f16 and bf16 are computed
in f32 and rounded once. Nothing overflows, whatever the threshold is, and far left of 0 digits
count as everywhere. `tenon.ref` rounds once what the C library gives in more digits.)";

void vjp(sdk::Vjp& v) {
  const double beta = v.attr(0).as.f64;
  sdk::Value power = v.in(0);
  if (beta != 1.0) power = v.call("tenon.mul", {power, beta});
  tenon_tensor* linear = v.call("tenon.lt", {v.attr(1).as.f64, power});
  tenon_tensor* bent = v.call("tenon.mul", {v.dy(), v.call("tenon.sigmoid", {power})});
  v.grad(0, v.call("tenon.where", {linear, v.dy(), bent}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name,
              "softplus(x: T[...], *, beta: float=1.0, threshold: float=20.0)"
              " -> T[...] where T: float promote",
              doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput, 2)};

constexpr auto samples = unary::joined(
    unary::float_samples(
        name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
        "f64[1,5,1](-2,2)", "f32[8]{-3.0,-5.5,-12.0,-20.0,-88.0,-104.0,-110.0,20.5}",
        "f64[6]{-8.3,-37.5,-300.0,-740.0,-746.0,-760.0}", "f16[6]{-2.0,-3.5,-9.0,-18.0,4.0,0.001}",
        "f64[7](-6,6) | beta=0.5, threshold=2.0", "f32[7](-6,6) | beta=3.0",
        "f64[5](-3,3) | beta=-2.0", "f32[5]{19.9,20.0,20.1,100.0,1000.0} | threshold=500.0",
        "f32[4]{inf,-inf,nan,90.0} | threshold=inf"),
    std::array{sdk::refused(name, "f32[2] | beta=\"steep\"", TENON_E_ATTRIBUTE, "beta"),
               sdk::refused(name, "f32[2] | threshold=\"steep\"", TENON_E_ATTRIBUTE, "threshold")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "An exponential, a logarithm and a quotient.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {3, 0}, .f64 = {3, 0}});

}  // namespace

TENON_UNIT(softplus) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
