// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/isnan.cc: isnan, which elements are NaN.
//
// y = x is NaN. Source: array-api `isnan`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.isnan";

constexpr std::string_view doc =
    R"(True where the element is NaN. Of integers and bool none is.

No gradient: the result is bool.

Source: Python array API standard, `isnan`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {unary::op(name, "isnan(x: T[...]) -> bool[...]", doc)};

constexpr auto samples = unary::number_samples(
    name, "f64[2,3]", "f64[2,1,3,2]", "f64[]", "f64[1,5,1]", "f16[4]{inf,-inf,nan,65504.0}",
    "bf16[3]{inf,nan,3.3e38}", "f64[4]{nan,-inf,inf,1.0}", "bool[2,2]");

}  // namespace

TENON_UNIT(isnan) = {.ops = ops, .samples = samples};
