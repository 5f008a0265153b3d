// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/isfinite.cc: isfinite, which elements are finite numbers.
//
// y = x is neither infinite nor NaN. Source: array-api `isfinite`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.isfinite";

constexpr std::string_view doc =
    R"(True where the element is a finite number: neither infinite nor NaN. Integers and bool are
always finite. The runtime's finite check uses this op (role ISFINITE).

No gradient: the result is bool.

Source: Python array API standard, `isfinite`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "isfinite(x: T[...]) -> bool[...]",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE,
                                          .role = TENON_ROLE_ISFINITE})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,1,3,2]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[1,5,1]"),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f16[4]{inf,-inf,nan,65504.0}"),
    sdk::sample(name, "bf16[3]{inf,nan,3.3e38}"),
    sdk::sample(name, ends::kI64),
    sdk::sample(name, ends::kI32),
    sdk::sample(name, "bool[2,2]"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(isfinite) = {.ops = ops, .samples = samples};
