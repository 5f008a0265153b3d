// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/maximum.cc: maximum, the larger of the two, element by element.
//
// y = max(a, b);  dy goes to the larger operand; at a tie each gets dy / 2.
// Source: Python array API standard, `maximum`.
#include "binary/extremum.hpp"
#include "rules.hpp"

namespace {

namespace extremum = tenon::extremum;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.maximum";

constexpr std::string_view doc =
    R"(The larger of the two: `y = max(a, b)`. The operands are broadcast together.

Gradient: `dy` goes to the larger operand; at a tie each gets `dy / 2`.

Source: Python array API standard, `maximum`; halves at ties as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: exact. Where either operand is NaN the result is NaN; of equal
operands, zeros of either sign included, it is `a`.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "maximum(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_desc vjps[] = {extremum::vjp<true>(name)};

constexpr auto samples = extremum::samples(name);

}  // namespace

TENON_UNIT(maximum) = {.ops = ops, .vjps = vjps, .samples = samples};
