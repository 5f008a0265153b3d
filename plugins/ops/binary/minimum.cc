// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/minimum.cc: minimum, the smaller of the two, element by element.
//
// y = min(a, b);  dy goes to the smaller operand; at a tie each gets dy / 2.
// Source: Python array API standard, `minimum`.
#include "binary/extremum.hpp"
#include "rules.hpp"

namespace {

namespace extremum = tenon::extremum;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.minimum";

constexpr std::string_view doc =
    R"(The smaller of the two: `y = min(a, b)`. The operands are broadcast together.

Gradient: `dy` goes to the smaller operand; at a tie each gets `dy / 2`.

Source: Python array API standard, `minimum`; halves at ties as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: exact. Where either operand is NaN the result is NaN; of equal
operands, zeros of either sign included, it is `a`.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "minimum(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_desc vjps[] = {extremum::vjp<false>(name)};

constexpr auto samples = extremum::samples(name);

}  // namespace

TENON_UNIT(minimum) = {.ops = ops, .vjps = vjps, .samples = samples};
