// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/eq.cc: eq, equality, element by element.
//
// y = a == b.
// Source: Python array API standard, `equal`.
#include "binary/comparison.hpp"
#include "rules.hpp"

namespace {

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

constexpr auto samples = tenon::comparison::samples(name);

}  // namespace

TENON_UNIT(eq) = {.ops = ops, .samples = samples};
