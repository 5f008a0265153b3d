// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/digamma.cc: digamma, the slope of the logarithm of the gamma function, element
// by element.
//
// y = Gamma'(x) / Gamma(x);  dx = dy * trigamma(x).
// Source: PyTorch, `digamma`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.digamma";

constexpr std::string_view doc =
    R"(The slope of the logarithm of the gamma function: `y = Gamma'(x) / Gamma(x)`. Of 0 it is
-inf, of -0 inf, of inf inf; of negative whole numbers and -inf it is NaN.

Gradient: `dx = dy * trigamma(x)`; it has no gradient of its own.

Source: PyTorch, `digamma`, poles included; gradient as in PyTorch
`tools/autograd/derivatives.yaml`. Computed by NIST Digital Library of Mathematical Functions,
5.5.2, 5.5.4 and 5.11.2.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
6 ULP in f64 and 1 in f32. Below 0 the result is a sum that may cancel; then these are ULP of its
larger part, in f64 alone. f16 and bf16 are computed in f32 and rounded once.
`tenon.ref` computes with more digits than f64 has.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.trigamma", {v.in(0)})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "digamma(x: T[...]) -> T[...] where T: float promote", doc)};

// trigamma has no gradient, so this rule cannot be differentiated.
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = unary::kInput, .vjp = sdk::vjp_fn<vjp>, .flags = 0})};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,4)", "f64[5](0.3,30)", "f64[2,1,3,2](0.5,4)", "f64[](0.5,4)",
    "f64[1,5,1](2,12)", "f64[4](-2.9,-2.1)", "f64[4](-0.9,-0.1)",
    "f32[8]{2.0,3.0,7.9999995,8.0,0.99999994,1e-20,1e36,1.4616321}",
    "f32[8]{-2.0,-0.5,-1.0000001,-33.4,-1e7,-0.50408304,-1.5734985,-1e-20}",
    "f64[8]{1.4616321449683622,1.4616321449683625,1.0,2.9999999999999996,3.0,7.999999999999999,"
    "8.0,1e-300}",
    "f64[6]{-2.5,-10.3,-1e-300,-170.6,-4503599627370495.5,-1e300}",
    "f16[4]{0.001,171.0,-3.4,20000.0}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "In f64 tenon.cpu is within 6 ULP, below 0 of the larger of two parts that may cancel; a "
    "narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {6, 2e-15}});

}  // namespace

TENON_UNIT(digamma) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
