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

// Attributes of both ops: how the axis is cut, which of the pieces is meant, which axis it is.
enum PieceAttribute : uint32_t { kCut, kIndex, kPieceAxis, kPieceAttributes };

using PieceOf = Piece (*)(std::span<const int64_t> shape, const sdk::Attrs& attrs);

template <PieceOf piece_of>
void infer_piece(const sdk::Args& args, std::span<tenon_meta> out) {
  const Piece piece = piece_of(args.shape(0), args.attrs);
  Dims result(args.shape(0));
  result[piece.axis] = piece.count;
  sdk::set_shape(out[0], result.span());
}

template <PieceOf piece_of>
void view_piece(const sdk::Args& args, tenon_view_result& out) {
  const Piece piece = piece_of(args.shape(0), args.attrs);
  const tenon_view& x = args.view(0);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.shape[piece.axis] = piece.count;
  out.offset = piece.count == 0 ? 0 : piece.start * x.strides[piece.axis];
}

// dx: zeros, with dy in place of the piece.
template <PieceOf piece_of>
void put_piece(sdk::Vjp& v) {
  const Dims shape(v.in_meta(0));
  const tenon_value attrs[] = {v.attr(kCut), v.attr(kIndex), v.attr(kPieceAxis)};
  const Piece piece = piece_of(shape.span(), {attrs, kPieceAttributes});
  v.grad(0, v.call("tenon.slice_put", {v.dy()},
                   {shape.value(), static_cast<int64_t>(piece.axis),
                    piece.count == 0 ? 0 : piece.start, 1}));
}

inline constexpr tenon_vjp_need kPieceNeeds[] = {sdk::need({.input_metas = sdk::bit(0)})};

template <PieceOf piece_of>
constexpr tenon_vjp_desc piece_vjp(std::string_view op) {
  return sdk::vjp({.op = op,
                   .needs = kPieceNeeds,
                   .vjp = sdk::vjp_fn<put_piece<piece_of>>,
                   .n_attrs = kPieceAttributes});
}

}  // namespace tenon::rules
