// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/trigamma.cc: trigamma, the slope of digamma, element by element.
//
// y = the second derivative of log Gamma(x).
// Source: PyTorch, `polygamma` of order 1.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.trigamma";

constexpr std::string_view doc =
    R"(The slope of `tenon.digamma`: the second derivative of `log(Gamma(x))`. Of 0 and of negative
whole numbers it is inf, of inf 0, of -inf NaN.

No gradient: it is what the gradient of `tenon.digamma` is made with.

Source: PyTorch, `polygamma` of order 1. Computed by NIST Digital Library of Mathematical
Functions, 5.15.5, 5.15.6 and 5.15.8.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
6 ULP in f64 and 1 in f32. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` computes
with more digits than f64 has.)";

constexpr tenon_op_desc ops[] = {
    unary::op(name, "trigamma(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](0.5,4)", "f64[5](0.3,30)", "f64[2,1,3,2](0.5,4)", "f64[](0.5,4)",
    "f64[1,5,1](2,12)", "f64[4](-2.9,-2.1)", "f64[4](-0.9,-0.1)",
    "f32[8]{2.0,3.0,7.9999995,8.0,0.99999994,1e-18,1e30,6e-20}",
    "f32[8]{-2.0,-0.5,-1.0000001,-33.4,-1e7,-3.4999998,-1.5734985,-1e-18}",
    "f64[8]{1.0,2.9999999999999996,3.0,7.999999999999999,8.0,1e-150,8e-155,7e-155}",
    "f64[6]{-2.5,-10.3,-1e-150,-170.6,-4503599627370495.5,-1e300}",
    "f16[4]{0.01,171.0,-3.4,20000.0}");

constexpr auto tolerances = sdk::float_tolerances(
    name, "In f64 tenon.cpu is within 6 ULP, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {6, 0}});

}  // namespace

TENON_UNIT(trigamma) = {.ops = ops, .samples = samples, .tolerances = tolerances};
