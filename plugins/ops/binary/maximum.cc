// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/maximum.cc: maximum, the larger of the two, element by element.
//
// y = max(a, b);  dy goes to the larger operand; at a tie each gets dy / 2.
// Source: Python array API standard, `maximum`.
#include "ends.hpp"
#include "rules.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.maximum";

constexpr std::string_view doc =
    R"(The larger of the two: `y = max(a, b)`. The operands are broadcast together.

Gradient: `dy` goes to the larger operand; at a tie each gets `dy / 2`.

Source: Python array API standard, `maximum`; halves at ties as in PyTorch
`tools/autograd/derivatives.yaml`.

Canonical arithmetic: exact. Where either operand is NaN the result is NaN; of equal
operands, zeros of either sign included, it is `a`.)";

// The rule for operand `self`: nothing where it is smaller, half where both are equal.
tenon_tensor* share_of(sdk::Vjp& v, sdk::Value self, sdk::Value other) {
  tenon_tensor* half = v.call("tenon.mul", {v.dy(), 0.5});
  tenon_tensor* tied = v.call("tenon.eq", {self, other});
  tenon_tensor* share = v.call("tenon.where", {tied, half, v.dy()});
  return v.call("tenon.where", {v.call("tenon.lt", {self, other}), 0, share});
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, share_of(v, v.in(0), v.in(1)));
  if (v.wants(1)) v.grad(1, share_of(v, v.in(1), v.in(0)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "maximum(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[4,1], f64[1,5]"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2]"),
    sdk::sample(name, "f64[2,3], f64[]"),
    sdk::sample(name, "f64[1], f64[1,1]"),
    sdk::sample(name, "f64[3], 0.25"),
    sdk::sample(name, "0, f64[2,2]"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "f32[3], f16[3]"),
    sdk::sample(name, "u8[3], i8[3]"),
    sdk::sample(name, "f32[4]{0.0,-0.0,0.0,1.0}, f32[4]{-0.0,0.0,0.0,1.0}"),
    sdk::sample(name, ends::kF32Pairs),
    sdk::sample(name, ends::kF64Pairs),
    sdk::sample(name, ends::kF16Pairs),
    sdk::sample(name, ends::kBf16Pairs),
    sdk::sample(name, ends::kSpecialPairs),
    sdk::sample(name, ends::kI64Pairs),
    sdk::sample(name, ends::kI32Pairs),
    sdk::sample(name, ends::kI16Pairs),
    sdk::sample(name, ends::kI8Pairs),
    sdk::sample(name, ends::kU8Pairs),
    sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
};

}  // namespace

TENON_UNIT(maximum) = {.ops = ops, .vjps = vjps, .samples = samples};
