// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/index_check.h: indices are checked even if nothing is gathered or put.
#pragma once

#include "indices.h"
#include "moving.h"

namespace tenon::cuda {

static __global__ void __launch_bounds__(kBlock)
    check_list(Geometry<2> g, int64_t first, IndexList list) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2];
  g.offsets(number, at);
  const int64_t index = list.at(at[0]);
  const int64_t named = list.place_of(index);
  if (named < 0 || named >= list.refusal.limit) refuse(list.refusal, first + at[1], index);
}

static void check_all(const sdk::Launch& l, const tenon_view& indices, const IndexList& list) {
  const auto numbers = row_major(shape_of(indices));
  Layout<2> layout;
  for (int32_t d = 0; d < indices.rank; ++d) {
    layout.push(indices.shape[d], {indices.strides[d], numbers[static_cast<size_t>(d)]});
  }
  const int64_t size = sdk::size_of(indices.dtype);
  for_parts<2>(layout, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
    IndexList moved = list;
    moved.data = static_cast<const char*>(list.data) + at[0] * size;
    enqueue(l, &check_list, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(), at[1],
            moved);
  });
}

}  // namespace tenon::cuda
