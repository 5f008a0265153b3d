// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/logical_or.cc: logical_or, is one of the two true, element by element.
//
// y = a or b.
// Source: Python array API standard, `logical_or`; other dtypes than bool as in PyTorch.
#include "binary/comparison.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.logical_or";

constexpr std::string_view doc =
    R"(Is one of the operands true, or both? `y = a or b`. The operands are broadcast together.
A number counts as true unless it is zero; NaN is true.

No gradient: the result is bool.

Source: Python array API standard, `logical_or`; other dtypes than bool as in PyTorch.

Canonical arithmetic: exact, in the common dtype of the operands.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "logical_or(a: T[...], b: T[...]) -> bool[...] where T: any promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr auto samples = tenon::comparison::samples(name);

}  // namespace

TENON_UNIT(logical_or) = {.ops = ops, .samples = samples};
