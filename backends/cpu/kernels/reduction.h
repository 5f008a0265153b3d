// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduction.h: how the elements behind each output element of a reduction lie.
//
// Dimensions of size 1 do not count. Behind an output element lie `outer` times `line` elements, in
// logical order: `line` is all reduced dimensions after the last kept one, `outer` the others.
// Where the last dimension is kept the line is one element, and neighbouring outputs are columns
// that are reduced side by side.
#pragma once

#include "kernels/geometry.h"

namespace tenon::cpu {

struct Reduction {
  enum Operand : size_t { kOut, kIn };

  Geometry<2> kept;  // of output and input
  Geometry<1> outer;
  Geometry<1> line;

  bool is_columns() const { return line.rank() == 0 && kept.rank() > 0; }
  int64_t count() const { return outer.count() * line.count(); }
};

// Takes the input's dimensions from the last to the first, as the line is known from the end.
class ReductionBuilder {
 public:
  ReductionBuilder(const tenon_view& in, const tenon_view& out)
      : shape_(sdk::shape_of(in)), from_(sdk::strided(in)), to_(sdk::strided(out)) {}

  // Dimension d of the input is reduced.
  void reduce(size_t d) { out_dim_[d] = kReduced; }
  // Dimension d of the input is dimension `out_dim` of the output.
  void keep(size_t d, size_t out_dim) { out_dim_[d] = static_cast<int32_t>(out_dim); }

  Reduction build() {
    size_t line_begin = shape_.size();
    while (line_begin > 0 && (out_dim_[line_begin - 1] == kReduced || shape_[line_begin - 1] == 1))
      --line_begin;
    Reduction r;
    r.kept.operand(Reduction::kOut).data = to_.data;
    r.kept.operand(Reduction::kIn).data = from_.data;
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (out_dim_[d] != kReduced) {
        r.kept.push(shape_[d], {to_.step[static_cast<size_t>(out_dim_[d])], from_.step[d]});
      } else {
        (d < line_begin ? r.outer : r.line).push(shape_[d], {from_.step[d]});
      }
    }
    return r;
  }

 private:
  static constexpr int32_t kReduced = -1;

  std::span<const int64_t> shape_;
  sdk::Strided from_;
  sdk::Strided to_;
  std::array<int32_t, TENON_MAX_RANK> out_dim_{};
};

// `axes` has bit d set where dimension d is reduced. `keepdims`: the output has them with size 1.
inline Reduction reduce_axes(const tenon_view& in, const tenon_view& out, uint64_t axes,
                             bool keepdims) {
  ReductionBuilder builder(in, out);
  size_t out_dim = 0;
  for (size_t d = 0; d < static_cast<size_t>(in.rank); ++d) {
    const bool gone = (axes >> d) & 1;
    if (gone) {
      builder.reduce(d);
    } else {
      builder.keep(d, out_dim);
    }
    if (!gone || keepdims) ++out_dim;
  }
  return builder.build();
}

// The output's dimensions are the input's last ones; those it lacks, or has with size 1, are
// reduced.
inline Reduction reduce_to_shape(const tenon_view& in, const tenon_view& out) {
  ReductionBuilder builder(in, out);
  const auto lead = static_cast<size_t>(in.rank - out.rank);
  for (size_t d = 0; d < static_cast<size_t>(in.rank); ++d) {
    if (d < lead || (out.shape[d - lead] == 1 && in.shape[d] != 1)) {
      builder.reduce(d);
    } else {
      builder.keep(d, d - lead);
    }
  }
  return builder.build();
}

inline uint64_t all_axes(const tenon_view& in) {
  return sdk::bit(static_cast<uint32_t>(in.rank)) - 1;
}

// The axes of attribute `index`, which is an int[]? where none means all of them.
inline uint64_t axes_attribute(const sdk::Launch& l, uint32_t index) {
  const tenon_view& in = l.view(0);
  if (!l.attrs.given(index)) return all_axes(in);
  uint64_t axes = 0;
  for (int64_t axis : l.attrs.ints(index)) {
    axes |= sdk::bit(static_cast<uint32_t>(sdk::normal_axis(axis, in.rank, "axes")));
  }
  return axes;
}

// The least pieces worth a thread: so many outputs that `count` elements stand behind each.
inline int64_t grain_of(int64_t count) {
  return std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, count));
}

}  // namespace tenon::cpu
