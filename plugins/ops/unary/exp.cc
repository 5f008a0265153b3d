// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/exp.cc: exp, the natural exponential, element by element.
//
// y = exp(x);  dx = dy * y.
// Source: array-api `exp`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.exp";

constexpr std::string_view doc = R"(The natural exponential: `y = exp(x)`.

Gradient: `dx = dy * y`.

Source: Python array API standard, `exp`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: the steps of `tenon.cpu`, which every instruction set rounds alike; within
1 ULP in f32 and f64. f16 and bf16 are computed in f32 and rounded once. `tenon.ref` rounds what
the C library gives in f64.)";

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), v.out()})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "exp(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[5](-20,5)"),
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
    sdk::sample(name, "f32[6]{88.7,88.8,-87.4,-103.9,-104.0,1e-8}"),
    sdk::sample(name, "f16[4]{11.0,11.1,-17.0,-18.0}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The C library's exp is within 1 ULP in f64, and a narrower float is rounded from that.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 0}});

}  // namespace

TENON_UNIT(exp) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
