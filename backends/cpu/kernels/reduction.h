// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduction.h: how the elements reduced into each output element of a
// reduction lie.
//
// Dimensions of size 1 do not count. Behind an output element lie `outer` times `line` elements, in
// logical order: `line` is all reduced dimensions after the last kept one, `outer` the others.
// Where the last dimension is kept the line is one element, and neighbouring outputs are columns
// that are reduced side by side.
#pragma once

#include "common/shapes.h"
#include "kernels/geometry.h"

namespace tenon::cpu {

using namespace backends;

struct Reduction {
  enum Operand : size_t { kOut, kIn };

  Geometry<2> kept;  // of output and input
  Geometry<1> outer;
  Geometry<1> line;

  bool is_columns() const { return line.rank() == 0 && kept.rank() > 0; }
  int64_t count() const { return outer.count() * line.count(); }
};

// The dimensions from the end on that are reduced, or have size 1, are the line.
inline Reduction reduce(const tenon_view& in, const tenon_view& out, const KeptAs& kept) {
  const std::span<const int64_t> shape = sdk::shape_of(in);
  const sdk::Strided from = sdk::strided(in);
  const sdk::Strided to = sdk::strided(out);
  size_t line_begin = shape.size();
  while (line_begin > 0 &&
         (kept.dimension[line_begin - 1] == kReduced || shape[line_begin - 1] == 1)) {
    --line_begin;
  }
  Reduction r;
  r.kept.operand(Reduction::kOut).data = to.data;
  r.kept.operand(Reduction::kIn).data = from.data;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int32_t as = kept.dimension[d];
    if (as != kReduced) {
      r.kept.push(shape[d], {to.step[static_cast<size_t>(as)], from.step[d]});
    } else {
      (d < line_begin ? r.outer : r.line).push(shape[d], {from.step[d]});
    }
  }
  return r;
}

// `axes` has bit d set where dimension d is reduced. `keepdims`: the output has them with size 1.
inline Reduction reduce_axes(const tenon_view& in, const tenon_view& out, uint64_t axes,
                             bool keepdims) {
  return reduce(in, out, kept_beside(in, axes, keepdims));
}

// The least pieces worth a thread: so many outputs that `count` elements stand behind each.
inline int64_t grain_of(int64_t count) {
  return std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, count));
}

}  // namespace tenon::cpu
