// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/decomposition.hpp: what every provider of tenon.cholesky, solve, qr, eigh and
// svd must do alike: signs of vectors, and which words refuse a matrix.
#pragma once

#include <tenon/sdk/plugin/place.hpp>

#include <cmath>
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
