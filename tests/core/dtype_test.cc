// SPDX-License-Identifier: Apache-2.0
// tests/core/dtype_test.cc: dtype names, kinds, promotion, limits and half-precision bits.
#include "core/tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tenon::tensor {
namespace {

TEST(Dtype, PacksAsDlpackDoes) {
  EXPECT_EQ(TENON_DTYPE_F32, 2u | (32u << 8) | (1u << 16));
  EXPECT_EQ(TENON_DTYPE_BOOL, 6u | (8u << 8) | (1u << 16));
  EXPECT_EQ(TENON_DTYPE_BF16, 4u | (16u << 8) | (1u << 16));
}

TEST(Dtype, NamesAndSizes) {
  const std::vector<std::pair<std::string, uint32_t>> expected = {
      {"bool", 1}, {"u8", 1},  {"i8", 1},   {"i16", 2}, {"i32", 4},
      {"i64", 8},  {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
  ASSERT_EQ(all_dtypes().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const tenon_dtype dtype = all_dtypes()[i];
    EXPECT_TRUE(is_known(dtype));
    EXPECT_EQ(name_of(dtype), expected[i].first);
    EXPECT_EQ(size_of(dtype), expected[i].second);
    EXPECT_EQ(dtype_from_name(expected[i].first), dtype);
  }
}

TEST(Dtype, UnknownPatternsHaveNoProperties) {
  const tenon_dtype complex64 = 5u | (64u << 8) | (1u << 16);
  const tenon_dtype two_lanes = 2u | (32u << 8) | (2u << 16);
  for (const tenon_dtype dtype : {tenon_dtype{0}, complex64, two_lanes, tenon_dtype{0xffffffffu}}) {
    EXPECT_FALSE(is_known(dtype));
    EXPECT_EQ(name_of(dtype), "?");
    EXPECT_EQ(size_of(dtype), 0u);
    EXPECT_FALSE(is_float(dtype) || is_integer(dtype) || is_signed(dtype) || is_bool(dtype));
    EXPECT_FALSE(in_category(dtype, Category::Any));
    EXPECT_EQ(promote(dtype, TENON_DTYPE_F32), std::nullopt);
    EXPECT_EQ(promote(TENON_DTYPE_F32, dtype), std::nullopt);
    EXPECT_EQ(promote_weak(dtype, ScalarKind::Float), dtype);
    EXPECT_EQ(limits_of(dtype).max, 0.0);
  }
  for (const char* name : {"", "?", "F32", "f32 ", "float", "c64", "u16"}) {
    EXPECT_EQ(dtype_from_name(name), std::nullopt) << name;
  }
}

TEST(Dtype, CategoriesHoldWhatTheirNamesSay) {
  const std::vector<std::pair<Category, std::string>> expected = {
      {Category::Any, "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 "},
      {Category::Bool, "bool "},
      {Category::Uint, "u8 "},
      {Category::Int, "u8 i8 i16 i32 i64 "},
      {Category::Float, "f16 bf16 f32 f64 "},
      {Category::Number, "u8 i8 i16 i32 i64 f16 bf16 f32 f64 "}};
  for (const auto& [category, members] : expected) {
    std::string found;
    for (const tenon_dtype dtype : all_dtypes()) {
      if (in_category(dtype, category)) found += std::string(name_of(dtype)) + ' ';
    }
    EXPECT_EQ(found, members) << name_of(category);
    EXPECT_EQ(category_from_name(name_of(category)), category);
  }
  EXPECT_EQ(category_from_name("f32"), std::nullopt);
  EXPECT_TRUE(is_signed(TENON_DTYPE_I8) && is_signed(TENON_DTYPE_BF16));
  EXPECT_FALSE(is_signed(TENON_DTYPE_U8) || is_signed(TENON_DTYPE_BOOL));
}

// The whole table, rows and columns in canonical order. The integer and the float block are the
// array API standard's; the rest is stated in docs/schema.md.
TEST(Promotion, WholeTable) {
  const char* table[10][10] = {
      {"bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"},
      {"u8", "u8", "i16", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"},
      {"i8", "i16", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"},
      {"i16", "i16", "i16", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"},
      {"i32", "i32", "i32", "i32", "i32", "i64", "f16", "bf16", "f32", "f64"},
      {"i64", "i64", "i64", "i64", "i64", "i64", "f16", "bf16", "f32", "f64"},
      {"f16", "f16", "f16", "f16", "f16", "f16", "f16", "f32", "f32", "f64"},
      {"bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "f32", "bf16", "f32", "f64"},
      {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64"},
      {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"}};
  for (size_t row = 0; row < 10; ++row) {
    for (size_t column = 0; column < 10; ++column) {
      const auto result = promote(all_dtypes()[row], all_dtypes()[column]);
      ASSERT_TRUE(result.has_value());
      EXPECT_EQ(name_of(*result), table[row][column])
          << name_of(all_dtypes()[row]) << " with " << name_of(all_dtypes()[column]);
    }
  }
}

// So a list of operands has one answer, whatever order they are taken in.
TEST(Promotion, OrderMakesNoDifference) {
  for (const tenon_dtype a : all_dtypes()) {
    for (const tenon_dtype b : all_dtypes()) {
      EXPECT_EQ(promote(a, b), promote(b, a));
      for (const tenon_dtype c : all_dtypes()) {
        EXPECT_EQ(promote(*promote(a, b), c), promote(a, *promote(b, c)))
            << name_of(a) << ' ' << name_of(b) << ' ' << name_of(c);
      }
    }
  }
}

TEST(Promotion, WeakScalarsNeverWidenWithinTheirKind) {
  for (const tenon_dtype dtype : all_dtypes()) {
    EXPECT_EQ(promote_weak(dtype, ScalarKind::Bool), dtype);
    const tenon_dtype with_int = is_bool(dtype) ? TENON_DTYPE_I64 : dtype;
    EXPECT_EQ(promote_weak(dtype, ScalarKind::Int), with_int) << name_of(dtype);
    const tenon_dtype with_float = is_float(dtype) ? dtype : TENON_DTYPE_F32;
    EXPECT_EQ(promote_weak(dtype, ScalarKind::Float), with_float) << name_of(dtype);
  }
}

TEST(Limits, Integers) {
  EXPECT_EQ(limits_of(TENON_DTYPE_BOOL).imax, 1);
  EXPECT_EQ(limits_of(TENON_DTYPE_U8).imin, 0);
  EXPECT_EQ(limits_of(TENON_DTYPE_U8).imax, 255);
  EXPECT_EQ(limits_of(TENON_DTYPE_I8).imin, -128);
  EXPECT_EQ(limits_of(TENON_DTYPE_I16).max, 32767.0);
  EXPECT_EQ(limits_of(TENON_DTYPE_I32).min, -2147483648.0);
  EXPECT_EQ(limits_of(TENON_DTYPE_I64).imax, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(limits_of(TENON_DTYPE_I64).max, 0x1p63);
  EXPECT_EQ(limits_of(TENON_DTYPE_I64).eps, 0.0);
}

// eps is the step above 1 and max the last finite value, found here from the conversions.
TEST(Limits, FloatsAgreeWithTheirBits) {
  const DtypeLimits f32 = limits_of(TENON_DTYPE_F32);
  EXPECT_EQ(f32.max, std::numeric_limits<float>::max());
  EXPECT_EQ(f32.eps, std::numeric_limits<float>::epsilon());
  EXPECT_EQ(f32.smallest_normal, std::numeric_limits<float>::min());
  const DtypeLimits f64 = limits_of(TENON_DTYPE_F64);
  EXPECT_EQ(f64.min, std::numeric_limits<double>::lowest());
  EXPECT_EQ(f64.eps, std::numeric_limits<double>::epsilon());
  EXPECT_EQ(f64.smallest_normal, std::numeric_limits<double>::min());
  const DtypeLimits f16 = limits_of(TENON_DTYPE_F16);
  EXPECT_EQ(f16.max, half_to_float(0x7bff));
  EXPECT_EQ(f16.min, half_to_float(0xfbff));
  EXPECT_EQ(f16.eps, half_to_float(0x3c01) - 1.0f);
  EXPECT_EQ(f16.smallest_normal, half_to_float(0x0400));
  const DtypeLimits bf16 = limits_of(TENON_DTYPE_BF16);
  EXPECT_EQ(bf16.max, bfloat_to_float(0x7f7f));
  EXPECT_EQ(bf16.eps, bfloat_to_float(0x3f81) - 1.0f);
  EXPECT_EQ(bf16.smallest_normal, bfloat_to_float(0x0080));
}

// The value of a half from its definition, in double, which holds all of them.
double half_by_definition(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryPatternHasItsValueAndComesBack) {
  for (uint32_t pattern = 0; pattern <= 0xffffu; ++pattern) {
    const uint16_t bits = static_cast<uint16_t>(pattern);
    const float value = half_to_float(bits);
    const double expected = half_by_definition(bits);
    ASSERT_EQ(std::isnan(value), std::isnan(expected)) << pattern;
    if (!std::isnan(expected)) {
      ASSERT_EQ(value, expected) << pattern;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << pattern;
    }
    ASSERT_EQ(float_to_half(value), bits) << pattern;
  }
}

TEST(Bfloat, EveryPatternComesBack) {
  for (uint32_t pattern = 0; pattern <= 0xffffu; ++pattern) {
    const uint16_t bits = static_cast<uint16_t>(pattern);
    const float value = bfloat_to_float(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(value), pattern << 16);
    ASSERT_EQ(float_to_bfloat(value), bits) << pattern;
  }
}

// Between every two neighbours: just below the middle goes down, just above goes up, and the
// middle itself goes to the even one.
template <typename Widen, typename Narrow>
void check_rounding(uint16_t last_finite, Widen widen, Narrow narrow) {
  for (uint16_t low = 0; low < last_finite; ++low) {
    const uint16_t high = static_cast<uint16_t>(low + 1);
    const float middle = static_cast<float>(
        (static_cast<double>(widen(low)) + static_cast<double>(widen(high))) / 2);
    const uint16_t even = (low & 1) == 0 ? low : high;
    ASSERT_EQ(narrow(middle), even) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, std::numeric_limits<float>::infinity())), high) << low;
    ASSERT_EQ(narrow(-middle), even | 0x8000) << low;
  }
}

TEST(Half, RoundsToNearestEven) {
  check_rounding(0x7bff, half_to_float, float_to_half);
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_half(1e-30f), 0x0000);
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(Bfloat, RoundsToNearestEven) {
  check_rounding(0x7f7f, bfloat_to_float, float_to_bfloat);
  EXPECT_EQ(float_to_bfloat(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bfloat(-std::numeric_limits<float>::infinity()), 0xff80);
}

TEST(Half, NanNeverBecomesInfinity) {
  // The only payload bit set lies below what the narrow formats keep.
  const float low_payload = std::bit_cast<float>(0x7f800001u);
  EXPECT_EQ(float_to_half(low_payload), 0x7e00);
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0xff800001u)), 0xfe00);
  EXPECT_EQ(float_to_bfloat(low_payload), 0x7fc0);
  EXPECT_EQ(float_to_bfloat(std::bit_cast<float>(0x7fffffffu)), 0x7fff);
}

static_assert(half_to_float(0x3c00) == 1.0f && float_to_half(0.5f) == 0x3800);
static_assert(bfloat_to_float(0x3f80) == 1.0f && float_to_bfloat(-2.0f) == 0xc000);

}  // namespace
}  // namespace tenon::tensor
