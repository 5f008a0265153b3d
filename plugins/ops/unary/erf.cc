// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/erf.cc: erf, the error function, element by element.
//
// y = erf(x);  dx = dy * 2 / sqrt(pi) * exp(-x^2).
// Source: C, `erf`.
#include <numbers>

#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.erf";

constexpr std::string_view doc =
    R"(The error function: `y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`.

Gradient: `dx = dy * 2 / sqrt(pi) * exp(-x^2)`.

Source: C, `erf`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; f32 and
f64 are within 1 ULP. f16 and bf16 are computed in f32 and rounded once. All of `tenon.ref` is what
the C library gives in f64, within 1 ULP.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* square = v.call("tenon.mul", {v.in(0), v.in(0)});
  tenon_tensor* power = v.call("tenon.exp", {v.call("tenon.neg", {square})});
  tenon_tensor* slope = v.call("tenon.mul", {power, 2.0 * std::numbers::inv_sqrtpi});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "erf(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[5](-4,4)"),
    sdk::sample(name, "f64[2,1,3,2](0.5,2)"),
    sdk::sample(name, "f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1](0.5,2)"),
    sdk::sample(name, "i32[3]"),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f32[8]{1e-20,0.84375,-1.25,2.857,3.8,3.92,-4.0,30.0}"),
    sdk::sample(name, "f64[4]{5.8,5.92,-6.0,1e-300}"),
    sdk::sample(name, "f16[4]{0.001,2.0,2.3,-2.9}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's erf is within 1 ULP in f64, and so is a vector kernel.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(erf) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
