// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/lt.cc: lt, less than, element by element.
//
// y = a < b.
// Source: Python array API standard, `less`.
#include "binary/comparison.hpp"
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

constexpr auto samples = tenon::comparison::samples(name);

}  // namespace

TENON_UNIT(lt) = {.ops = ops, .samples = samples};
