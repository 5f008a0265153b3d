// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions_test.cc: how far the vector functions are from the exact values, and that all
// instruction sets give the same bits. Samples and special values here; FunctionsSoak tries every
// f32.
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
#include <type_traits>
#include <vector>

#if defined(TENON_TEST_CPU)
#include "tests/cpu/functions.h"

namespace tenon::tests {
namespace {

constexpr uint64_t kSeed = 20261121;
constexpr size_t kBlock = 4096;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

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

  template <class Wide>
  void look(T found, Wide exact, T a, T b = T(0)) {
    const double off = error(found, exact);
    if (!(off > ulp)) return;
    ulp = off;
    at[0] = a;
    at[1] = b;
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
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const double size :
       {0.0, 1.0, 0.5, 2.0, 3.0, 10.0, 17.3, 88.7, 88.8, 103.9, 104.5, 709.7, 745.2, 1e5, 1e10}) {
    values.push_back(static_cast<T>(size));
  }
  for (const T size : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
                       Limits::denorm_min(), Limits::epsilon()}) {
    values.push_back(size);
  }
  // Where reductions and branches change.
  for (const double edge : {0.34657359027997264, 0.70710678118654752, 1.4142135623730951, 1.075,
                            0.78539816339744831, 1.5707963267948966, 15.0, 4.0, 0x1p-25, 0x1p40}) {
    values.push_back(static_cast<T>(edge));
  }
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) {
    const T value = values[i];
    values.push_back(std::nextafter(value, Limits::infinity()));
    values.push_back(std::nextafter(value, T(0)));
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

// Specials, then random bits and values of usual size in turn, `blocks` full blocks.
template <class T>
std::vector<T> inputs(size_t blocks) {
  std::mt19937_64 random(kSeed);
  std::vector<T> x = special_values<T>();
  while (x.size() < blocks * kBlock) {
    const uint64_t bits = random();
    const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    const double size = std::ldexp(20.0, -static_cast<int>(bits % 12));
    x.push_back(x.size() % 2 ? std::bit_cast<T>(static_cast<BitsOf<T>>(bits))
                             : static_cast<T>(unit * size));
  }
  return x;
}

template <class T>
auto function_of(const UnaryFunction& function) {
  if constexpr (sizeof(T) == 4) {
    return function.f32;
  } else {
    return function.f64;
  }
}

template <class T>
void expect_same_on_all_targets(size_t function, const std::vector<T>& x, const std::vector<T>& y) {
  std::vector<T> other(x.size());
  for (const Target& target : targets()) {
    function_of<T>(target.unary[function])(x.data(), other.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(same_bits(y[i], other[i]) || (std::isnan(y[i]) && std::isnan(other[i])))
          << target.unary[function].name << "(" << x[i] << ") is " << y[i] << " on "
          << targets()[0].name << " and " << other[i] << " on " << target.name;
    }
  }
}

template <class T>
void check_function(size_t function, const std::vector<T>& x) {
  const UnaryFunction& f = targets()[0].unary[function];
  std::vector<T> y(x.size());
  function_of<T>(f)(x.data(), y.data(), x.size());
  Worst<T> worst;
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      worst.look(y[i], f.exact_in_f64(x[i]), x[i]);
    } else {
      worst.look(y[i], f.exact(x[i]), x[i]);
    }
  }
  EXPECT_LE(worst.ulp, sizeof(T) == 4 ? f.f32_ulp : f.f64_ulp)
      << f.name << "(" << worst.at[0] << "), seed " << kSeed;
  expect_same_on_all_targets(function, x, y);
}

class CpuFunctions : public testing::Test {
 protected:
  void SetUp() override {
    if (targets().empty()) GTEST_SKIP() << "this processor has none of the instruction sets";
  }
};

TEST_F(CpuFunctions, F32WithinTheirBound) {
  const std::vector<float> x = inputs<float>(32);
  for (size_t i = 0; i < targets()[0].unary.size(); ++i) check_function(i, x);
}

TEST_F(CpuFunctions, F64WithinTheirBound) {
  if constexpr (std::numeric_limits<long double>::digits < 60) {
    GTEST_SKIP() << "long double has no more digits than f64";
  }
  const std::vector<double> x = inputs<double>(32);
  for (size_t i = 0; i < targets()[0].unary.size(); ++i) {
    if (targets()[0].unary[i].f64) check_function(i, x);
  }
}

