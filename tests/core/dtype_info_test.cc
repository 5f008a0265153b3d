// SPDX-License-Identifier: Apache-2.0
// tests/core/dtype_info_test.cc: what tenon_dtype_get_info says, against the compiler's own limits
// and, for the halves it does not have, against their definitions.
#include <limits>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

class DtypeInfo : public Toy {
 protected:
  tenon_dtype_info info(tenon_dtype dtype) {
    tenon_dtype_info out{};
    out.struct_size = sizeof out;
    cx.must(tenon_dtype_get_info(cx.get(), dtype, &out));
    EXPECT_EQ(out.struct_size, sizeof out);
    return out;
  }
  template <class T>
  void expect_integer(tenon_dtype dtype, const char* name) {
    SCOPED_TRACE(name);
    using Limits = std::numeric_limits<T>;
    const tenon_dtype_info out = info(dtype);
    const uint32_t sign = Limits::is_signed ? TENON_DTYPE_IS_SIGNED : 0u;
    EXPECT_EQ(out.flags, TENON_DTYPE_IS_INTEGER | sign);
    EXPECT_STREQ(out.name, name);
    EXPECT_EQ(out.bits, 8 * sizeof(T));
    EXPECT_EQ(out.int_min, static_cast<int64_t>(Limits::min()));
    EXPECT_EQ(out.int_max, static_cast<int64_t>(Limits::max()));
    EXPECT_EQ(out.min, static_cast<double>(Limits::min()));
    EXPECT_EQ(out.max, static_cast<double>(Limits::max()));
    EXPECT_EQ(out.digits, 0u);
    EXPECT_EQ(out.eps, 0);
    EXPECT_EQ(out.tiny, 0);
    EXPECT_EQ(out.tiny_subnormal, 0);
  }
  struct Float {
    const char* name;
    uint32_t bits, digits;
    double max, eps, tiny, subnormal;
  };
  void expect_float(tenon_dtype dtype, const Float& expected) {
    SCOPED_TRACE(expected.name);
    const tenon_dtype_info out = info(dtype);
    EXPECT_EQ(out.flags, TENON_DTYPE_IS_FLOAT | TENON_DTYPE_IS_SIGNED);
    EXPECT_STREQ(out.name, expected.name);
    EXPECT_EQ(out.bits, expected.bits);
    EXPECT_EQ(out.digits, expected.digits);
    EXPECT_EQ(out.int_min, 0);
    EXPECT_EQ(out.int_max, 0);
    EXPECT_EQ(out.min, -expected.max);
    EXPECT_EQ(out.max, expected.max);
    EXPECT_EQ(out.eps, expected.eps);
    EXPECT_EQ(out.tiny, expected.tiny);
    EXPECT_EQ(out.tiny_subnormal, expected.subnormal);
  }
  template <class T>
  static Float float_of(const char* name) {
    using Limits = std::numeric_limits<T>;
    return {name,          8 * sizeof(T),       Limits::digits10, Limits::max(), Limits::epsilon(),
            Limits::min(), Limits::denorm_min()};
  }
};

TEST_F(DtypeInfo, OfIntegersIsTheCompilers) {
  expect_integer<uint8_t>(TENON_DTYPE_U8, "u8");
  expect_integer<int8_t>(TENON_DTYPE_I8, "i8");
  expect_integer<int16_t>(TENON_DTYPE_I16, "i16");
  expect_integer<int32_t>(TENON_DTYPE_I32, "i32");
  expect_integer<int64_t>(TENON_DTYPE_I64, "i64");
}

TEST_F(DtypeInfo, OfFloatsIsTheCompilers) {
  expect_float(TENON_DTYPE_F32, float_of<float>("f32"));
  expect_float(TENON_DTYPE_F64, float_of<double>("f64"));
}

// f16: 5 bits of exponent, 10 of fraction; bf16: 8 and 7.
TEST_F(DtypeInfo, OfHalvesIsTheirDefinition) {
  expect_float(TENON_DTYPE_F16, {"f16", 16, 3, 65504, 0x1p-10, 0x1p-14, 0x1p-24});
  expect_float(TENON_DTYPE_BF16, {"bf16", 16, 2, 0x1.fep127, 0x1p-7, 0x1p-126, 0x1p-133});
}

TEST_F(DtypeInfo, OfBoolIsNoNumbers) {
  const tenon_dtype_info out = info(TENON_DTYPE_BOOL);
  EXPECT_EQ(out.flags, TENON_DTYPE_IS_BOOL);
  EXPECT_STREQ(out.name, "bool");
  EXPECT_EQ(out.bits, 8u);
  EXPECT_EQ(out.int_min, 0);
  EXPECT_EQ(out.int_max, 1);
}

// A program built against a longer or a shorter struct.
TEST_F(DtypeInfo, FillsAsMuchAsFits) {
  tenon_dtype_info out{};
  out.struct_size = offsetof(tenon_dtype_info, int_min);
  cx.must(tenon_dtype_get_info(cx.get(), TENON_DTYPE_I8, &out));
  EXPECT_EQ(out.struct_size, offsetof(tenon_dtype_info, int_min));
  EXPECT_EQ(out.bits, 8u);
  EXPECT_EQ(out.int_min, 0);
  struct Longer {
    tenon_dtype_info known;
    uint64_t unknown;
  } longer{{}, 7};
  longer.known.struct_size = sizeof longer;
  cx.must(tenon_dtype_get_info(cx.get(), TENON_DTYPE_I8, &longer.known));
  EXPECT_EQ(longer.known.struct_size, sizeof out);
  EXPECT_EQ(longer.unknown, 7u);
}

TEST_F(DtypeInfo, NamesWhatItDoesNotKnow) {
  tenon_dtype_info out{};
  out.struct_size = sizeof out;
  const Failure failure =
      cx.refused(TENON_E_DTYPE, tenon_dtype_get_info(cx.get(), TENON_DTYPE_MAKE(5, 64), &out));
  EXPECT_EQ(failure.operand, "dtype");
  EXPECT_EQ(failure.found, std::to_string(TENON_DTYPE_MAKE(5, 64)));
  EXPECT_THAT(failure.expected, testing::HasSubstr("TENON_DTYPE_F64"));
}

}  // namespace
}  // namespace tenon::tests
