// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/matmul.hpp: the shapes of tenon.matmul, which are numpy.matmul's, as one product
// of matrices for each batch.
//
// A vector is a row on the left and a column on the right, and leading dimensions broadcast. Steps
// are in elements and may be anything; those along a dimension of size 1 are never taken.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

#include <array>

namespace tenon::sdk {

// One operand: its batch steps lined up with the result's dimensions, then its matrix.
struct MatmulOperand {
  std::array<int64_t, TENON_MAX_RANK> batch{};
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t row_step = 1;
  int64_t column_step = 1;

  MatmulOperand transposed() const { return {batch, columns, rows, column_step, row_step}; }
  // Steps in bytes, for elements of that size.
  void count_bytes(int64_t size) {
    for (int64_t& step : batch) step *= size;
    row_step *= size;
    column_step *= size;
  }
  // From the first matrix to that of batch `number`.
  int64_t offset(std::span<const int64_t> batch_shape, int64_t number) const {
    int64_t steps = 0;
    for (size_t d = batch_shape.size(); d-- > 0 && number > 0;) {
      steps += number % batch_shape[d] * batch[d];
      number /= batch_shape[d];
    }
    return steps;
  }
};

// c = a b for every batch.
struct Matmul {
  MatmulOperand a, b, c;
  std::array<int64_t, TENON_MAX_RANK> batch_shape{};
  size_t batch_rank = 0;

  std::span<const int64_t> batch() const { return {batch_shape.data(), batch_rank}; }
  int64_t batches() const { return count_of(batch()); }
  int64_t offset(const MatmulOperand& operand, int64_t number) const {
    return operand.offset(batch(), number);
  }
};

// `row` and `column` are the view's dimensions that are the matrix's, or -1 if it has none; the
// dimensions before them are the batch. Written in place: a copy of what was just written waits for
// it, longer than a small product takes.
inline void read_operand(const tenon_view& view, int32_t row, int32_t column, size_t batch_rank,
                         MatmulOperand& out) {
  const auto own = static_cast<size_t>(view.rank - (row >= 0) - (column >= 0));
  for (size_t d = 0; d < own; ++d) {
    out.batch[batch_rank - own + d] = view.shape[d] == 1 ? 0 : view.strides[d];
  }
  if (row >= 0) {
    out.rows = view.shape[row];
    out.row_step = view.strides[row];
  }
  if (column >= 0) {
    out.columns = view.shape[column];
    out.column_step = view.strides[column];
  }
}

// `out` is a fresh one. `turned`: b, of two dimensions, lies as [N,K], as tenon.linear's weight.
inline void read_matmul(const Args& args, Matmul& out, bool turned = false) {
  const tenon_view& a = args.view(0);
  const tenon_view& b = args.view(1);
  const tenon_view& c = args.out();
  const bool row = a.rank == 1;
  const bool column = b.rank == 1;
  const auto batch_rank = static_cast<size_t>(c.rank - !row - !column);
  out.batch_rank = batch_rank;
  for (size_t d = 0; d < batch_rank; ++d) out.batch_shape[d] = c.shape[d];
  read_operand(a, row ? -1 : a.rank - 2, a.rank - 1, batch_rank, out.a);
  const int32_t b_row = column ? 0 : b.rank - 2;
  const int32_t b_column = column ? -1 : b.rank - 1;
  read_operand(b, turned ? b_column : b_row, turned ? b_row : b_column, batch_rank, out.b);
  read_operand(c, row ? -1 : c.rank - 1 - !column, column ? -1 : c.rank - 1, batch_rank, out.c);
}

}  // namespace tenon::sdk
