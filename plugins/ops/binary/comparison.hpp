// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/comparison.hpp: the sample calls that all comparisons share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <array>

#include "ends.hpp"

namespace tenon::comparison {

// Calls of `name`, an op of two operands of any dtype whose result is bool.
constexpr auto samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,3], f64[2,3]"),
      sdk::sample(name, "f64[2,3], f64[3]"),
      sdk::sample(name, "f64[4,1], f64[1,5]"),
      sdk::sample(name, "f64[2,1,3,2], f64[4,1,2]"),
      sdk::sample(name, "f64[2,3], f64[]"),
      sdk::sample(name, "f64[1], f64[1,1]"),
      sdk::sample(name, "i32[4], 2"),
      sdk::sample(name, "f64[3], 0"),
      sdk::sample(name, "f64[0,3], f64[3]"),
      sdk::sample(name, "bool[4], bool[1]"),
      sdk::sample(name, "u8[3], i8[3]"),
      sdk::sample(name, "f32[3], f16[3]"),
      sdk::sample(name, "i64[2]{9007199254740993,-1}, i64[2]{9007199254740992,-1}"),
      sdk::sample(name, "i64[2], 0.5"),
      sdk::sample(name, ends::kF32Pairs),
      sdk::sample(name, ends::kF64Pairs),
      sdk::sample(name, ends::kF16Pairs),
      sdk::sample(name, ends::kBf16Pairs),
      sdk::sample(name, ends::kSpecialPairs),
      sdk::sample(name, "f32[4]{0.0,nan,inf,-inf}, f32[4]{-0.0,nan,inf,inf}"),
      sdk::sample(name, ends::kI64Pairs),
      sdk::sample(name, ends::kI32Pairs),
      sdk::sample(name, ends::kI16Pairs),
      sdk::sample(name, ends::kI8Pairs),
      sdk::sample(name, ends::kU8Pairs),
      sdk::refused(name, "f32[2], f32[3]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::comparison
