// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/sqrt.cc: sqrt, the square root, element by element.
//
// y = sqrt(x);  dx = dy / (2 y).
// Source: array-api `sqrt`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.sqrt";

constexpr std::string_view doc = R"(The square root: `y = sqrt(x)`.

The root of a negative number is NaN; the gradient at 0 is infinite.

Gradient: `dx = dy / (2 y)`.

Source: Python array API standard, `sqrt`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: one IEEE 754 operation in T, rounded to nearest even; f16 and bf16
are computed in f32 and rounded once.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* twice = v.call("tenon.mul", {v.out(), 2.0});
  v.grad(0, v.call("tenon.div", {v.dy(), twice}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sqrt(x: T[...]) -> T[...] where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[5](1,1000)"),
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
    sdk::sample(name, "f32[5]{2.0,3.0,4.0,1e-30,16777216.0}"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(sqrt) = {.ops = ops, .vjps = vjps, .samples = samples};
