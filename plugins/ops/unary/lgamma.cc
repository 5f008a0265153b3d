// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/lgamma.cc: lgamma, the logarithm of the gamma function, element by element.
//
// y = log |Gamma(x)|;  dx = dy * digamma(x).
// Source: C, `lgamma`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.lgamma";

constexpr std::string_view doc =
    R"(The logarithm of the absolute value of the gamma function: `y = log(abs(Gamma(x)))`. Of 0,
of negative whole numbers and of infinities of either sign it is inf; it overflows to inf above
2.55e305 (f32: 4.08e36).

Gradient: `dx = dy * digamma(x)`, which is NaN at negative whole numbers.

Source: C, `lgamma`; gradient as in PyTorch `tools/autograd/derivatives.yaml`. Computed by NIST
Digital Library of Mathematical Functions, 5.5.1, 5.5.3 and 5.11.1.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
4 ULP in f64 and 1 in f32. Below 0 the result is a sum that may cancel; then these are ULP of its
larger part, in f64 alone. f16 and bf16 are computed in f32 and rounded once.
`tenon.ref` rounds what the C library gives in f64.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.digamma", {v.in(0)})}));
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "lgamma(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,4)", "f64[5](0.1,30)", "f64[2,1,3,2](0.5,4)", "f64[](0.5,4)",
    "f64[1,5,1](2,12)", "f64[4](-2.9,-2.1)", "f64[4](-0.9,-0.1)",
    "f32[8]{2.0,3.0,7.9999995,8.0,0.99999994,1e-20,2.55e36,4.1e36}",
    "f32[8]{-2.0,-0.5,-1.0000001,-33.5,-1e7,-2.4570248,-2.7476826,-1e-20}",
    "f64[8]{1.0000000000000002,0.9999999999999999,1.9999999999999998,2.9999999999999996,3.0,"
    "7.999999999999999,8.0,1e-300}",
    "f64[8]{-2.5,-10.3,-1e-300,-170.6,-4503599627370495.5,-1e300,2.5e305,2.6e305}",
    "f16[4]{0.001,171.0,-3.5,20000.0}");

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "In f64 the C library's lgamma and that of tenon.cpu are within 4 ULP, below 0 of the larger "
    "of two parts that may cancel; a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {4, 1e-15}});

}  // namespace

TENON_UNIT(lgamma) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
