// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/factor.cc: cholesky, solve, solve_triangular, qr, in double.
//
//   cholesky   L_jj = sqrt(x_jj - sum L_jk^2), L_ij = (x_ij - sum L_ik L_jk) / L_jj
//   solve      elimination with the largest pivot of each column
//   qr         Householder reflections; then rows of R, and columns of Q, change their sign
// Source: G. Golub, C. Van Loan, "Matrix Computations", sections 3.4, 4.2, 5.2.

#include "kernels/matrices.h"

namespace tenon::ref {
namespace {

// The lower triangle takes x's place. False if x is not positive definite.
bool factorise(double* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    double* const row = x + j * n;
    double rest = row[j];
    for (int64_t k = 0; k < j; ++k) rest -= row[k] * row[k];
    if (!(rest > 0) || std::isinf(rest)) return false;
    row[j] = std::sqrt(rest);
    for (int64_t i = j + 1; i < n; ++i) {
      double sum = x[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= x[i * n + k] * row[k];
      x[i * n + j] = sum / row[j];
    }
  }
  return true;
}

void set_triangle(double* x, int64_t n, bool upper) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      x[i * n + j] = upper ? x[j * n + i] : 0;
      if (upper) x[j * n + i] = 0;
    }
  }
}

void cholesky(const sdk::Launch& l) {
  const Batch batch = batch_of(l.out(), 2);
  const Matrices in(l.view(0), 2, batch);
  const Matrices out(l.out(), 2, batch);
  double* const x = doubles(l);
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t b = 0; b < sdk::count_of(batch); ++b) {
      in.load<T>(b, x);
      make_symmetric(x, in.rows());
      if (!factorise(x, in.rows())) {
        throw sdk::not_positive_definite(sdk::place_in("x", batch, b));
      }
      set_triangle(x, in.rows(), l.attrs.flag(0));
      out.store<T>(b, x);
    }
  });
}

uint64_t square_bytes(const sdk::Args& args) {
  const tenon_view& x = args.view(0);
  const auto n = static_cast<uint64_t>(x.shape[x.rank - 1]);
  return n * n * sizeof(double);
}

// b becomes the solution for one triangle of a.
void substitute(const double* a, double* b, int64_t n, int64_t columns, bool upper) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    for (int64_t k = upper ? i + 1 : 0; k < (upper ? n : i); ++k) {
      const double factor = a[i * n + k];
      for (int64_t j = 0; j < columns; ++j) b[i * columns + j] -= factor * b[k * columns + j];
    }
    for (int64_t j = 0; j < columns; ++j) b[i * columns + j] /= a[i * n + i];
  }
}

// b becomes the solution; false if a is singular.
bool eliminate(double* a, double* b, int64_t n, int64_t columns) {
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return false;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
      std::swap_ranges(b + k * columns, b + k * columns + columns, b + pivot * columns);
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (int64_t j = 0; j < columns; ++j) b[i * columns + j] -= factor * b[k * columns + j];
    }
  }
  substitute(a, b, n, columns, true);
  return true;
}

size_t right_dims(const sdk::Args& args) { return args.view(1).rank == 1 ? 1 : 2; }

// run(a, b, columns, i) makes the solution of each system of a batch, number i, of b.
template <class Run>
void for_each_system(const sdk::Launch& l, const Run& run) {
  const size_t dims = right_dims(l);
  const Batch batch = batch_of(l.out(), dims);
  const Matrices left(l.view(0), 2, batch);
  const Matrices right(l.view(1), dims, batch);
  const Matrices out(l.out(), dims, batch);
  const int64_t n = left.rows();
  double* const a = doubles(l);
  double* const b = a + n * n;
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t i = 0; i < sdk::count_of(batch); ++i) {
      left.load<T>(i, a);
      right.load<T>(i, b);
      run(a, b, right.columns(), i);
      out.store<T>(i, b);
    }
  });
}

void solve(const sdk::Launch& l) {
  const int64_t n = l.view(0).shape[l.view(0).rank - 1];
  for_each_system(l, [&](double* a, double* b, int64_t columns, int64_t i) {
    if (eliminate(a, b, n, columns)) return;
    throw sdk::singular(sdk::place_in("a", batch_of(l.out(), right_dims(l)), i));
  });
}

void solve_triangular(const sdk::Launch& l) {
  const int64_t n = l.view(0).shape[l.view(0).rank - 1];
  const bool upper = l.attrs.flag(0);
  for_each_system(l, [&](double* a, double* b, int64_t columns, int64_t) {
    substitute(a, b, n, columns, upper);
  });
}

