// SPDX-License-Identifier: Apache-2.0
// backends/onednn/problem.h: a matmul of packed operands as tiles of whole rows.
//
// Shapes are numpy.matmul's: a vector is a row on the left and a column on the right, and leading
// dimensions broadcast. A tile is some rows of one matrix of the output: tiles of columns would not
// be packed, see matmul.cc. Everything here follows from shapes alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tenon/sdk/kernel.hpp>

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

  bool empty() const { return rows_ == 0 || columns_ == 0 || batches() == 0; }
  int64_t columns() const { return columns_; }
  int64_t inner() const { return inner_; }
  int64_t most_rows() const { return tile_rows_; }
  // Rows of each matrix's last tile.
  int64_t last_rows() const { return rows_ - (row_tiles_ - 1) * tile_rows_; }
  int64_t tiles() const { return batches() * row_tiles_; }
  Tile tile(int64_t number) const;

 private:
  using Sizes = std::array<int64_t, TENON_MAX_RANK>;

  int64_t batches() const { return sdk::count_of({batch_shape_.data(), batch_rank_}); }
  Sizes batch_steps(const tenon_view& view, int32_t own, int64_t matrix) const;
  void fold_batches();

  int64_t rows_;
  int64_t columns_;
  int64_t inner_;
  int64_t tile_rows_ = 0;
  int64_t row_tiles_ = 0;
  Sizes batch_shape_{};
  Sizes a_steps_{};
  Sizes b_steps_{};
  size_t batch_rank_;
};

}  // namespace tenon::onednn
