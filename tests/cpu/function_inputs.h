// SPDX-License-Identifier: Apache-2.0
// tests/cpu/function_inputs.h: what the functions of functions.h are tried with: special values,
// then seeded ones without end, the same on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::tests {

inline constexpr uint64_t kInputSeed = 20261121;
inline constexpr size_t kBlock = 4096;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T, class Function>
auto function_of(const Function& function) {
  if constexpr (sizeof(T) == 4) {
    return function.f32;
  } else {
    return function.f64;
  }
}

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

// Specials, then random bits and values of usual size in turn.
template <class T>
class Numbers {
 public:
  void next(std::vector<T>& x) {
    for (T& value : x) value = draw();
  }

 private:
  T draw() {
    ++drawn_;
    if (drawn_ <= special_.size()) return special_[drawn_ - 1];
    const uint64_t bits = random_();
    if (drawn_ % 2) return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;
    return static_cast<T>(std::ldexp(unit * 20.0, -static_cast<int>(bits % 12)));
  }
  std::vector<T> special_ = special_values<T>();
  std::mt19937_64 random_{kInputSeed};
  size_t drawn_ = 0;
};

// All specials with all specials and whole exponents. Then in turn powers of every exponent; whole
// exponents; bases close to 1; points of every angle and length; such near the diagonals; any bits.
template <class T>
class PairSource {
 public:
  PairSource() {
    const std::vector<T> special = special_values<T>();
    for (const T x : special) {
      for (const T y : special) push(x, y);
      for (const double whole : {16777215.0, 16777216.0, -16777215.0, 5.0, -4.0, 2147483648.0,
                                 9007199254740991.0, 9007199254740992.0}) {
        push(x, whole);
      }
    }
  }
  void next(std::vector<T>& a, std::vector<T>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      const auto [x, y] = drawn_ < special_.size() ? special_[drawn_] : draw();
      a[i] = x;
      b[i] = y;
      ++drawn_;
    }
  }
  size_t special_blocks() const { return special_.size() / kBlock + 1; }

 private:
  using Pair = std::pair<T, T>;
  static constexpr double kRange = sizeof(T) == 4 ? 150 : 1080;  // of exponents

  void push(T x, double y) { special_.emplace_back(x, static_cast<T>(y)); }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }
  T any() { return std::bit_cast<T>(static_cast<BitsOf<T>>(random_())); }
  static Pair pair(double x, double y) { return {static_cast<T>(x), static_cast<T>(y)}; }

  Pair draw() {
    const T bits = any();
    const double base = std::fabs(static_cast<double>(bits));
    const double close = 1 + unit() * std::ldexp(1.0, -static_cast<int>(drawn_ / 8 % 20));
    int exponent = 0;
    double first = 0;
    switch (drawn_ % 8) {
      case 0:
      case 1:
        // Half a bit off the logarithm: the C library's own differs between machines.
        if (std::isfinite(base)) std::frexp(base, &exponent);
        return pair(base, kRange * unit() / (exponent - 0.5));
      case 2:
        return pair(bits, std::floor(unit() * 30));
      case 3:
        return pair(close, kRange * 0.6 * unit() / (close - 1));
      case 4:
        // One after the other: compilers differ in which argument comes first.
        first = unit() * 4;
        return pair(first, unit() * 4);
      case 5:
        return pair(base, std::ldexp(base * unit(), -static_cast<int>(drawn_ / 8 % 60)));
      case 6:
        return {bits, static_cast<T>((drawn_ & 8 ? close : -close) * bits)};
      default:
        return {bits, any()};
    }
  }

  std::vector<Pair> special_;
  std::mt19937_64 random_{kInputSeed};
  size_t drawn_ = 0;
};

}  // namespace tenon::tests
