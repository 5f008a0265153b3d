// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/mul.cc: mul, the product, element by element.
//
// y = a * b;  da = dy * b, db = dy * a.
// Source: Python array API standard, `multiply`.
#include "binary/arithmetic.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.mul";

constexpr std::string_view doc = R"(The product: `y = a * b`. The operands are broadcast together.

Gradient: `da = dy * b`, `db = dy * a`.

Source: Python array API standard, `multiply`.

Canonical arithmetic: one IEEE 754 operation in T, rounded to nearest even; f16 and bf16
are computed in f32 and rounded once; integers wrap modulo 2^bits.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call(name, {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call(name, {v.dy(), v.in(0)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "mul(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr auto samples = tenon::arithmetic::samples(name, "-1, f64[2,2]");

}  // namespace

TENON_UNIT(mul) = {.ops = ops, .vjps = vjps, .samples = samples};
