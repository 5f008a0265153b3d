// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions_test.cc: how far the vector functions are from the exact values, and that all
// instruction sets give the same bits. Samples and special values in quick tests; the Soak ones try
// every f32, and a thousand million pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(TENON_TEST_CPU)
#include "tests/cpu/function_inputs.h"
#include "tests/cpu/functions.h"

namespace tenon::tests {
namespace {

template <class T>
bool same_bits(T a, T b) {
  return std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b);
}

// The distance of neighbouring Ts around `exact`.
template <class T, class Wide>
double ulp_at(Wide exact) {
  using Limits = std::numeric_limits<T>;
  const int exponent = std::max(std::ilogb(exact) + 1, Limits::min_exponent);
  return std::ldexp(1.0, exponent - Limits::digits);
}

// The largest error seen, and where.
template <class T>
struct Worst {
  double ulp = 0;
  T at[2] = {};

  // With a function of sizes, ULP are those of a number as large as size(a).
  template <class Wide>
  void look(T found, Wide exact, T a, T b = T(0), long double (*size)(long double) = nullptr) {
    // Most are the nearest T, which is at most half a ULP off.
    if (ulp >= 0.5 && same_bits(found, static_cast<T>(exact))) return;
    const double off = size && std::isfinite(static_cast<T>(exact))
                           ? absolute(found, exact, static_cast<Wide>(size(a)))
                           : error(found, exact);
    if (!(off > ulp)) return;
    ulp = off;
    at[0] = a;
    at[1] = b;
  }

  template <class Wide>
  static double absolute(T found, Wide exact, Wide size) {
    if (!std::isfinite(found)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(std::fabs(static_cast<Wide>(found) - exact) / Wide(ulp_at<T>(size)));
  }

  // Zeros, infinities and NaN have to be hit; but the last number and infinity are neighbours.
  template <class Wide>
  static double error(T found, Wide exact) {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(exact)) return std::isnan(found) ? 0 : wrong;
    if (exact == 0 || std::isinf(exact)) return same_bits(found, static_cast<T>(exact)) ? 0 : wrong;
    if (std::isnan(found) || std::signbit(found) != std::signbit(exact)) return wrong;
    const Wide past = std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent);
    const Wide kept = std::isinf(found) ? std::copysign(past, exact) : static_cast<Wide>(found);
    const Wide wanted = std::clamp(exact, -past, past);
    return static_cast<double>(std::fabs(kept - wanted) / Wide(ulp_at<T>(wanted)));
  }
};

template <class T>
void expect_same(const std::vector<T>& y, const std::vector<T>& other, std::string_view what) {
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_TRUE(same_bits(y[i], other[i]) || (std::isnan(y[i]) && std::isnan(other[i])))
        << what << ", number " << i << " is " << y[i] << " on " << targets()[0].name << " and "
        << other[i];
  }
}

// One block of f(x); every target has to give the bits of the first.
template <class T>
void check_block(size_t function, const std::vector<T>& x, Worst<T>& worst) {
  const UnaryFunction& f = targets()[0].unary[function];
  std::vector<T> y(x.size());
  function_of<T>(f)(x.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      worst.look(y[i], f.exact_in_f64(x[i]), x[i], 0.0f, f.size);
    } else {
      worst.look(y[i], f.exact(x[i]), x[i], 0.0, f.size);
    }
  }
  std::vector<T> other(x.size());
  for (const Target& target : targets().subspan(1)) {
    function_of<T>(target.unary[function])(x.data(), other.data(), x.size());
    ASSERT_NO_FATAL_FAILURE(expect_same(y, other, target.name)) << f.name;
  }
}

template <class T, class Function>
void expect_bound(const Function& f, const Worst<T>& worst) {
  const double bound = sizeof(T) == 4 ? f.f32_ulp : f.f64_ulp;
  EXPECT_LE(worst.ulp, bound) << f.name << "(" << worst.at[0] << ", " << worst.at[1] << "), seed "
                              << kInputSeed;
  std::printf("%s, %s: %.4f ULP at %a, %a\n", f.name.data(), sizeof(T) == 4 ? "f32" : "f64",
              worst.ulp, static_cast<double>(worst.at[0]), static_cast<double>(worst.at[1]));
}

template <class T>
void check_numbers(size_t function, uint64_t blocks) {
  Numbers<T> numbers;
  std::vector<T> x(kBlock);
  Worst<T> worst;
  for (uint64_t block = 0; block < blocks; ++block) {
    numbers.next(x);
    ASSERT_NO_FATAL_FAILURE(check_block(function, x, worst));
  }
  expect_bound(targets()[0].unary[function], worst);
}

constexpr bool kHasLonger = std::numeric_limits<long double>::digits >= 60;

class CpuFunctions : public testing::Test {
 protected:
  void SetUp() override {
    if (targets().empty()) GTEST_SKIP() << "this processor has none of the instruction sets";
  }
};

TEST_F(CpuFunctions, F32WithinTheirBound) {
  for (size_t i = 0; i < targets()[0].unary.size(); ++i) check_numbers<float>(i, 32);
}

TEST_F(CpuFunctions, F64WithinTheirBound) {
  if (!kHasLonger) GTEST_SKIP() << "long double has no more digits than f64";
  for (size_t i = 0; i < targets()[0].unary.size(); ++i) check_numbers<double>(i, 16);
}

