// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/elu.cc: elu, the exponential linear unit, element by element.
//
// y = x where x > 0, else alpha (exp(x) - 1);  dx = dy or dy alpha exp(x).
// Source: D. Clevert, T. Unterthiner, S. Hochreiter, "Fast and Accurate Deep Network Learning by
// Exponential Linear Units", 2015; PyTorch's `elu`.
#include "unary/elu.hpp"
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.elu";

constexpr std::string_view doc =
    R"(The exponential linear unit: `y = x` where `x > 0`, else `alpha * (exp(x) - 1)`.

Gradient: `dx = dy` where `x > 0`, else `dy * alpha * exp(x)`, at `x = 0` too.

Source: D. Clevert, T. Unterthiner, S. Hochreiter, "Fast and Accurate Deep Network Learning by
Exponential Linear Units", 2015; PyTorch, `elu`.

Canonical arithmetic: that of `tenon.expm1` and one product in T; for f16, bf16 and f32 one of
f32, to which `alpha` is rounded before. f32 and f64 are within 2 ULP. Where `x` is small no
digits are lost. `tenon.ref` rounds once what the C library gives in f64.)";

void vjp(sdk::Vjp& v) { unary::elu_grad(v, 1.0, v.attr(0).as.f64); }

constexpr tenon_op_desc ops[] = {
    unary::op(name, "elu(x: T[...], *, alpha: float=1.0) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput, 1)};

constexpr auto samples = unary::joined(
    unary::float_samples(name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)",
                         "f64[](0.5,2)", "f64[1,5,1](-2,2)", "f64[7](-6,6) | alpha=0.3",
                         "f32[7](-6,6) | alpha=1.7",
                         "f32[8]{-1e-5,-0.1,-1.0,-5.5,-17.0,-30.0,-104.0,88.0}",
                         "f64[4]{-1e-9,-37.0,-50.0,-1e-300} | alpha=2.5"),
    std::array{sdk::refused(name, "f32[2] | alpha=\"steep\"", TENON_E_ATTRIBUTE, "alpha")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "An expm1 within 1 ULP and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(elu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
