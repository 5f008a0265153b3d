// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/decomposition.hpp: what every provider of tenon.cholesky, solve, qr, eigh,
// svd, det and slogdet must do alike: signs of vectors, products of pivots, and which words refuse
// a matrix.
#pragma once

#include <tenon/sdk/plugin/place.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

namespace tenon::sdk {

// -1 or 1: what makes the first element positive that is at least 0.55 times as large as the
// largest. Equal elements, or halves, leave no doubt so.
template <class T>
T definite_sign(const T* v, int64_t count, int64_t step) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::fmax(largest, std::fabs(v[i * step]));
  for (int64_t i = 0; i < count; ++i) {
    const T size = std::fabs(v[i * step]);
    if (static_cast<double>(size) >= 0.55 * static_cast<double>(largest)) {
      return static_cast<T>(v[i * step] < 0 ? -1 : 1);
    }
  }
  return 1;
}

// A determinant from the pivots of an elimination. Its exponent is apart, so that only what is
// asked for in the end can leave the range of a dtype.
class Determinant {
 public:
  // That of a matrix with an element that is not finite.
  static Determinant unknown() {
    Determinant found;
    found.mantissa_ = std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  // The next pivot, 0 if there was none; `exchanged`: two rows changed their places for it.
  void add_pivot(double pivot, bool exchanged) {
    int exponent = 0;
    mantissa_ *= exchanged ? -pivot : pivot;
    if (std::isfinite(mantissa_)) mantissa_ = std::frexp(mantissa_, &exponent);
    exponent_ += exponent;
  }
  // The matrix was 2^exponent times as large.
  void add_exponent(int64_t exponent) { exponent_ += exponent; }

  double sign() const {
    if (std::isnan(mantissa_)) return mantissa_;
    return mantissa_ == 0 ? 0 : std::copysign(1.0, mantissa_);
  }
  double value() const {
    const int64_t beyond = 5000;  // more than the exponents of f64
    const int64_t exponent = std::clamp(exponent_, -beyond, beyond);
    return mantissa_ == 0 ? 0 : std::ldexp(mantissa_, static_cast<int>(exponent));
  }
  // Of the absolute value. If that is in range it is taken, since two terms would cancel near 1.
  double logarithm() const {
    if (std::abs(exponent_) < 1000) return std::log(std::fabs(value()));
    return std::log(std::fabs(mantissa_)) + static_cast<double>(exponent_) * std::numbers::ln2;
  }

 private:
  double mantissa_ = 1;
  int64_t exponent_ = 0;
};

// The first element that is not finite, or nullptr.
template <class T>
const T* find_not_finite(const T* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) return x + i;
  }
  return nullptr;
}

template <class T>
void need_finite(const T* x, int64_t count, const std::string& place) {
  const T* const found = find_not_finite(x, count);
  if (found == nullptr) return;
  throw Failure{TENON_E_DATA, place + " is not finite", "x", "finite elements",
                std::isnan(*found) ? "NaN" : "an infinity"};
}

inline Failure not_positive_definite(const std::string& place) {
  return {TENON_E_DATA,
          place + " is not positive definite",
          "x",
          "a symmetric positive definite matrix",
          "a pivot that is not positive",
          "add a small multiple of the identity, or use eigh"};
}

inline Failure singular(const std::string& place) {
  return {TENON_E_DATA,
          place + " is singular",
          "a",
          "matrices that have an inverse",
          "a column without a pivot",
          "solve the least squares problem by qr or svd"};
}

}  // namespace tenon::sdk
