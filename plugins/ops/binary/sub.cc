// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/sub.cc: sub, the difference, element by element.
//
// y = a - b;  da = dy, db = -dy.
// Source: Python array API standard, `subtract`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
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

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[4,1], f64[1,5]"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2]"),
    sdk::sample(name, "f64[2,3], f64[]"),
    sdk::sample(name, "f64[1], f64[1,1]"),
    sdk::sample(name, "f64[3], 2.5"),
    sdk::sample(name, "1, f64[2,2]"),
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

TENON_UNIT(sub) = {.ops = ops, .vjps = vjps, .samples = samples};
