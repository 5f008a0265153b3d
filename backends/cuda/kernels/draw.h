// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/draw.h: draws by weight: sums of a row in order, and the first above a
// share of the whole.
#pragma once

#include "groups.h"
#include "random.h"

namespace tenon::cuda {

// Sums of the weights from `begin`, a multiple of 32, to the end of a row; all lanes of its warp.
// `weight(k)` is asked of each once. Returns the sum of all.
template <class Weight>
__device__ double add_up(double* sums, int64_t begin, int64_t n, const Weight& weight) {
  double sum = begin == 0 ? 0.0 : sums[begin - 1];
  for (int64_t first = begin; first < n; first += kWarp) {
    const int64_t k = first + threadIdx.x;
    const double own = k < n ? weight(k) : 0.0;
    double up_to_own = 0.0;
    const int lanes = n - first < kWarp ? static_cast<int>(n - first) : static_cast<int>(kWarp);
    for (int lane = 0; lane < lanes; ++lane) {
      sum += __shfl_sync(kAllLanes, own, lane);
      if (lane == static_cast<int>(threadIdx.x)) up_to_own = sum;
    }
    if (k < n) sums[k] = up_to_own;
  }
  __syncwarp();
  return sum;
}

// Number i of the launch. Where u times the total is rounded to the total, the last category that
// has a weight.
template <class Weight>
__device__ int64_t draw(const tenon_rng& rng, uint64_t i, const double* sums, int64_t n,
                        const Weight& weight) {
  const double u = unit_uniform<double>(random_block(rng, i / 2), static_cast<int>(i % 2));
  const double bound = u * sums[n - 1];
  int64_t begin = 0;
  int64_t end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (bound < sums[middle]) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  if (begin < n) return begin;
  do --begin;
  while (begin > 0 && weight(begin) == 0.0);
  return begin;
}

}  // namespace tenon::cuda
