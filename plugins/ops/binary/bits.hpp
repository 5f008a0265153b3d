// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/bits.hpp: the sample calls that the ops on bits share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <array>

#include "ends.hpp"

namespace tenon::bits {

// Calls of `name`, an op that takes two operands bit by bit, bool or integers.
constexpr auto samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "i32[2,3](-1000,1000), i32[2,3](-1000,1000)"),
      sdk::sample(name, "i64[2,3], i64[3]"),
      sdk::sample(name, "i32[4,1], i32[1,5]"),
      sdk::sample(name, "i16[2,1,3,2](-300,300), i16[4,1,2](-300,300)"),
      sdk::sample(name, "i8[67](-128,128), i8[67](-128,128)"),
      sdk::sample(name, "i32[2,3], i32[]"),
      sdk::sample(name, "i64[1], i64[1,1]"),
      sdk::sample(name, "i32[4], 5"),
      sdk::sample(name, "-2, i8[3]"),
      sdk::sample(name, "bool[4], true"),
      sdk::sample(name, "bool[4]{true,true,false,false}, bool[4]{true,false,true,false}"),
      sdk::sample(name, "bool[3], i16[3]"),
      sdk::sample(name, "u8[3](0,256), i8[3](-128,128)"),
      sdk::sample(name, "i64[0,3], i64[3]"),
      sdk::sample(name, "i64[2]{9007199254740993,-1}, i64[2]{9007199254740992,-2}"),
      sdk::sample(name, ends::kI64Pairs),
      sdk::sample(name, ends::kI32Pairs),
      sdk::sample(name, ends::kI16Pairs),
      sdk::sample(name, ends::kI8Pairs),
      sdk::sample(name, ends::kU8Pairs),
      sdk::refused(name, "i32[2], i32[3]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "i32[2,3], i32[2]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_DTYPE, "f32"),
      sdk::refused(name, "i32[2], 0.5", TENON_E_DTYPE, "f32"),
      sdk::refused(name, "i32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "i32[2], i32[2], i32[2]", TENON_E_ARGUMENT, "number of operands"),
  });
}

// Calls of `name`, an op that moves the bits of integers by a count.
constexpr auto shift_samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "i32[2,3](-1000,1000), i32[2,3](0,32)"),
      sdk::sample(name, "i64[2,3](-1000,1000), i64[3](0,64)"),
      sdk::sample(name, "i32[4,1](-1000,1000), i32[1,5](0,32)"),
      sdk::sample(name, "i16[2,1,3,2](-300,300), i16[4,1,2](0,16)"),
      sdk::sample(name, "i8[67](-128,128), i8[67](0,8)"),
      sdk::sample(name, "u8[67](0,256), u8[67](0,9)"),
      sdk::sample(name, "i32[2,3], i32[]{3}"),
      sdk::sample(name, "i64[1], i64[1,1]{1}"),
      sdk::sample(name, "i32[4], 5"),
      sdk::sample(name, "1, i8[3](0,8)"),
      sdk::sample(name, "u8[3](0,256), i8[3](0,8)"),
      sdk::sample(name, "i64[0,3], i64[3](0,8)"),
      // Counts at the width, past it, and below 0.
      sdk::sample(name,
                  "i64[8]{-1,-1,5,5,-7,9223372036854775807,-9223372036854775808,1}, "
                  "i64[8]{63,64,63,64,-1,62,63,-9223372036854775808}"),
      sdk::sample(name,
                  "i32[8]{-1,-1,5,5,-7,2147483647,-2147483648,1}, "
                  "i32[8]{31,32,31,32,-1,30,31,-2147483648}"),
      sdk::sample(name,
                  "i16[8]{-1,-1,5,5,-7,32767,-32768,1}, "
                  "i16[8]{15,16,15,256,-1,14,15,-32768}"),
      sdk::sample(name, "i8[8]{-1,-1,5,5,-7,127,-128,1}, i8[8]{7,8,7,127,-1,6,7,-128}"),
      sdk::sample(name, "u8[6]{255,255,1,128,129,3}, u8[6]{7,8,7,1,255,0}"),
      sdk::refused(name, "i32[2], i32[3]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "i32[2,3], i32[2]", TENON_E_SHAPE, "broadcast"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_DTYPE, "f32"),
      sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
      sdk::refused(name, "i32[2]", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "i32[2], i32[2], i32[2]", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::bits
