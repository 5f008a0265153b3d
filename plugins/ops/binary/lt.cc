// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/lt.cc: lt, less than, element by element.
//
// y = a < b.
// Source: Python array API standard, `less`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.lt";

constexpr std::string_view doc = R"(Less than: `y = a < b`. The operands are broadcast together.

No gradient: the result is bool.

Source: Python array API standard, `less`.

Canonical arithmetic: exact, in the common dtype of the operands; +0 equals -0, and any
comparison with NaN is false.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "lt(a: T[...], b: T[...]) -> bool[...] where T: any promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[4,1], f64[1,5]"),
    sdk::sample(name, "f64[2,3], f64[]"),
    sdk::sample(name, "f32[3]{0.0,nan,inf}, f32[3]{-0.0,nan,inf}"),
    sdk::sample(name, "i64[3]{1,2,3}, i64[3]{1,3,2}"),
    sdk::sample(name, "i32[4], 2"),
    sdk::sample(name, "f64[3], 0"),
    sdk::sample(name, "bool[4], bool[1]"),
    sdk::sample(name, "u8[3], i8[3]"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "i64[2]{9007199254740993,-1}, i64[2]{9007199254740992,-1}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(lt) = {.ops = ops, .samples = samples};
