// SPDX-License-Identifier: Apache-2.0
// backends/common/shapes.h: what kernels on every device find out from shapes and attributes: which
// dimensions a reduction keeps, and the shape of lists of indices.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <array>

namespace tenon::backends {

// ---- Reductions ---------------------------------------------------------------------------------

// Bit d is set where dimension d is reduced.
inline uint64_t all_axes(const tenon_view& in) {
  return sdk::bit(static_cast<uint32_t>(in.rank)) - 1;
}

// The axes of attribute `index`, which is an int[]? if none means all of them.
inline uint64_t axes_attribute(const sdk::Args& args, uint32_t index) {
  const tenon_view& in = args.view(0);
  if (!args.attrs.given(index)) return all_axes(in);
  uint64_t axes = 0;
  for (int64_t axis : args.attrs.ints(index)) {
    axes |= sdk::bit(static_cast<uint32_t>(sdk::normal_axis(axis, in.rank, "axes")));
  }
  return axes;
}

// The axis of attribute `index`, an int?, as one that is reduced; none means all.
inline uint64_t axis_attribute(const sdk::Args& args, uint32_t index) {
  const tenon_view& in = args.view(0);
  if (!args.attrs.given(index)) return all_axes(in);
  const int32_t axis = sdk::normal_axis(args.attrs.integer(index), in.rank, "axis");
  return sdk::bit(static_cast<uint32_t>(axis));
}

// Which of the output's dimensions each of the input's is.
inline constexpr int32_t kReduced = -1;
struct KeptAs {
  std::array<int32_t, TENON_MAX_RANK> dimension{};
  size_t rank = 0;

  void push(int32_t as) { dimension[rank++] = as; }
};

// `keepdims`: the output has the reduced ones with size 1.
inline KeptAs kept_beside(const tenon_view& in, uint64_t axes, bool keepdims) {
  KeptAs kept;
  int32_t next = 0;
  for (int32_t d = 0; d < in.rank; ++d) {
    const bool gone = (axes >> d) & 1;
    kept.push(gone ? kReduced : next);
    if (!gone || keepdims) ++next;
  }
  return kept;
}

// Of what undoes a broadcast: the output's dimensions are the input's last ones, and those that it
// lacks, or has with size 1, are reduced.
inline KeptAs kept_by_shape(const tenon_view& in, const tenon_view& out) {
  KeptAs kept;
  const int32_t lead = in.rank - out.rank;
  for (int32_t d = 0; d < in.rank; ++d) {
    const bool gone = d < lead || (out.shape[d - lead] == 1 && in.shape[d] != 1);
    kept.push(gone ? kReduced : d - lead);
  }
  return kept;
}

// ---- Lists of indices ---------------------------------------------------------------------------

// The shape of the lists of a slot, broadcast together.
struct ListsShape {
  std::array<int64_t, TENON_MAX_RANK> sizes{};
  size_t rank = 0;

  ListsShape(const sdk::Args& args, uint32_t slot) {
    for (uint32_t n = 0; n < args.count(slot); ++n) {
      rank = std::max(rank, args.shape(slot, n).size());
    }
    std::fill_n(sizes.begin(), rank, 1);
    for (uint32_t n = 0; n < args.count(slot); ++n) {
      const auto own = args.shape(slot, n);
      for (size_t d = 0; d < own.size(); ++d) {
        if (own[d] != 1) sizes[rank - own.size() + d] = own[d];
      }
    }
  }
  std::span<const int64_t> span() const { return {sizes.data(), rank}; }
};

}  // namespace tenon::backends
