// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ends.hpp: sample calls at the ends of dtypes that elementwise ops share.
//
// Each tensor holds the largest number, the smallest normal one, the smallest subnormal one and
// their negatives, or the limits of integers. Whoever runs samples replaces dtypes by others, so
// that every float dtype meets the ends of every other.
#pragma once

#include <string_view>

namespace tenon::ends {

// One operand.
inline constexpr std::string_view kF16 =
    "f16[7]{65504.0,-65504.0,6.1035e-5,-6.1035e-5,6e-8,-6e-8,1.001}";
inline constexpr std::string_view kBf16 =
    "bf16[7]{3.39e38,-3.39e38,1.1755e-38,-1.1755e-38,9.2e-41,-9.2e-41,1.008}";
inline constexpr std::string_view kF32 =
    "f32[8]{3.4028235e38,-3.4028235e38,1.1754944e-38,-1.1754944e-38,1e-45,-1e-45,1.0000001,"
    "0.99999994}";
inline constexpr std::string_view kF64 =
    "f64[6]{1.7976931348623157e308,-1.7976931348623157e308,2.2250738585072014e-308,5e-324,-5e-324,"
    "1.0000000000000002}";
inline constexpr std::string_view kSpecial = "f32[8]{0.0,-0.0,1.0,-1.0,inf,-inf,nan,1e-40}";
inline constexpr std::string_view kI64 = "i64[5]{-9223372036854775808,-1,0,1,9223372036854775807}";
inline constexpr std::string_view kI32 = "i32[5]{-2147483648,-1,0,1,2147483647}";
inline constexpr std::string_view kI16 = "i16[4]{-32768,-1,0,32767}";
inline constexpr std::string_view kI8 = "i8[4]{-128,-1,0,127}";
inline constexpr std::string_view kU8 = "u8[4]{0,1,128,255}";

// Two operands: results that overflow, vanish, round, and have no number.
inline constexpr std::string_view kF16Pairs =
    "f16[5]{65504.0,-65504.0,6.1035e-5,6e-8,2048.0}, f16[5]{16.0,65504.0,-6e-8,0.5,1.0}";
inline constexpr std::string_view kBf16Pairs =
    "bf16[5]{3.39e38,1.1755e-38,9.2e-41,256.0,1.0}, bf16[5]{1e36,-9.2e-41,0.5,1.0,0.00390625}";
inline constexpr std::string_view kF32Pairs =
    "f32[6]{3.4028235e38,-3.4028235e38,1.1754944e-38,1e-45,3.4028235e38,1e-45}, "
    "f32[6]{3.4028235e38,3.4028235e38,-1e-45,1e-45,1e-45,3.4028235e38}";
inline constexpr std::string_view kF64Pairs =
    "f64[5]{1.7976931348623157e308,2.2250738585072014e-308,5e-324,1.7976931348623157e308,1.0}, "
    "f64[5]{1.7976931348623157e308,-5e-324,5e-324,1e292,1.1102230246251565e-16}";
inline constexpr std::string_view kSpecialPairs =
    "f32[8]{inf,inf,nan,0.0,-0.0,inf,1.0,-inf}, f32[8]{1.0,-inf,0.0,nan,0.0,0.0,inf,-inf}";
inline constexpr std::string_view kI64Pairs =
    "i64[3]{9223372036854775807,-9223372036854775808,-9223372036854775808}, "
    "i64[3]{1,-1,-9223372036854775808}";
inline constexpr std::string_view kI32Pairs =
    "i32[3]{2147483647,-2147483648,65536}, i32[3]{1,-1,65536}";
inline constexpr std::string_view kI16Pairs = "i16[2]{300,-32768}, i16[2]{300,-1}";
inline constexpr std::string_view kI8Pairs = "i8[3]{127,-128,-128}, i8[3]{1,-1,-128}";
inline constexpr std::string_view kU8Pairs = "u8[3]{0,255,16}, u8[3]{1,1,16}";

}  // namespace tenon::ends
