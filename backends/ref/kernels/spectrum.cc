// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/spectrum.cc: eigh and svd, by Jacobi's rotations in double.
//
//   eigh   rotations of x from both sides until nothing is left beside the diagonal
//   svd    rotations of pairs of columns until all are orthogonal (of the transpose, if wide);
//          their lengths are the singular values
// Source: G. Golub, C. Van Loan, "Matrix Computations", section 8.5; J. Demmel, K. Veselic,
// "Jacobi's Method is More Accurate than QR", 1992.

#include <numeric>

#include "kernels/matrices.h"

namespace tenon::ref {
namespace {

constexpr int kSweeps = 60;  // it takes fewer than ten
constexpr double kEnough = 1e-17;

struct Rotation {
  double c;
  double s;
};

// What makes p = <x, y> zero, for squared lengths, or diagonal elements, a and b.
Rotation rotation(double a, double b, double p) {
  const double theta = (b - a) / (2 * p);
  const double t =
      std::isinf(theta) ? 0 : (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::sqrt(1 + t * t);
  return {c, t * c};
}

// x' = c x - s y, y' = s x + c y
void rotate(double* x, double* y, int64_t count, int64_t step, Rotation r) {
  for (int64_t i = 0; i < count; ++i) {
    const double a = x[i * step];
    const double b = y[i * step];
    x[i * step] = r.c * a - r.s * b;
    y[i * step] = r.s * a + r.c * b;
  }
}

// x becomes diagonal; the rows of v its eigenvectors.
void diagonalise(double* x, double* v, int64_t n) {
  std::fill(v, v + n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) v[i * n + i] = 1;
  double largest = 0;
  for (int64_t i = 0; i < n * n; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  bool done = false;
  for (int sweep = 0; sweep < kSweeps && !done; ++sweep) {
    done = true;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::fabs(x[p * n + q]) <= kEnough * largest) continue;
        done = false;
        const Rotation r = rotation(x[p * n + p], x[q * n + q], x[p * n + q]);
        rotate(x + p, x + q, n, n, r);
        rotate(x + p * n, x + q * n, n, 1, r);
        x[p * n + q] = x[q * n + p] = 0;
        rotate(v + p * n, v + q * n, n, 1, r);
      }
    }
  }
}

// `order` of n numbers: ascending or descending.
template <class Value>
void sort(double* order, int64_t n, bool ascending, const Value& value) {
  std::iota(order, order + n, 0.0);
  std::stable_sort(order, order + n, [&](double a, double b) {
    const double x = value(static_cast<int64_t>(a));
    const double y = value(static_cast<int64_t>(b));
    return ascending ? x < y : y < x;
  });
}

void eigh(const sdk::Launch& l) {
  const Batch batch = batch_of(l.view(0), 2);
  const Matrices in(l.view(0), 2, batch);
  const Matrices out_values(l.out(0), 1, batch);
  const Matrices out_vectors(l.out(1), 2, batch);
  const int64_t n = in.rows();
  double* const x = doubles(l);
  double* const v = x + n * n;
  double* const values = v + n * n;
  double* const order = values + n;
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t b = 0; b < sdk::count_of(batch); ++b) {
      in.load<T>(b, x);
      make_symmetric(x, n);
      sdk::need_finite(x, n * n, sdk::place_in("x", batch, b));
      diagonalise(x, v, n);
      sort(order, n, true, [&](int64_t i) { return x[i * n + i]; });
      for (int64_t k = 0; k < n; ++k) {
        const auto from = static_cast<int64_t>(order[k]);
        values[k] = x[from * n + from];
      }
      // Columns, where x was.
      for (int64_t k = 0; k < n; ++k) {
        const double* row = v + static_cast<int64_t>(order[k]) * n;
        const double sign = sdk::definite_sign(row, n, 1);
        for (int64_t i = 0; i < n; ++i) x[i * n + k] = sign * row[i];
      }
      out_values.store<T>(b, values);
      out_vectors.store<T>(b, x);
    }
  });
}

uint64_t eigh_bytes(const sdk::Args& args) {
  const tenon_view& x = args.view(0);
  const auto n = static_cast<uint64_t>(x.shape[x.rank - 1]);
  return (2 * n * n + 2 * n) * sizeof(double);
}

double dot(const double* x, const double* y, int64_t count) {
  double sum[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int64_t k = 0; k < 4; ++k) sum[k] += x[i + k] * y[i + k];
  }
  for (; i < count; ++i) sum[0] += x[i] * y[i];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The k rows of x, of `count` elements each, become orthogonal; w, [k,k], takes the same rotations.
void make_orthogonal(double* x, double* w, int64_t k, int64_t count) {
  std::fill(w, w + k * k, 0.0);
  for (int64_t i = 0; i < k; ++i) w[i * k + i] = 1;
  // What rounding leaves of the product of orthogonal rows, and of rows that are 0.
  const double enough = 2e-16 * std::sqrt(static_cast<double>(count));
  double largest = 0;
  for (int64_t i = 0; i < k; ++i) {
    largest = std::fmax(largest, dot(x + i * count, x + i * count, count));
  }
  const double nothing = 1e-30 * largest;
  bool done = false;
  for (int sweep = 0; sweep < kSweeps && !done; ++sweep) {
    done = true;
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t q = p + 1; q < k; ++q) {
        double* const row_p = x + p * count;
        double* const row_q = x + q * count;
        const double a = dot(row_p, row_p, count);
        const double b = dot(row_q, row_q, count);
        const double inner = dot(row_p, row_q, count);
        const double least = std::fmax(nothing, enough * std::sqrt(a) * std::sqrt(b));
        if (std::fabs(inner) <= least) continue;
        done = false;
        const Rotation r = rotation(a, b, inner);
        rotate(row_p, row_q, count, 1, r);
        rotate(w + p * k, w + q * k, k, 1, r);
      }
    }
  }
}

