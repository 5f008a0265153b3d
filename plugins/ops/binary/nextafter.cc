// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/nextafter.cc: nextafter, the number of the dtype next to another one, element
// by element.
//
// y = the number nearest to a, and not a, on the way to b.
// Source: Python array API standard, `nextafter`; C, `nextafter`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.nextafter";

constexpr std::string_view doc =
    R"(The number of the dtype that comes after `a` in the direction of `b`. Where they are equal,
zeros of either sign included, it is `b`; where either is NaN, NaN. From a zero it is the smallest
subnormal number, and after the largest number comes infinity. The operands are broadcast together.

No gradient: numbers of one dtype have no others between them.

Source: Python array API standard, `nextafter`; C, `nextafter`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "nextafter(a: T[...], b: T[...]) -> T[...] where T: float promote",
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
    sdk::sample(name, "f32[3], 2.5"),
    sdk::sample(name, "-1, f64[3]"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "f32[3], f16[3]"),
    sdk::sample(name, "i32[3], f32[3]"),
    sdk::sample(name, "i32[3], 2"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    // Past zero, past the ends, past a power of 2; zeros of either sign; NaN on either side.
    sdk::sample(name,
                "f32[8]{0.0,-0.0,0.0,-0.0,1.0,-1.0,2.0,nan}, "
                "f32[8]{-0.0,0.0,-1.0,1.0,0.0,-2.0,1.0,1.0}"),
    sdk::sample(name, "f32[4]{3.4028235e38,1e-45,-1e-45,1.0}, f32[4]{inf,-1.0,1.0,nan}"),
    sdk::sample(name, "f64[3]{-1.7976931348623157e308,5e-324,inf}, f64[3]{-inf,0.0,1.0}"),
    sdk::sample(name, "f16[3]{65504.0,-6e-8,1.0}, f16[3]{inf,0.0,0.5}"),
    sdk::sample(name, "bf16[3]{3.39e38,-9.2e-41,1.0}, bf16[3]{inf,0.0,0.5}"),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(nextafter) = {.ops = ops, .samples = samples};
