// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/extremum.hpp: what maximum and minimum share: the gradient and sample calls.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <array>

#include "ends.hpp"

namespace tenon::extremum {

// dy for the operand that was taken, half of it where both are equal, else 0.
template <bool kLarger>
void share(sdk::Vjp& v) {
  for (uint32_t input = 0; input < 2; ++input) {
    if (!v.wants(input)) continue;
    const sdk::Value own = v.in(input);
    const sdk::Value other = v.in(1 - input);
    tenon_tensor* beaten = v.call("tenon.lt", {kLarger ? own : other, kLarger ? other : own});
    tenon_tensor* half = v.call("tenon.mul", {v.dy(), 0.5});
    tenon_tensor* tied = v.call("tenon.eq", {v.in(0), v.in(1)});
    tenon_tensor* taken = v.call("tenon.where", {tied, half, v.dy()});
    v.grad(input, v.call("tenon.where", {beaten, 0, taken}));
  }
}

inline constexpr uint64_t kBoth = sdk::bit(0) | sdk::bit(1);
inline constexpr tenon_vjp_need kNeeds[] = {sdk::need({.inputs = kBoth}),
                                            sdk::need({.inputs = kBoth})};

// Of the op that takes the larger operand, or the smaller.
template <bool kLarger>
constexpr tenon_vjp_desc vjp(std::string_view op) {
  return sdk::vjp({.op = op, .needs = kNeeds, .vjp = sdk::vjp_fn<share<kLarger>>});
}

constexpr auto samples(std::string_view name) {
  return std::to_array<tenon_sample>({
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
  });
}

}  // namespace tenon::extremum
