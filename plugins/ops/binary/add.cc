// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/add.cc: add, the sum, element by element.
//
// y = a + b;  da = dy, db = dy.
// Source: Python array API standard, `add`.
#include "binary/arithmetic.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.add";

constexpr std::string_view doc = R"(The sum: `y = a + b`. The operands are broadcast together.

The runtime accumulates gradients with this op (role ADD).

Gradient: `da = dy`, `db = dy`.

Source: Python array API standard, `add`; gradient as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: one IEEE 754 operation in T, rounded to nearest even; f16 and bf16
are computed in f32 and rounded once; integers wrap modulo 2^bits.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (v.wants(1)) v.grad(1, v.dy());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "add(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR,
             .role = TENON_ROLE_ADD})};

constexpr tenon_vjp_need needs[2] = {};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr auto samples = tenon::arithmetic::samples(name, "1, f32[2,2]");

}  // namespace

TENON_UNIT(add) = {.ops = ops, .vjps = vjps, .samples = samples};