// Multiples of pi / 2 to the nearest f64, among them the one that is nearest to its own.
TEST_F(CpuFunctions, F64AnglesNearMultiplesOfQuarterTurns) {
  if (!kHasLonger) GTEST_SKIP() << "long double has no more digits than f64";
  std::vector<double> x = {6381956970095103.0 * std::ldexp(1.0, 797), 0x1p40, 0x1.fffffffffffffp39};
  for (int i = 1; x.size() < kBlock; ++i) {
    x.push_back(i * 1.5707963267948966);
    x.push_back(std::ldexp(i * 1.5707963267948966, i % 1000));
  }
  x.resize(kBlock);
  for (size_t i = 0; i < targets()[0].unary.size(); ++i) {
    const UnaryFunction& f = targets()[0].unary[i];
    if (f.name != "sin" && f.name != "cos" && f.name != "tan") continue;
    Worst<double> worst;
    ASSERT_NO_FATAL_FAILURE(check_block(i, x, worst));
    expect_bound(f, worst);
  }
}

template <class T>
void check_pairs_block(size_t function, const std::vector<T>& a, const std::vector<T>& b,
                       Worst<T>& worst) {
  const BinaryFunction& f = targets()[0].binary[function];
  std::vector<T> y(a.size());
  function_of<T>(f)(a.data(), b.data(), y.data(), y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      worst.look(y[i], f.exact_in_f64(a[i], b[i]), a[i], b[i]);
    } else {
      worst.look(y[i], f.exact(a[i], b[i]), a[i], b[i]);
    }
  }
  std::vector<T> other(y.size());
  for (const Target& target : targets().subspan(1)) {
    function_of<T>(target.binary[function])(a.data(), b.data(), other.data(), y.size());
    ASSERT_NO_FATAL_FAILURE(expect_same(y, other, target.name)) << f.name;
  }
}

template <class T>
void check_pairs(size_t function, uint64_t blocks) {
  PairSource<T> source;
  std::vector<T> a(kBlock);
  std::vector<T> b(kBlock);
  Worst<T> worst;
  for (uint64_t block = 0; block < source.special_blocks() + blocks; ++block) {
    source.next(a, b);
    ASSERT_NO_FATAL_FAILURE(check_pairs_block(function, a, b, worst));
  }
  expect_bound(targets()[0].binary[function], worst);
}

TEST_F(CpuFunctions, F32PairsWithinTheirBound) {
  for (size_t i = 0; i < targets()[0].binary.size(); ++i) check_pairs<float>(i, 32);
}

TEST_F(CpuFunctions, F64PairsWithinTheirBound) {
  if (!kHasLonger) GTEST_SKIP() << "long double has no more digits than f64";
  for (size_t i = 0; i < targets()[0].binary.size(); ++i) check_pairs<double>(i, 16);
}

// Every f32: the largest error is printed, so that a bound can be believed.
class CpuFunctionsSoak : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (targets().empty()) GTEST_SKIP() << "this processor has none of the instruction sets";
  }
};

TEST_P(CpuFunctionsSoak, EveryF32) {
  std::vector<float> x(kBlock);
  Worst<float> worst;
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += kBlock) {
    for (size_t i = 0; i < kBlock; ++i)
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i));
    ASSERT_NO_FATAL_FAILURE(check_block(GetParam(), x, worst));
  }
  expect_bound(targets()[0].unary[GetParam()], worst);
}

constexpr uint64_t kManyBlocks = 1'000'000'000 / kBlock + 1;

TEST_P(CpuFunctionsSoak, ManyF64) {
  if (!kHasLonger) GTEST_SKIP() << "long double has no more digits than f64";
  check_numbers<double>(GetParam(), kManyBlocks / 4);
}

class CpuPairsSoak : public CpuFunctionsSoak {};
TEST_P(CpuPairsSoak, ManyF32) { check_pairs<float>(GetParam(), kManyBlocks); }
TEST_P(CpuPairsSoak, ManyF64) {
  if (!kHasLonger) GTEST_SKIP() << "long double has no more digits than f64";
  check_pairs<double>(GetParam(), kManyBlocks);
}

std::string with_underscores(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
std::string unary_name(const testing::TestParamInfo<size_t>& parameter) {
  return with_underscores(targets()[0].unary[parameter.param].name);
}
std::string binary_name(const testing::TestParamInfo<size_t>& parameter) {
  return with_underscores(targets()[0].binary[parameter.param].name);
}
size_t unary_count() { return targets().empty() ? 0 : targets()[0].unary.size(); }
size_t binary_count() { return targets().empty() ? 0 : targets()[0].binary.size(); }
INSTANTIATE_TEST_SUITE_P(Functions, CpuFunctionsSoak, testing::Range(size_t{0}, unary_count()),
                         unary_name);
INSTANTIATE_TEST_SUITE_P(Functions, CpuPairsSoak, testing::Range(size_t{0}, binary_count()),
                         binary_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CpuFunctionsSoak);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CpuPairsSoak);

}  // namespace
}  // namespace tenon::tests

#else

TEST(CpuFunctions, NotBuilt) { GTEST_SKIP() << "tenon.cpu was not built here"; }

#endif
