// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/isinf.cc: isinf, which elements are infinite.
//
// y = x is an infinity of either sign. Source: array-api `isinf`.
#include "elementwise.hpp"

namespace {

namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.isinf";

constexpr std::string_view doc =
    R"(True where the element is an infinity of either sign. Of integers and bool none is.

No gradient: the result is bool.

Source: Python array API standard, `isinf`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {unary::op(name, "isinf(x: T[...]) -> bool[...]", doc)};

constexpr auto samples = unary::number_samples(
    name, "f64[2,3]", "f64[2,1,3,2]", "f64[]", "f64[1,5,1]", "f16[4]{inf,-inf,nan,65504.0}",
    "bf16[3]{inf,nan,3.3e38}", "f64[4]{nan,-inf,inf,1.0}", "bool[2,2]");

}  // namespace

TENON_UNIT(isinf) = {.ops = ops, .samples = samples};
