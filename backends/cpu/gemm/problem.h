// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/problem.h: a matmul call as one family of matrix products in memory.
//
// Shapes are numpy.matmul's: a vector is a row on the left and a column on the right, and leading
// dimensions broadcast. Steps are in elements and may be anything for inputs; those along a
// dimension of size 1 are never taken.
#pragma once

#include "cpu.h"

namespace tenon::cpu::gemm {

using Dims = std::array<int64_t, TENON_MAX_RANK>;

// One operand: its batch steps lined up with the result's dimensions, then its matrix.
struct Matrix {
  Dims batch{};
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t row_step = 1;
  int64_t column_step = 1;

  Matrix transposed() const { return {batch, columns, rows, column_step, row_step}; }
};

// c = a b for every batch: m x n from m x k and k x n.
struct Problem {
  Matrix a, b, c;
  Dims batch_shape{};
  size_t batch_rank = 0;
  bool swapped = false;  // a and b are the call's second and first input, transposed

  int64_t m() const { return c.rows; }
  int64_t n() const { return c.columns; }
  int64_t k() const { return a.columns; }
  int64_t batches() const { return sdk::count_of({batch_shape.data(), batch_rank}); }

  int64_t offset(const Matrix& matrix, int64_t batch) const {
    int64_t elements = 0;
    for (size_t d = batch_rank; d-- > 0 && batch > 0;) {
      elements += batch % batch_shape[d] * matrix.batch[d];
      batch /= batch_shape[d];
    }
    return elements;
  }
};

// `row` and `column` are the view's dimensions that are the matrix's, or -1 where it has none; the
// dimensions before them are the batch.
inline Matrix lay_out(const tenon_view& view, int32_t row, int32_t column, size_t batch_rank) {
  Matrix m;
  const auto own = static_cast<size_t>(view.rank - (row >= 0) - (column >= 0));
  for (size_t d = 0; d < own; ++d) {
    m.batch[batch_rank - own + d] = view.shape[d] == 1 ? 0 : view.strides[d];
  }
  if (row >= 0) {
    m.rows = view.shape[row];
    m.row_step = view.strides[row];
  }
  if (column >= 0) {
    m.columns = view.shape[column];
    m.column_step = view.strides[column];
  }
  return m;
}

inline Problem problem_of(const sdk::Args& args) {
  const tenon_view& a = args.view(0);
  const tenon_view& b = args.view(1);
  const tenon_view& c = args.out();
  const bool row = a.rank == 1;
  const bool column = b.rank == 1;
  Problem p;
  p.batch_rank = static_cast<size_t>(c.rank - !row - !column);
  std::copy_n(c.shape, p.batch_rank, p.batch_shape.begin());
  p.a = lay_out(a, row ? -1 : a.rank - 2, a.rank - 1, p.batch_rank);
  p.b = lay_out(b, column ? 0 : b.rank - 2, column ? -1 : b.rank - 1, p.batch_rank);
  p.c = lay_out(c, row ? -1 : c.rank - 1 - !column, column ? -1 : c.rank - 1, p.batch_rank);
  return p;
}

// Does `matrix` go on over batch dimension `d` as if there were more rows?
inline bool goes_on(const Matrix& matrix, size_t d) {
  return matrix.rows == 1 || matrix.batch[d] == matrix.rows * matrix.row_step;
}

// Innermost batch dimensions that b does not have, as further rows of one product. Which rows are
// computed together changes no bits.
inline void fold_batches(Problem& p) {
  while (p.batch_rank > 0) {
    const size_t d = p.batch_rank - 1;
    const int64_t count = p.batch_shape[d];
    if (count != 1) {
      if (p.b.batch[d] != 0 || !goes_on(p.a, d) || !goes_on(p.c, d)) return;
      for (Matrix* matrix : {&p.a, &p.c}) {
        if (matrix->rows == 1) matrix->row_step = matrix->batch[d];
        matrix->rows *= count;
      }
    }
    p.batch_rank = d;
  }
}

// Steps that are never taken become those of packed rows.
inline void settle_steps(Matrix& matrix) {
  if (matrix.columns == 1) matrix.column_step = 1;
  if (matrix.rows == 1) matrix.row_step = matrix.columns;
}

// Computes the transposed product where that makes the rows of c packed ones, or long ones: vectors
// lie along rows.
inline void choose_direction(Problem& p) {
  const bool along_rows = p.n() > 1 && p.c.column_step == 1;
  const bool along_columns = p.m() > 1 && p.c.row_step == 1;
  p.swapped = !along_rows && (along_columns || p.n() == 1);
  if (p.swapped) {
    const Matrix a = p.a;
    p.a = p.b.transposed();
    p.b = a.transposed();
    p.c = p.c.transposed();
  }
  settle_steps(p.a);
  settle_steps(p.b);
  settle_steps(p.c);
}

}  // namespace tenon::cpu::gemm
