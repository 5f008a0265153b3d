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

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, extremum::share(v, v.call("tenon.lt", {v.in(1), v.in(0)})));
  if (v.wants(1)) v.grad(1, extremum::share(v, v.call("tenon.lt", {v.in(0), v.in(1)})));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "minimum(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr auto samples = extremum::samples(name);

}  // namespace

TENON_UNIT(minimum) = {.ops = ops, .vjps = vjps, .samples = samples};
