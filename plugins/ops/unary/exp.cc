// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/exp.cc: exp, the natural exponential, element by element.
//
// y = exp(x);  dx = dy * y.
// Source: array-api `exp`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.exp";

constexpr std::string_view doc = R"(The natural exponential: `y = exp(x)`.

Gradient: `dx = dy * y`.

Source: Python array API standard, `exp`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: evaluated in f64 and rounded once to T; f64 itself is within 1 ULP.)";

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
    sdk::sample(name, "f32[8]{0.0,-0.0,1.0,-1.0,inf,-inf,nan,1e-40}"),
    sdk::sample(name, "f32[4]{88.7,88.8,-103.9,-104.0}"),
    sdk::sample(name, "f16[3]{11.0,12.0,-18.0}"),
    sdk::sample(name, "i32[3]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(exp) = {.ops = ops, .vjps = vjps, .samples = samples};
