// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/pieces.hpp: one of the pieces that a tensor is cut into along an axis, shared
// by split and chunk.
#pragma once

#include <algorithm>

#include "rules.hpp"

namespace tenon::rules {

// The places start to start + count - 1 of an axis.
struct Piece {
  size_t axis = 0;
  int64_t start = 0;
  int64_t count = 0;
};

// Which of `count` pieces is meant; negative numbers count from the last.
inline int64_t piece_number(int64_t index, int64_t count) {
  if (index >= -count && index < count) return index < 0 ? index + count : index;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "index names no piece", "index",
                     "a number from " + std::to_string(-count) + " to " + std::to_string(count - 1),
                     std::to_string(index)};
}

inline void set_piece_shape(std::span<const int64_t> shape, const Piece& piece, tenon_meta& out) {
  Dims result(shape);
  result[piece.axis] = piece.count;
  sdk::set_shape(out, result.span());
}

inline void set_piece_view(const tenon_view& x, const Piece& piece, tenon_view_result& out) {
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.shape[piece.axis] = piece.count;
  out.offset = piece.count == 0 ? 0 : piece.start * x.strides[piece.axis];
}

// dx: zeros, with dy in the place of the piece.
inline void set_piece_grad(sdk::Vjp& v, const Dims& shape, const Piece& piece) {
  v.grad(0, v.call("tenon.slice_put", {v.dy()},
                   {shape.value(), static_cast<int64_t>(piece.axis),
                    piece.count == 0 ? 0 : piece.start, 1}));
}

}  // namespace tenon::rules
