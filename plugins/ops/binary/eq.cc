// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/eq.cc: eq, equality, element by element.
//
// y = a == b.
// Source: Python array API standard, `equal`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.eq";

constexpr std::string_view doc = R"(Equality: `y = a == b`. The operands are broadcast together.

No gradient: the result is bool.

Source: Python array API standard, `equal`.

Canonical arithmetic: exact, in the common dtype of the operands; +0 equals -0, and any
comparison with NaN is false.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "eq(a: T[...], b: T[...]) -> bool[...] where T: any promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[4,1], f64[1,5]"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2]"),
    sdk::sample(name, "f64[2,3], f64[]"),
    sdk::sample(name, "f64[1], f64[1,1]"),
    sdk::sample(name, "i32[4], 2"),
    sdk::sample(name, "f64[3], 0"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "bool[4], bool[1]"),
    sdk::sample(name, "u8[3], i8[3]"),
    sdk::sample(name, "f32[3], f16[3]"),
    sdk::sample(name, "i64[2]{9007199254740993,-1}, i64[2]{9007199254740992,-1}"),
    sdk::sample(name, "i64[2], 0.5"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    sdk::sample(name, "f32[4]{0.0,nan,inf,-inf}, f32[4]{-0.0,nan,inf,inf}"),
    sdk::sample(name, ends::kI64Pairs),
    sdk::sample(name, ends::kI32Pairs),
    sdk::sample(name, ends::kI16Pairs),
    sdk::sample(name, ends::kI8Pairs),
    sdk::sample(name, ends::kU8Pairs),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(eq) = {.ops = ops, .samples = samples};
