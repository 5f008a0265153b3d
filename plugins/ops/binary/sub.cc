// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/sub.cc: sub, the difference, element by element.
//
// y = a - b;  da = dy, db = -dy.
// Source: Python array API standard, `subtract`.
#include "binary/arithmetic.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.sub";

constexpr std::string_view doc =
    R"(The difference: `y = a - b`. The operands are broadcast together.

Gradient: `da = dy`, `db = -dy`.

Source: Python array API standard, `subtract`.

Canonical arithmetic: one IEEE 754 operation in T, rounded to nearest even; f16 and bf16
are computed in f32 and rounded once; integers wrap modulo 2^bits.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (v.wants(1)) v.grad(1, v.call("tenon.neg", {v.dy()}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sub(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR})};

constexpr tenon_vjp_need needs[2] = {};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr auto samples = tenon::arithmetic::samples(name, "1, f64[2,2]");

}  // namespace

TENON_UNIT(sub) = {.ops = ops, .vjps = vjps, .samples = samples};