struct Pairs {
  std::vector<float> a, b;
  void push(double x, double y) {
    a.push_back(static_cast<float>(x));
    b.push_back(static_cast<float>(y));
  }
};

// All specials with all specials; results of every exponent; bases close to 1; whole exponents.
Pairs pow_inputs(size_t blocks) {
  Pairs pairs;
  const std::vector<float> special = special_values<float>();
  for (const float x : special) {
    for (const float y : special) pairs.push(x, y);
  }
  for (const double whole : {16777215.0, 16777216.0, -16777215.0, 5.0, -4.0, 2147483648.0}) {
    for (const float x : special) pairs.push(x, whole);
  }
  std::mt19937_64 random(kSeed);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  blocks = std::max(blocks, pairs.a.size() / kBlock + 1);
  while (pairs.a.size() < blocks * kBlock) {
    const auto any = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const double base = std::fabs(any);
    const double close = 1 + unit() * 1e-3;
    switch (pairs.a.size() % 4) {
      case 0:
        pairs.push(base, 150 * unit() / std::log2(base));
        break;
      case 1:
        pairs.push(any, std::floor(unit() * 30));
        break;
      case 2:
        pairs.push(close, 100 * unit() / (close - 1));
        break;
      default:
        pairs.push(any, std::bit_cast<float>(static_cast<uint32_t>(random())));
    }
  }
  return pairs;
}

void check_pow(const Pairs& pairs) {
  std::vector<float> y(pairs.a.size());
  std::vector<float> other(pairs.a.size());
  targets()[0].pow(pairs.a.data(), pairs.b.data(), y.data(), y.size());
  Worst<float> worst;
  for (size_t i = 0; i < y.size(); ++i) {
    const double exact = std::pow(static_cast<double>(pairs.a[i]), static_cast<double>(pairs.b[i]));
    worst.look(y[i], exact, pairs.a[i], pairs.b[i]);
  }
  EXPECT_LE(worst.ulp, 2) << "pow(" << worst.at[0] << ", " << worst.at[1] << "), seed " << kSeed;
  std::printf("pow: %.4f ULP at (%a, %a)\n", worst.ulp, worst.at[0], worst.at[1]);
  for (const Target& target : targets()) {
    target.pow(pairs.a.data(), pairs.b.data(), other.data(), other.size());
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_TRUE(same_bits(y[i], other[i]) || (std::isnan(y[i]) && std::isnan(other[i])))
          << "pow(" << pairs.a[i] << ", " << pairs.b[i] << ") on " << target.name;
    }
  }
}

TEST_F(CpuFunctions, PowOfPairsWithinItsBound) { check_pow(pow_inputs(32)); }

// Every f32: the largest error is printed, so that a bound can be believed.
class CpuFunctionsSoak : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (targets().empty()) GTEST_SKIP() << "this processor has none of the instruction sets";
  }
};

TEST_P(CpuFunctionsSoak, EveryF32) {
  const UnaryFunction& f = targets()[0].unary[GetParam()];
  std::vector<float> x(kBlock);
  std::vector<float> y(kBlock);
  Worst<float> worst;
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += kBlock) {
    for (size_t i = 0; i < kBlock; ++i)
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i));
    f.f32(x.data(), y.data(), kBlock);
    for (size_t i = 0; i < kBlock; ++i) worst.look(y[i], f.exact_in_f64(x[i]), x[i]);
    ASSERT_NO_FATAL_FAILURE(expect_same_on_all_targets(GetParam(), x, y));
  }
  std::printf("%s: %.4f ULP at %a\n", f.name.data(), worst.ulp, worst.at[0]);
  EXPECT_LE(worst.ulp, f.f32_ulp) << f.name << "(" << worst.at[0] << ")";
}
std::string name_of(const testing::TestParamInfo<size_t>& parameter) {
  std::string name(targets()[0].unary[parameter.param].name);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
size_t function_count() { return targets().empty() ? 0 : targets()[0].unary.size(); }
INSTANTIATE_TEST_SUITE_P(Functions, CpuFunctionsSoak, testing::Range(size_t{0}, function_count()),
                         name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CpuFunctionsSoak);

class CpuPowSoak : public CpuFunctions {};
TEST_F(CpuPowSoak, ManyPairs) { check_pow(pow_inputs(16384)); }

}  // namespace
}  // namespace tenon::tests

#else

TEST(CpuFunctions, NotBuilt) { GTEST_SKIP() << "tenon.cpu was not built here"; }

#endif
