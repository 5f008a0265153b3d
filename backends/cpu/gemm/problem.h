// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/problem.h: a matmul call as one family of matrix products in memory.
// What a call's shapes mean is the SDK's to read.
#pragma once

#include <tenon/sdk/plugin/matmul.hpp>

#include "common/slots.h"
#include "cpu.h"

namespace tenon::cpu::gemm {

using Matrix = sdk::MatmulOperand;

// c = a b for every batch: m x n from m x k and k x n.
struct Problem : sdk::Matmul {
  bool swapped = false;  // a and b are the call's second and first input, transposed

  int64_t m() const { return c.rows; }
  int64_t n() const { return c.columns; }
  int64_t k() const { return a.columns; }
};

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

// Computes the transposed product if that makes the rows of c packed ones, or long ones: vectors
// lie along rows, and few rows are computed another way.
inline void choose_direction(Problem& p) {
  const bool along_rows = p.n() > 1 && p.c.column_step == 1;
  const bool along_columns = p.m() > 1 && p.c.row_step == 1;
  constexpr int64_t kFew = 2;
  const bool few_columns = p.n() <= kFew && p.m() > kFew;
  p.swapped = few_columns || (!along_rows && along_columns);
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