uint64_t solve_bytes(const sdk::Args& args) {
  const tenon_view& b = args.view(1);
  const auto rows = static_cast<uint64_t>(args.view(0).shape[args.view(0).rank - 1]);
  const auto columns = right_dims(args) == 1 ? 1 : static_cast<uint64_t>(b.shape[b.rank - 1]);
  return (rows * rows + rows * columns) * sizeof(double);
}

// x becomes R [k,n] in its first rows; q is [m,k].
void decompose(double* x, double* q, double* v, int64_t m, int64_t n) {
  const int64_t least = std::min(m, n);
  // Column k of q is built backward from the reflections, which lie below R's diagonal.
  for (int64_t k = 0; k < least; ++k) {
    double scale = 0;
    for (int64_t i = k; i < m; ++i) scale = std::fmax(scale, std::fabs(x[i * n + k]));
    v[k] = 0;
    if (scale == 0) continue;
    double norm = 0;
    for (int64_t i = k; i < m; ++i) norm += x[i * n + k] / scale * (x[i * n + k] / scale);
    norm = std::sqrt(norm) * scale;
    const double head = x[k * n + k];
    const double diagonal = head > 0 ? -norm : norm;
    // v = (head - diagonal, below) / (head - diagonal); beta = (diagonal - head) / diagonal
    v[k] = (diagonal - head) / diagonal;
    for (int64_t i = k + 1; i < m; ++i) x[i * n + k] /= head - diagonal;
    for (int64_t j = k + 1; j < n; ++j) {
      double sum = x[k * n + j];
      for (int64_t i = k + 1; i < m; ++i) sum += x[i * n + k] * x[i * n + j];
      sum *= v[k];
      x[k * n + j] -= sum;
      for (int64_t i = k + 1; i < m; ++i) x[i * n + j] -= sum * x[i * n + k];
    }
    x[k * n + k] = diagonal;
  }
  std::fill(q, q + m * least, 0.0);
  for (int64_t k = 0; k < least; ++k) q[k * least + k] = 1;
  for (int64_t k = least; k-- > 0;) {
    for (int64_t j = k; j < least; ++j) {
      double sum = q[k * least + j];
      for (int64_t i = k + 1; i < m; ++i) sum += x[i * n + k] * q[i * least + j];
      sum *= v[k];
      q[k * least + j] -= sum;
      for (int64_t i = k + 1; i < m; ++i) q[i * least + j] -= sum * x[i * n + k];
    }
  }
  for (int64_t k = 0; k < least; ++k) {
    const double sign = x[k * n + k] < 0 ? -1 : 1;
    for (int64_t j = 0; j < n; ++j) x[k * n + j] = j < k ? 0 : sign * x[k * n + j];
    for (int64_t i = 0; i < m; ++i) q[i * least + k] *= sign;
  }
}

void qr(const sdk::Launch& l) {
  const Batch batch = batch_of(l.out(), 2);
  const Matrices in(l.view(0), 2, batch);
  const Matrices out_q(l.out(0), 2, batch);
  const Matrices out_r(l.out(1), 2, batch);
  double* const x = doubles(l);
  double* const q = x + in.rows() * in.columns();
  double* const v = q + in.rows() * out_q.columns();
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t b = 0; b < sdk::count_of(batch); ++b) {
      in.load<T>(b, x);
      decompose(x, q, v, in.rows(), in.columns());
      out_q.store<T>(b, q);
      out_r.store<T>(b, x);
    }
  });
}

uint64_t qr_bytes(const sdk::Args& args) {
  const tenon_view& x = args.view(0);
  const auto m = static_cast<uint64_t>(x.shape[x.rank - 2]);
  const auto n = static_cast<uint64_t>(x.shape[x.rank - 1]);
  const uint64_t least = std::min(m, n);
  return (m * n + m * least + least) * sizeof(double);
}

constexpr tenon_slot_rule one[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule two[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule pair[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<cholesky, square_bytes>("tenon.cholesky", one, 1),
    matrix_kernel<solve, solve_bytes>("tenon.solve", two, 0),
    matrix_kernel<solve_triangular, solve_bytes>("tenon.solve_triangular", two, 1),
    matrix_kernel<qr, qr_bytes>("tenon.qr", pair, 1),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(factor) = {.kernels = tenon::ref::kernels};
