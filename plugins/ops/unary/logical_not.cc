// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/logical_not.cc: logical_not, the opposite truth value, element by element.
//
// y = x is zero. Source: Python array API standard, `logical_not`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.logical_not";

constexpr std::string_view doc =
    R"(True where the element is false, which of numbers is a zero of either sign. NaN counts as
true.

No gradient: the result is bool.

Source: Python array API standard, `logical_not`, which takes bool alone; numbers as in PyTorch,
`logical_not`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {unary::op(name, "logical_not(x: T[...]) -> bool[...]", doc)};

constexpr auto samples = unary::number_samples(name, "f64[2,3]", "f64[2,1,3,2]", "f64[]",
                                               "f64[1,5,1]", "f32[3]{0.0,-0.0,nan}", "bool[2,3]",
                                               "bool[]", "bool[0,3]", "i32[6](-1,2)");

}  // namespace

TENON_UNIT(logical_not) = {.ops = ops, .samples = samples};
