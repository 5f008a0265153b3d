// SPDX-License-Identifier: Apache-2.0
// backends/onednn/problem.h: a matmul of packed operands as tiles of whole rows.
//
// A tile is some rows of one matrix of the output: tiles of columns would not
// be packed, see matmul.cc. Everything here follows from shapes alone.
#pragma once

#include <cstdint>
#include <tenon/sdk/plugin/matmul.hpp>

namespace tenon::onednn {

// In elements. The output's tile is `rows` whole rows of it.
struct Tile {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t rows = 0;
};

class Problem {
 public:
  explicit Problem(const sdk::Args& args);

  bool empty() const { return rows_ == 0 || columns() == 0 || call_.batches() == 0; }
  int64_t columns() const { return call_.b.columns; }
  int64_t inner() const { return call_.b.rows; }
  int64_t most_rows() const { return tile_rows_; }
  // Rows of each matrix's last tile.
  int64_t last_rows() const { return rows_ - (row_tiles_ - 1) * tile_rows_; }
  int64_t tiles() const { return call_.batches() * row_tiles_; }
  Tile tile(int64_t number) const;

 private:
  void fold_batches();

  sdk::Matmul call_;
  int64_t rows_ = 0;  // of the output's matrices, and of a's
  int64_t tile_rows_ = 0;
  int64_t row_tiles_ = 0;
};

}  // namespace tenon::onednn