// Row `at` of `rows`, all before it orthonormal, becomes a unit vector orthogonal to them: what is
// left of an axis, of which those before `axis` lie among them already.
void complete(double* rows, int64_t at, int64_t count, int64_t& axis) {
  double* const row = rows + at * count;
  for (; axis < count; ++axis) {
    std::fill(row, row + count, 0.0);
    row[axis] = 1;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t i = 0; i < at; ++i) {
        const double along = dot(row, rows + i * count, count);
        for (int64_t j = 0; j < count; ++j) row[j] -= along * rows[i * count + j];
      }
    }
    const double length = std::sqrt(dot(row, row, count));
    if (length < 0.5 / std::sqrt(static_cast<double>(count))) continue;
    for (int64_t j = 0; j < count; ++j) row[j] /= length;
    return;
  }
}

// Of one matrix: k vectors of the longer side, of the shorter side, and their values.
struct Decomposition {
  double* longer;   // [k, most]; at first the matrix itself, its shorter side as rows
  double* shorter;  // [k, k]
  double* values;   // [k]
  int64_t k;
  int64_t most;

  // A power of 2 keeps squares in range.
  void run(double* order, double* room) {
    double largest = 0;
    for (int64_t i = 0; i < k * most; ++i) largest = std::fmax(largest, std::fabs(longer[i]));
    const double scale = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
    for (int64_t i = 0; i < k * most; ++i) longer[i] /= scale;
    make_orthogonal(longer, shorter, k, most);
    for (int64_t i = 0; i < k; ++i) values[i] = std::sqrt(dot(row(i), row(i), most));
    sort(order, k, false, [&](int64_t i) { return values[i]; });
    permute(longer, most, order, room);
    permute(shorter, k, order, room);
    permute(values, 1, order, room);
    // Rounding alone decides where a row points that is as short as this.
    const double short_row = k > 0 ? 1e-15 * std::sqrt(static_cast<double>(most)) * values[0] : 0;
    int64_t axis = 0;
    for (int64_t i = 0; i < k; ++i) {
      if (values[i] > short_row) {
        for (int64_t j = 0; j < most; ++j) row(i)[j] /= values[i];
      } else {
        complete(longer, i, most, axis);
      }
    }
    for (int64_t i = 0; i < k; ++i) values[i] *= scale;
  }

 private:
  double* row(int64_t i) const { return longer + i * most; }
  void permute(double* rows, int64_t width, const double* order, double* room) const {
    for (int64_t i = 0; i < k; ++i) {
      std::copy_n(rows + static_cast<int64_t>(order[i]) * width, width, room + i * width);
    }
    std::copy_n(room, k * width, rows);
  }
};

// `to` = the transpose of `from`, which has so many rows and columns.
void transpose(const double* from, int64_t rows, int64_t columns, double* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

void svd(const sdk::Launch& l) {
  const Batch batch = batch_of(l.view(0), 2);
  const Matrices in(l.view(0), 2, batch);
  const Matrices out_u(l.out(0), 2, batch);
  const Matrices out_s(l.out(1), 1, batch);
  const Matrices out_vh(l.out(2), 2, batch);
  const bool tall = in.rows() >= in.columns();
  const int64_t k = std::min(in.rows(), in.columns());
  const int64_t most = std::max(in.rows(), in.columns());
  double* const longer = doubles(l);
  double* const room = longer + k * most;
  double* const shorter = room + k * most;
  Decomposition d{longer, shorter, shorter + k * k, k, most};
  double* const order = d.values + k;
  dispatch_matrices(l.out().dtype, [&]<class T>() {
    for (int64_t b = 0; b < sdk::count_of(batch); ++b) {
      in.load<T>(b, tall ? room : longer);
      sdk::need_finite(tall ? room : longer, k * most, sdk::place_in("x", batch, b));
      if (tall) transpose(room, in.rows(), in.columns(), longer);
      d.run(order, room);
      double* const right = tall ? shorter : longer;  // rows of vh
      const int64_t width = in.columns();
      double* const left = tall ? longer : shorter;
      for (int64_t i = 0; i < k; ++i) {
        const double sign = sdk::definite_sign(right + i * width, width, 1);
        for (int64_t j = 0; j < width; ++j) right[i * width + j] *= sign;
        for (int64_t j = 0; j < in.rows(); ++j) left[i * in.rows() + j] *= sign;
      }
      transpose(left, k, in.rows(), room);
      out_u.store<T>(b, room);
      out_s.store<T>(b, d.values);
      out_vh.store<T>(b, right);
    }
  });
}

uint64_t svd_bytes(const sdk::Args& args) {
  const tenon_view& x = args.view(0);
  const auto m = static_cast<uint64_t>(x.shape[x.rank - 2]);
  const auto n = static_cast<uint64_t>(x.shape[x.rank - 1]);
  const uint64_t least = std::min(m, n);
  return (2 * m * n + least * least + 2 * least) * sizeof(double);
}

constexpr tenon_slot_rule eigh_slots[] = {sdk::strided_in(), sdk::strided_out(),
                                          sdk::strided_out()};
constexpr tenon_slot_rule svd_slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out(),
                                         sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<eigh, eigh_bytes>("tenon.eigh", eigh_slots, 0),
    matrix_kernel<svd, svd_bytes>("tenon.svd", svd_slots, 0),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(spectrum) = {.kernels = tenon::ref::kernels};
