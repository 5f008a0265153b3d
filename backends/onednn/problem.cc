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
  sdk::read_matmul(args, call_);
  rows_ = call_.c.rows;
  if (empty() || inner() == 0) return;
  fold_batches();
  row_tiles_ = (rows_ + kTileRows - 1) / kTileRows;
  const int64_t even = (rows_ + row_tiles_ - 1) / row_tiles_;
  tile_rows_ = row_tiles_ == 1 ? rows_ : (even + kTileUnit - 1) / kTileUnit * kTileUnit;
  row_tiles_ = (rows_ + tile_rows_ - 1) / tile_rows_;
}

// Innermost batch dimensions that b does not have are further rows of one product: a has them then,
// packed one after the other as the output's are.
void Problem::fold_batches() {
  size_t& rank = call_.batch_rank;
  while (rank > 0 && call_.b.batch[rank - 1] == 0) rows_ *= call_.batch_shape[--rank];
}

Tile Problem::tile(int64_t number) const {
  const int64_t batch = number / row_tiles_;
  const int64_t row = number % row_tiles_ * tile_rows_;
  Tile tile;
  tile.rows = std::min(tile_rows_, rows_ - row);
  tile.c = (batch * rows_ + row) * columns();
  tile.a = call_.offset(call_.a, batch) + row * inner();
  tile.b = call_.offset(call_.b, batch);
  return tile;
}

}  // namespace tenon::onednn
