// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/selu.cc: selu, the scaled exponential linear unit, element by element.
//
// y = scale x where x > 0, else scale alpha (exp(x) - 1);  dx = dy scale or dy scale alpha exp(x).
// Source: G. Klambauer, T. Unterthiner, A. Mayr, S. Hochreiter, "Self-Normalizing Neural Networks",
// 2017; PyTorch's `selu`.
#include "elementwise.hpp"
#include "unary/elu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.selu";

constexpr std::string_view doc =
    R"(The scaled exponential linear unit: `y = scale * x` where `x > 0`, else `scale * alpha *
(exp(x) - 1)`, with `scale = 1.0507009873554804934` and `alpha = 1.6732632423543772848`, for
which activations keep mean 0 and variance 1.

Gradient: `dx = dy * scale` where `x > 0`, else `dy * scale * alpha * exp(x)`, at `x = 0` too.

Source: G. Klambauer, T. Unterthiner, A. Mayr, S. Hochreiter, "Self-Normalizing Neural Networks",
2017; PyTorch, `selu`.

Canonical arithmetic: that of `tenon.expm1` and one product in T with a constant rounded to T;
for f16, bf16 and f32 in f32. Within 3 ULP. `tenon.ref` rounds once what the C library gives in
f64.)";

void vjp(sdk::Vjp& v) {
  unary::elu_grad(v, unary::kSeluScale, unary::kSeluScale * unary::kSeluAlpha);
}

constexpr tenon_op_desc ops[] = {
    unary::op(name, "selu(x: T[...]) -> T[...] where T: float promote", doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput)};

constexpr auto samples = unary::float_samples(
    name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)", "f64[](0.5,2)",
    "f64[1,5,1](-2,2)", "f32[8]{-1e-5,-0.1,-1.0,-5.5,-17.0,-30.0,-104.0,88.0}",
    "f64[4]{-1e-9,-37.0,-50.0,-1e-300}");

constexpr auto tolerances =
    sdk::float_tolerances(name, "An expm1 within 1 ULP, a rounded constant and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {3, 0}, .f64 = {3, 0}});

}  // namespace

TENON_UNIT(selu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
