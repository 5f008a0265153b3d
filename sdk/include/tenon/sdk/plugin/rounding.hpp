// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/rounding.hpp: numbers of a dtype next to a bound, on the side that keeps it, or
// next to another number.
#pragma once

#include <tenon/sdk/plugin/dtypes.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon::sdk {

// The least T that is not below x, and the largest that is not above it: an infinity where there is
// no finite one. x is not NaN; T is float or double.
template <class T>
T round_up(double x) {
  const T nearest = static_cast<T>(x);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return static_cast<double>(nearest) < x ? std::nextafter(nearest, infinity) : nearest;
}
template <class T>
T round_down(double x) {
  return -round_up<T>(-x);
}

// The T after `a` in the direction of `b`, as C's nextafter, for any type that stores a float.
// Sizes of one sign are in the order of their bits.
template <class T>
constexpr T next_after(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  using C = std::conditional_t<sizeof(T) == 8, double, float>;
  const C from = static_cast<C>(a);
  const C to = static_cast<C>(b);
  if (std::isnan(from)) return a;
  if (std::isnan(to) || from == to) return b;
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  constexpr Bits least = 1;
  if (from == 0) return std::bit_cast<T>(static_cast<Bits>(to < 0 ? sign | least : least));
  const auto bits = std::bit_cast<Bits>(a);
  const bool outwards = (from < to) == (from > 0);
  return std::bit_cast<T>(static_cast<Bits>(outwards ? bits + 1 : bits - 1));
}

}  // namespace tenon::sdk
