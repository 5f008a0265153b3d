// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/small_product.h: products of f32 that are too small to fill a card.
//
// A block makes 16 x 16 elements of C, and its eight warps share k: of each 256, a warp adds up 32,
// and the eight sums are added in order at the end. So k is walked through in an eighth of the
// steps and little is waited for, where a library cuts k over blocks and joins them by another
// launch. Each sum is acc = fma(a_k, b_k, acc), k ascending; the order depends on k alone.
//
// Bias and activation are applied as the elements are written, each step rounded, as those of the
// op's composition are.
#pragma once

#include "blas.h"
#include "gelu.h"

namespace tenon::cuda {

// One matrix of a batch; steps in elements.
struct SmallOperand {
  int64_t row_step;
  int64_t column_step;
  int64_t batch_step;
};
struct SmallProduct {
  int32_t m, n, k;
  SmallOperand a, b, c;
  const float* bias;  // or NULL
  Epilogue epilogue;
};

namespace small_product {

constexpr int kTile = 16;    // rows and columns of C that a block makes
constexpr int kDepth = 256;  // of k at a time
constexpr int kWarps = 8;
constexpr int kShare = kDepth / kWarps;  // of a warp
constexpr int kPitch = kDepth + 4;       // of a row in shared memory: keeps banks apart
constexpr int kThreads = 32 * kWarps;
constexpr int kLoads = kTile * kDepth / kThreads;  // of each operand, by a thread

// What a thread loads of `outer` rows of A, or columns of B, by kDepth elements of each: the first
// of kLoads elements, and from one to the next. Neighbouring threads read neighbouring elements,
// whichever way the matrix lies.
struct Share {
  int outer, depth;
  int next_outer, next_depth;
};
__device__ __forceinline__ Share share_of(bool along_depth) {
  static_assert(kThreads == kDepth && kLoads == kTile);
  const int thread = static_cast<int>(threadIdx.x);
  return along_depth ? Share{0, thread, 1, 0}
                     : Share{thread % kTile, thread / kTile, 0, kThreads / kTile};
}

__device__ __forceinline__ void load(float (&part)[kLoads], const Share& share, const float* from,
                                     int64_t outer_step, int64_t depth_step, int outers,
                                     int depths) {
  from += share.outer * outer_step + share.depth * depth_step;
  const int64_t step = share.next_outer * outer_step + share.next_depth * depth_step;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const bool inside =
        share.outer + i * share.next_outer < outers && share.depth + i * share.next_depth < depths;
    part[i] = inside ? *from : 0.0F;
    from += step;
  }
}
__device__ __forceinline__ void store(float (*to)[kPitch], const Share& share,
                                      const float (&part)[kLoads]) {
  float* at = &to[share.outer][share.depth];
  const int step = share.next_outer * kPitch + share.next_depth;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    *at = part[i];
    at += step;
  }
}

struct alignas(16) Four {
  float at[4];
};

// What a lane adds up: elements begin to end, rows r and r + 8 by columns s, s + 4, s + 8, s + 12.
__device__ __forceinline__ void add_up(float (&sum)[2][4], const float (*rows)[kPitch],
                                       const float (*columns)[kPitch], int r, int s, int begin,
                                       int end) {
#pragma unroll 2
  for (int k = begin; k < end; k += 4) {
    Four x[2];
    Four y[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) x[i] = *reinterpret_cast<const Four*>(&rows[r + 8 * i][k]);
#pragma unroll
    for (int j = 0; j < 4; ++j) y[j] = *reinterpret_cast<const Four*>(&columns[s + 4 * j][k]);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(x[i].at[u], y[j].at[u], sum[i][j]);
      }
    }
  }
}

