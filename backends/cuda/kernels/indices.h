// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/indices.h: lists of indices that name places of an operand, as a kernel's
// parameter; and what is said of an index that names none.
#pragma once

#include "common/shapes.h"
#include "geometry.h"
#include "report.h"

namespace tenon::cuda {

using backends::ListsShape;

inline constexpr int kMaxLists = TENON_MAX_RANK;

// One list, i32 or i64. An index k names the place k stride of the operand; below 0 it counts from
// the end where from_end is set, and names none otherwise.
struct IndexList {
  const void* data;
  int64_t stride;
  uint32_t is_wide;
  uint32_t from_end;
  Refusal refusal;  // its limit is how many places there are

  __device__ __forceinline__ int64_t at(int64_t offset) const {
    return is_wide ? static_cast<const int64_t*>(data)[offset]
                   : static_cast<const int32_t*>(data)[offset];
  }
  // The place of an index, counted from the front: outside [0, limit) where it names none.
  __device__ __forceinline__ int64_t place_of(int64_t index) const {
    return index < 0 && from_end ? index + refusal.limit : index;
  }
};

// The lists of a launch; K is 1 or kMaxLists, so that there are few kernels.
template <int K>
struct IndexLists {
  uint32_t count;
  uint32_t padding;
  IndexList list[K];
};

// Adds if the indices at `offsets` lead to `place`. False if one of them names no place: what
// is said then needs the number of the index, that of element `number` of `numbers` after `first`.
template <int K>
__device__ __forceinline__ bool add_places(const IndexLists<K>& lists, const int64_t* offsets,
                                           const Geometry<K>& numbers, const int64_t* first,
                                           uint32_t number, int64_t& place) {
#pragma unroll
  for (uint32_t k = 0; k < K; ++k) {
    if (k >= lists.count) break;
    const IndexList& list = lists.list[k];
    const int64_t index = list.at(offsets[k]);
    const int64_t named = list.place_of(index);
    if (named < 0 || named >= list.refusal.limit) {
      int64_t at[K];
      numbers.offsets(number, at);
      refuse(list.refusal, first[k] + at[k], index);
      return false;
    }
    place += named * list.stride;
  }
  return true;
}

// What is said where an index of the list with that number names no place; of several lists each
// has words of its own.
inline const char* words_for(uint32_t number, uint32_t count) {
  constexpr const char* words[] = {"indices.0%p is %d, outside the %n it may name",
                                   "indices.1%p is %d, outside the %n it may name",
                                   "indices.2%p is %d, outside the %n it may name",
                                   "indices.3%p is %d, outside the %n it may name",
                                   "indices.4%p is %d, outside the %n it may name",
                                   "indices.5%p is %d, outside the %n it may name",
                                   "indices.6%p is %d, outside the %n it may name",
                                   "indices.7%p is %d, outside the %n it may name"};
  return count == 1 ? "indices%p is %d, outside the %n it may name" : words[number];
}

inline IndexList list_of(const sdk::Launch& l, const tenon_view& indices, int64_t stride,
                         int64_t size, const char* words, bool from_end = false) {
  return {indices.data, stride, indices.dtype == TENON_DTYPE_I64 ? 1U : 0U, from_end ? 1U : 0U,
          refusal(l, words, shape_of(indices), size)};
}

// Strides of row-major order.
inline std::array<int64_t, TENON_MAX_RANK> row_major(std::span<const int64_t> shape) {
  std::array<int64_t, TENON_MAX_RANK> strides{};
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

// Calls body(count) with the number of lists that a kernel is compiled for.
template <class Body>
void dispatch_lists(uint32_t count, Body&& body) {
  if (count == 1) return body.template operator()<1>();
  body.template operator()<kMaxLists>();
}

// The stride of dimension d of `rank` in an operand that is broadcast to them.
inline int64_t broadcast_stride(const tenon_view& view, const int64_t* strides, int32_t d,
                                int32_t rank) {
  const int32_t own = d - (rank - view.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : strides[own];
}

}  // namespace tenon::cuda
