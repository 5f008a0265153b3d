// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/ge.cc: ge, greater than or equal, element by element.
//
// y = a >= b.
// Source: Python array API standard, `greater_equal`.
#include "binary/comparison.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.ge";

constexpr std::string_view doc =
    R"(Greater than or equal: `y = a >= b`. The operands are broadcast together.

No gradient: the result is bool.

Source: Python array API standard, `greater_equal`.

Canonical arithmetic: exact, in the common dtype of the operands; +0 equals -0, and any
comparison with NaN is false.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "ge(a: T[...], b: T[...]) -> bool[...] where T: any promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr auto samples = tenon::comparison::samples(name);

}  // namespace

TENON_UNIT(ge) = {.ops = ops, .samples = samples};