static __global__ void __launch_bounds__(kThreads, 2)
    multiply(SmallProduct p, const float* __restrict__ a, const float* __restrict__ b,
             float* __restrict__ c) {
  __shared__ __align__(16) float rows[kTile][kPitch];
  __shared__ __align__(16) float columns[kTile][kPitch];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(blockIdx.y) * kTile;
  const int column = static_cast<int>(blockIdx.x) * kTile;
  a += blockIdx.z * p.a.batch_step + row * p.a.row_step;
  b += blockIdx.z * p.b.batch_step + column * p.b.column_step;
  c += blockIdx.z * p.c.batch_step;
  float a_next[kLoads];
  float b_next[kLoads];
  const Share a_share = share_of(p.a.column_step == 1);
  const Share b_share = share_of(p.b.row_step == 1);
  const auto fetch = [&](int depth) {
    load(a_next, a_share, a + depth * p.a.column_step, p.a.row_step, p.a.column_step, p.m - row,
         p.k - depth);
    load(b_next, b_share, b + depth * p.b.row_step, p.b.column_step, p.b.row_step, p.n - column,
         p.k - depth);
  };
  const int r = lane / 4;
  const int s = lane % 4;
  float sum[2][4] = {};
  fetch(0);
  for (int depth = 0; depth < p.k; depth += kDepth) {
    __syncthreads();
    store(rows, a_share, a_next);
    store(columns, b_share, b_next);
    __syncthreads();
    if (depth + kDepth < p.k) fetch(depth + kDepth);
    const int begin = warp * kShare;
    const int end = min(begin + kShare, p.k - depth);
    // After k both operands are 0, and a sum that began with 0 is no -0.
    add_up(sum, rows, columns, r, s, begin, end);
  }
  __syncthreads();
  float(*const parts)[kTile * kTile] = reinterpret_cast<float(*)[kTile * kTile]>(&rows[0][0]);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) parts[warp][(r + 8 * i) * kTile + s + 4 * j] = sum[i][j];
  }
  __syncthreads();
  const int own_row = row + static_cast<int>(threadIdx.x) / kTile;
  const int own_column = column + static_cast<int>(threadIdx.x) % kTile;
  if (own_row >= p.m || own_column >= p.n) return;
  float total = parts[0][threadIdx.x];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) total += parts[w][threadIdx.x];
  if (p.bias) total += p.bias[own_column];
  if (p.epilogue == Epilogue::kRelu && total < 0) total = 0;
  if (p.epilogue == Epilogue::kGelu) total = Gelu<true>::single(total);
  c[own_row * p.c.row_step + own_column * p.c.column_step] = total;
}
static_assert(kTile * kPitch >= kWarps * kTile * kTile);

}  // namespace small_product

// Is it one that the kernel above is meant for? About what fills a card for a few microseconds.
inline bool is_small_product(const Product& p) {
  constexpr int64_t most = int64_t{1} << 24;
  constexpr int64_t side = int64_t{1} << 15;
  return p.dtype == TENON_DTYPE_F32 && p.precision == Precision::kWhole && p.batches < side &&
         p.m < side && p.n < side && p.k < side && p.m * p.n * p.k <= most / p.batches;
}

inline void run_small_product(const sdk::Launch& l, const Product& product, const float* bias) {
  const auto operand = [](const Storage& from) {
    return from.transposed ? SmallOperand{1, from.leading, from.batch_step}
                           : SmallOperand{from.leading, 1, from.batch_step};
  };
  const SmallProduct p{static_cast<int32_t>(product.m),
                       static_cast<int32_t>(product.n),
                       static_cast<int32_t>(product.k),
                       operand(product.a),
                       operand(product.b),
                       operand(product.c),
                       bias,
                       product.epilogue};
  enqueue(l, &small_product::multiply,
          {blocks_for(p.n, small_product::kTile), blocks_for(p.m, small_product::kTile),
           static_cast<uint32_t>(product.batches)},
          {small_product::kThreads}, 0, p, l.data<const float>(0), l.data<const float>(1),
          l.out_data<float>());
}

}  // namespace tenon::cuda
