// SPDX-License-Identifier: Apache-2.0
// backends/onednn/problem.cc: see problem.h.
#include "problem.h"

namespace tenon::onednn {
namespace {

// Enough that repacking b for each tile costs little, and no more, so that several threads find
// work in one matrix.
constexpr int64_t kTileRows = 128;
constexpr int64_t kTileUnit = 16;  // tiles end where registers do

}  // namespace

Problem::Problem(const sdk::Args& args) {
  const tenon_view& a = args.view(0);
  const tenon_view& b = args.view(1);
  const tenon_view& c = args.out();
  const bool a_vector = a.rank == 1;
  const bool b_vector = b.rank == 1;
  rows_ = a_vector ? 1 : a.shape[a.rank - 2];
  inner_ = a.shape[a.rank - 1];
  columns_ = b_vector ? 1 : b.shape[b.rank - 1];
  batch_rank_ = static_cast<size_t>(c.rank - !a_vector - !b_vector);
  std::copy_n(c.shape, batch_rank_, batch_shape_.begin());
  a_steps_ = batch_steps(a, a.rank - (a_vector ? 1 : 2), rows_ * inner_);
  b_steps_ = batch_steps(b, b.rank - (b_vector ? 1 : 2), inner_ * columns_);
  if (empty() || inner_ == 0) return;
  fold_batches();
  row_tiles_ = (rows_ + kTileRows - 1) / kTileRows;
  const int64_t even = (rows_ + row_tiles_ - 1) / row_tiles_;
  tile_rows_ = row_tiles_ == 1 ? rows_ : (even + kTileUnit - 1) / kTileUnit * kTileUnit;
  row_tiles_ = (rows_ + tile_rows_ - 1) / tile_rows_;
}

// The steps of `own` packed batch dimensions, lined up with the output's; 0 where one broadcasts.
Problem::Sizes Problem::batch_steps(const tenon_view& view, int32_t own, int64_t matrix) const {
  Sizes steps{};
  int64_t step = matrix;
  for (int32_t d = own; d-- > 0;) {
    steps[batch_rank_ - static_cast<size_t>(own - d)] = view.shape[d] == 1 ? 0 : step;
    step *= view.shape[d];
  }
  return steps;
}

// Innermost batch dimensions that b does not have are further rows of one product: a has them then,
// packed behind each other as the output's are.
void Problem::fold_batches() {
  while (batch_rank_ > 0 && b_steps_[batch_rank_ - 1] == 0) rows_ *= batch_shape_[--batch_rank_];
}

Tile Problem::tile(int64_t number) const {
  int64_t batch = number / row_tiles_;
  const int64_t row = number % row_tiles_ * tile_rows_;
  Tile tile;
  tile.rows = std::min(tile_rows_, rows_ - row);
  tile.c = (batch * rows_ + row) * columns_;
  tile.a = row * inner_;
  for (size_t d = batch_rank_; d-- > 0;) {
    const int64_t at = batch % batch_shape_[d];
    tile.a += at * a_steps_[d];
    tile.b += at * b_steps_[d];
    batch /= batch_shape_[d];
  }
  return tile;
}

}  // namespace tenon::onednn
