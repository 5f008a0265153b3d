// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/rounding.hpp: numbers of a dtype next to a bound, on the side that keeps it.
#pragma once

#include <cmath>
#include <limits>

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

}  // namespace tenon::sdk
