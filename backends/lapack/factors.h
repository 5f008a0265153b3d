// SPDX-License-Identifier: Apache-2.0
// backends/lapack/factors.h: the factors of square matrices, P a = L U, for systems and
// determinants.
#pragma once

#include <limits>

#include "lapack.h"

namespace tenon::lapack {

// One triangle of a matrix; where it is `unit`, the diagonal is 1, and not stored.
template <class T>
struct Triangle {
  const T* a;
  int64_t row_step;
  int64_t column_step;
  bool upper;
  bool unit;

  T at(int64_t i, int64_t j) const { return a[i * row_step + j * column_step]; }
};

// BLAS multiplies by inverses, which are infinite where elements are subnormal.
template <class T>
bool has_inverses(const Triangle<T>& t, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (std::fabs(t.at(i, i)) < std::numeric_limits<T>::min()) return false;
  }
  return true;
}

// The factors of one matrix. xGETRF multiplies by inverses of pivots: where one has none, columns
// are brought near 1 first, by powers of 2, which changes neither pivots nor L.
template <class T>
struct Factors {
  Factors(Room& room, int64_t size)
      : n(size),
        lu(room.take<T>(size * size)),
        pivots(room.take<blasint>(size)),
        exponents(room.take<blasint>(size)) {}

  Triangle<T> left() const { return {lu, 1, n, false, true}; }
  Triangle<T> right() const { return {lu, 1, n, true, false}; }

  // Was row i exchanged with a later one?
  bool exchanged(int64_t i) const { return pivots[i] != i + 1; }

  // False if a is singular.
  bool factorise(const T* a) {
    scaled = false;
    for_each_place(n, n, [&](int64_t i, int64_t j) { lu[j * n + i] = a[i * n + j]; });
    if (factorise_columns() && has_inverses(right(), n)) return true;
    scaled = true;
    for_each_place(n, n, [&](int64_t i, int64_t j) { lu[j * n + i] = a[i * n + j]; });
    for (int64_t j = 0; j < n; ++j) exponents[j] = as_int(bring_near_one(lu + j * n));
    return factorise_columns();
  }

  bool factorise_columns() {
    const blasint size = as_int(n);
    blasint info = 0;
    Routines<T>::getrf(&size, &size, lu, &size, pivots, &info);
    return info == 0;
  }

  // Returns the exponent that was taken out of a column.
  int bring_near_one(T* column) const {
    T largest = 0;
    int exponent = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::fmax(largest, std::fabs(column[i]));
    if (std::isfinite(largest)) std::frexp(largest, &exponent);
    for (int64_t i = 0; i < n; ++i) column[i] = std::ldexp(column[i], -exponent);
    return exponent;
  }

  int64_t n;
  T* lu;
  blasint* pivots;
  blasint* exponents;
  bool scaled = false;
};

}  // namespace tenon::lapack
