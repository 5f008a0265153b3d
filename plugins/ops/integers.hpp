// SPDX-License-Identifier: Apache-2.0
// plugins/ops/integers.hpp: what the integer dtypes hold, and numbers that become elements of one.
#pragma once

#include <tenon/sdk/plugin/probability.hpp>

#include <cmath>

#include "rules.hpp"

namespace tenon::rules {

// The least and the largest number of an integer dtype.
struct Ends {
  int64_t least, most;
};
inline Ends ends_of(tenon_dtype dtype) {
  if (dtype == TENON_DTYPE_U8) return {0, 255};
  const int64_t bits = 8 * int64_t{sdk::size_of(dtype)};
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return {-most - 1, most};
}

inline bool is_in(const Ends& ends, const tenon_value& number) {
  if (number.tag != TENON_VALUE_F64) {
    return ends.least <= number.as.i64 && number.as.i64 <= ends.most;
  }
  // Both ends are exact: powers of two, and 255 + 1.
  const double whole = std::trunc(number.as.f64);
  return static_cast<double>(ends.least) <= whole && whole < static_cast<double>(ends.most) + 1;
}

// Refuses a number, given as an attribute, that an integer dtype does not hold. As in a cast a
// float loses its fraction, floats round, and of a bool dtype any number is one of the two.
inline void need_fit(const tenon_value& number, tenon_dtype dtype, std::string_view attribute) {
  if (sdk::is_float(dtype) || dtype == TENON_DTYPE_BOOL) return;
  const Ends ends = ends_of(dtype);
  if (is_in(ends, number)) return;
  throw sdk::Failure{
      TENON_E_ATTRIBUTE,
      "attribute \"" + std::string(attribute) + "\": the number is out of range",
      std::string(attribute),
      std::to_string(ends.least) + " to " + std::to_string(ends.most) + " (" +
          (dtype == TENON_DTYPE_U8 ? "u" : "i") + std::to_string(8 * sdk::size_of(dtype)) + ")",
      number.tag == TENON_VALUE_F64 ? sdk::digits_of(number.as.f64) : std::to_string(number.as.i64),
      "a wider dtype holds it; tenon.cast wraps integers"};
}

}  // namespace tenon::rules
