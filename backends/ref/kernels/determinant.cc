// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/determinant.cc: det, slogdet, cofactors, in double.
//
//   det, slogdet   elimination with the largest pivot of each column: product, or logarithms, of
//                  the pivots
//   cofactors      of the same factors, by products alone
// Source: G. Golub, C. Van Loan, "Matrix Computations", section 3.4; op documentation.
#include <limits>

#include "kernels/matrices.h"

namespace tenon::ref {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// x becomes its factors, U in and above the diagonal and L below it; swaps[k] is the row that row k
// was exchanged with. A column without a pivot stays as it is.
void factorise(double* x, int64_t* swaps, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(x[i * n + k]) > std::fabs(x[pivot * n + k])) pivot = i;
    }
    swaps[k] = pivot;
    if (x[pivot * n + k] == 0) continue;
    if (pivot != k) std::swap_ranges(x + k * n, x + k * n + n, x + pivot * n);
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = x[i * n + k] /= x[k * n + k];
      if (factor == 0) continue;
      for (int64_t j = k + 1; j < n; ++j) x[i * n + j] -= factor * x[k * n + j];
    }
  }
}

struct Room {
  Room(double* memory, int64_t n)
      : x(memory), swaps(reinterpret_cast<int64_t*>(x + n * n)), y(x + n * n + n) {}
  static uint64_t bytes(const sdk::Args& args, uint64_t matrices) {
    const tenon_view& x = args.view(0);
    const auto n = static_cast<uint64_t>(x.shape[x.rank - 1]);
    return (matrices * n * n + n) * sizeof(double);
  }

  double* x;
  int64_t* swaps;
  double* y;  // of cofactors alone
};
static_assert(sizeof(double) == sizeof(int64_t));

uint64_t factor_bytes(const sdk::Args& args) { return Room::bytes(args, 1); }
uint64_t cofactor_bytes(const sdk::Args& args) { return Room::bytes(args, 2); }

sdk::Determinant determinant(const Room& in, int64_t n) {
  sdk::Determinant found;
  if (sdk::find_not_finite(in.x, n * n) != nullptr) return sdk::Determinant::unknown();
  factorise(in.x, in.swaps, n);
  for (int64_t k = 0; k < n; ++k) found.add_pivot(in.x[k * n + k], in.swaps[k] != k);
  return found;
}

// take(T(), i, determinant) for each matrix of the batch.
template <class Take>
void for_each_determinant(const sdk::Launch& l, const Take& take) {
  const Batch batch = batch_of(l.view(0), 2);
  const Matrices in(l.view(0), 2, batch);
  const Room room(doubles(l), in.rows());
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t i = 0; i < sdk::count_of(batch); ++i) {
      in.load<T>(i, room.x);
      take(T(), i, determinant(room, in.rows()));
    }
  });
}

// Numbers of a batch, any layout: as matrices without dimensions of their own.
template <class T>
void store_number(const tenon_view& out, int64_t number, double value) {
  const Matrices numbers(out, 0, batch_of(out, 0));
  numbers.store<T>(number, &value);
}

void det(const sdk::Launch& l) {
  for_each_determinant(l, [&]<class T>(T, int64_t i, const sdk::Determinant& found) {
    store_number<T>(l.out(), i, found.value());
  });
}

void slogdet(const sdk::Launch& l) {
  for_each_determinant(l, [&]<class T>(T, int64_t i, const sdk::Determinant& found) {
    store_number<T>(l.out(0), i, found.sign());
    store_number<T>(l.out(1), i, found.logarithm());
  });
}

double product(const double* x, int64_t n, int64_t begin, int64_t end, int64_t step) {
  double found = 1;
  for (int64_t k = begin; k != end; k += step) found *= x[k * n + k];
  return found;
}

// y becomes the transposed adjugate of the upper triangle of x.
void adjugate_of_triangle(const double* x, double* y, int64_t n) {
  std::fill(y, y + n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    // m_ij is where adj(U)_ij belongs, until the row is complete.
    y[i * n + i] = 1;
    for (int64_t j = i + 1; j < n; ++j) {
      double sum = 0;
      for (int64_t k = i; k < j; ++k) sum = sum * x[k * n + k] + y[k * n + i] * x[k * n + j];
      y[j * n + i] = -sum;
    }
    const double before = product(x, n, 0, i, 1);
    for (int64_t j = i; j < n; ++j) y[j * n + i] *= before * product(x, n, n - 1, j, -1);
  }
}

// y becomes the cofactors.
void make_cofactors(const Room& in, int64_t n) {
  double* const y = in.y;
  if (sdk::find_not_finite(in.x, n * n) != nullptr) return std::fill(y, y + n * n, kNaN);
  factorise(in.x, in.swaps, n);
  adjugate_of_triangle(in.x, y, n);
  for (int64_t i = n; i-- > 0;) {
    for (int64_t k = i + 1; k < n; ++k) {
      const double factor = in.x[k * n + i];
      for (int64_t j = 0; j < n; ++j) y[i * n + j] -= factor * y[k * n + j];
    }
  }
  for (int64_t k = n; k-- > 0;) {
    const int64_t other = in.swaps[k];
    if (other == k) continue;
    std::swap_ranges(y + k * n, y + k * n + n, y + other * n);
    for (int64_t i = 0; i < n * n; ++i) y[i] = -y[i];
  }
}

void cofactors(const sdk::Launch& l) {
  const Batch batch = batch_of(l.out(), 2);
  const Matrices in(l.view(0), 2, batch);
  const Matrices out(l.out(), 2, batch);
  const Room room(doubles(l), in.rows());
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t i = 0; i < sdk::count_of(batch); ++i) {
      in.load<T>(i, room.x);
      make_cofactors(room, in.rows());
      out.store<T>(i, room.y);
    }
  });
}

constexpr tenon_slot_rule one[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule pair[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<det, factor_bytes>("tenon.det", one, 0),
    matrix_kernel<slogdet, factor_bytes>("tenon.slogdet", pair, 0),
    matrix_kernel<cofactors, cofactor_bytes>("tenon.cofactors", one, 0, kCanonical),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(determinant) = {.kernels = tenon::ref::kernels};
