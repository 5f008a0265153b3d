// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/whole_quotient.hpp: the sample calls that floor_divide and remainder share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include "ends.hpp"

namespace tenon::whole_quotient {

// The calls of both ops, and `more` of one. The first ones keep away from whole quotients, where
// there is no derivative.
template <size_t N>
constexpr auto samples(std::string_view name, const std::string_view (&more)[N]) {
  const tenon_sample common[] = {
      sdk::sample(name, "f64[2,3](5.2,5.8), f64[2,3](1.5,1.7)"),
      sdk::sample(name, "f64[2,3](-5.8,-5.2), f64[3](2.1,2.5)"),
      sdk::sample(name, "f64[4,1](7.1,7.4), f64[1,5](-2.3,-2.1)"),
      sdk::sample(name, "f64[2,1,3,2](1.1,1.3), f64[4,1,2](2,3)"),
      sdk::sample(name, "f64[2,3](-1.3,-1.1), f64[](-3,-2)"),
      sdk::sample(name, "f64[1](0.1,0.9), f64[1,1](1,2)"),
      sdk::sample(name, "f64[3](5.2,5.8), 2"),
      sdk::sample(name, "7, f64[2,2](1.5,1.7)"),
      sdk::sample(name, "f32[67](-100,100), f32[67](-3,3)"),
      sdk::sample(name, "i32[67](-100,100), i32[67](-7,8)"),
      sdk::sample(name, "f64[0,3], f64[3]"),
      sdk::sample(name, "f32[3], f16[3](1,2)"),
      sdk::sample(name, "i32[3], f32[3](1,2)"),
      sdk::sample(name, "u8[3], i8[3]"),
      // Every pair of signs, whole quotients, and quotients just below integers.
      sdk::sample(name,
                  "f32[12]{7.0,-7.0,7.0,-7.0,6.0,-6.0,6.0,-6.0,0.3,1.0,-1.0,5.0}, "
                  "f32[12]{2.0,2.0,-2.0,-2.0,2.0,2.0,-2.0,-2.0,0.1,0.1,0.1,0.2}"),
      sdk::sample(name,
                  "f64[8]{0.3,1.0,-1.0,5.0,-1e-300,1e-300,6.0,0.7}, "
                  "f64[8]{0.1,0.1,0.1,0.2,1.0,-1.0,0.1,0.1}"),
      sdk::sample(name, "i32[9]{7,-7,7,-7,6,-6,0,5,-1}, i32[9]{2,2,-2,-2,-3,3,5,7,7}"),
      sdk::sample(name, ends::kF16Pairs),
      sdk::sample(name, ends::kBf16Pairs),
      sdk::sample(name, ends::kSpecialPairs),
      sdk::sample(name,
                  "f32[14]{0.0,-0.0,0.0,-0.0,1.0,-1.0,1.0,-1.0,0.0,-0.0,inf,-inf,inf,3.0}, "
                  "f32[14]{1.0,1.0,-1.0,-1.0,inf,inf,-inf,-inf,inf,inf,2.0,2.0,0.0,-0.0}"),
      // By zero, and the one quotient that has no room.
      sdk::sample(name, "i64[4]{5,0,-9223372036854775808,-9223372036854775808}, i64[4]{0,0,-1,0}"),
      sdk::sample(name, "i32[4]{5,0,-2147483648,-2147483648}, i32[4]{0,0,-1,0}"),
      sdk::sample(name, "i16[3]{5,-32768,-32768}, i16[3]{0,-1,0}"),
      sdk::sample(name, "i8[3]{5,-128,-128}, i8[3]{0,-1,0}"),
      sdk::sample(name, "u8[4]{5,0,255,200}, u8[4]{0,0,2,255}"),
      sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
  };
  std::array<tenon_sample, std::size(common) + N> all{};
  auto next = std::copy(std::begin(common), std::end(common), all.begin());
  for (const std::string_view text : more) *next++ = sdk::sample(name, text);
  return all;
}

}  // namespace tenon::whole_quotient
