// SPDX-License-Identifier: Apache-2.0
// backends/cuda/places.h: places of elements by their numbers, of any size, by divisions of 64
// bits.
#pragma once

#include "geometry.h"

namespace tenon::cuda {

// Shape and strides of an operand, as a kernel's parameter.
struct Places {
  int32_t rank = 0;
  int64_t size[TENON_MAX_RANK];
  int64_t stride[TENON_MAX_RANK];

  void push(int64_t length, int64_t step) {
    if (length == 1) return;
    size[rank] = length;
    stride[rank++] = step;
  }
  // Where the element with that row-major number lies, in elements.
  __device__ __forceinline__ int64_t offset(int64_t number) const {
    int64_t at = 0;
#pragma unroll
    for (int d = TENON_MAX_RANK - 1; d > 0; --d) {
      if (d >= rank) continue;
      const int64_t rest = number / size[d];
      at += (number - rest * size[d]) * stride[d];
      number = rest;
    }
    return rank > 0 ? at + number * stride[0] : at;
  }
};

inline Places places_of(const tenon_view& view) {
  Places places;
  for (int32_t d = 0; d < view.rank; ++d) places.push(view.shape[d], view.strides[d]);
  return places;
}

// Element n of the output, in row-major order, is element n + shift of x, which begins again after
// its last one; 0 <= shift < the number of elements. Defined in kernels/layout.cu.
void renumber(const sdk::Launch& l, const tenon_view& x, int64_t shift);

}  // namespace tenon::cuda
