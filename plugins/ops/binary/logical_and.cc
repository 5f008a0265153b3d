// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/logical_and.cc: logical_and, are both true, element by element.
//
// y = a and b.
// Source: Python array API standard, `logical_and`; other dtypes than bool as in PyTorch.
#include "binary/comparison.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.logical_and";

constexpr std::string_view doc =
    R"(Are both operands true? `y = a and b`. The operands are broadcast together.
A number counts as true unless it is zero; NaN is true.

No gradient: the result is bool.

Source: Python array API standard, `logical_and`; other dtypes than bool as in PyTorch.

Canonical arithmetic: exact, in the common dtype of the operands.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "logical_and(a: T[...], b: T[...]) -> bool[...] where T: any promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr auto samples = tenon::comparison::samples(name);

}  // namespace

TENON_UNIT(logical_and) = {.ops = ops, .samples = samples};
