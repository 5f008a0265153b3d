// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/mul.cc: mul, the product, element by element.
//
// y = a * b;  da = dy * b, db = dy * a.
// Source: Python array API standard, `multiply`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
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

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[4,1], f64[1,5]"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2]"),
    sdk::sample(name, "f64[2,3], f64[]"),
    sdk::sample(name, "f64[1], f64[1,1]"),
    sdk::sample(name, "f64[3], 2.5"),
    sdk::sample(name, "-1, f64[2,2]"),
    sdk::sample(name, "f64[0,3], f64[1,3]"),
    sdk::sample(name, "f32[3], f16[3]"),
    sdk::sample(name, "bf16[3], f16[3]"),
    sdk::sample(name, "u8[3], i8[3]"),
    sdk::sample(name, "i64[2], 0.5"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    sdk::sample(name, ends::kI64Pairs),
    sdk::sample(name, ends::kI32Pairs),
    sdk::sample(name, ends::kI16Pairs),
    sdk::sample(name, ends::kI8Pairs),
    sdk::sample(name, ends::kU8Pairs),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
};

}  // namespace

TENON_UNIT(mul) = {.ops = ops, .vjps = vjps, .samples = samples};
