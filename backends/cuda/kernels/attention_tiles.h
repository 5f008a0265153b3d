// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_tiles.h: attention of 16 bits on tensor cores: 16 rows of queries
// of one head by a block of four warps.
//
// The arithmetic of attention_rows.h but for the order of sums. Warps take tiles of 16 keys in turn
// for the scores, rows for their softmax, tiles of 16 columns for the result. A weight becomes two
// numbers of 16 bits, what it rounds to and what that lost, so that it keeps the digits that
// matter: with powers up to 1, and the division after the sum, it is off by at most 2^-17 (bf16) or
// 2^-22 (f16) of itself, or 2^-25 of the largest.
//
// 0 times what is not finite is not 0: rows that might see or not see such a value are left to
// combine(), which reads no key that a query does not see.
#pragma once

#include "attention_rows.h"
#include "tiles.h"

namespace tenon::cuda::attention {

inline constexpr uint32_t kTileWarps = 4;
inline constexpr int kTileDepth = 64;  // of queries and keys at a time

// Rows of one head that a block has.
struct RowTile {
  int64_t batch, head, first;
  int32_t count;
  int64_t begin, end;  // keys that one of them sees, in whole tiles

  template <class T>
  __device__ RowTile(const Task<T>& t, int64_t number) {
    const int64_t tiles = (t.size.queries + kTile - 1) / kTile;
    const int64_t row = number / tiles;
    batch = row / t.size.heads;
    head = row % t.size.heads;
    first = number % tiles * kTile;
    count = static_cast<int32_t>(std::min<int64_t>(kTile, t.size.queries - first));
    const Sequence sequence = t.sequences[batch];
    // Neither end of what a query sees is before that of the query before.
    begin = t.sight.of(sequence, first).begin / kTile * kTile;
    end = (t.sight.of(sequence, first + count - 1).end + kTile - 1) / kTile * kTile;
  }
};

// A block's memory. Areas of a warp hold a tile of keys, then of weights and values.
template <class T>
struct TileMemory {
  static constexpr int kPitch = tile_pitch<T>(kTileDepth);
  static constexpr int kSmallPitch = tile_pitch<T>(kTile);
  static constexpr int kSumPitch = tile_pitch<float>(kTile);
  static constexpr uint32_t kArea = kTile * kPitch * sizeof(T);
  static_assert(3 * kTile * kSmallPitch * sizeof(T) <= kArea && kArea % 32 == 0);
  static_assert(kTile * kSumPitch * sizeof(float) <= kArea);
  static constexpr uint32_t kShares = kTile * sizeof(float);
  static constexpr uint32_t kBytes = kArea * (1 + kTileWarps) + kShares;

  T* queries;
  T* own;         // of this warp
  float* shares;  // of each row

  __device__ TileMemory() {
    char* const at = dynamic_shared<char>();
    queries = reinterpret_cast<T*>(at);
    own = reinterpret_cast<T*>(at + kArea * (1 + threadIdx.y));
    shares = reinterpret_cast<float*>(at + kArea * (1 + kTileWarps));
  }
  __device__ float* after() const { return shares + kTile; }
};

// How rows are shared by blocks, from sizes alone.
struct TileCut {
  uint32_t blocks;
  uint32_t shared_bytes;
  uint64_t scratch_bytes;

  // Of the scores: from a row to the next.
  static constexpr int64_t pitch(int64_t keys) {
    return (keys + kTile - 1) / kTile * kTile + kTile / 2;
  }
  static constexpr int64_t tiles(const Sizes& size) {
    return size.batch * size.heads * ((size.queries + kTile - 1) / kTile);
  }
  explicit TileCut(const Sizes& size) {
    constexpr uint64_t kMaxShared = 46 << 10;  // leaves what join_group needs
    constexpr int64_t kFewBlocks = 512;        // with scratch: fill a card, and no more
    constexpr uint64_t kOwn = TileMemory<sdk::F16>::kBytes;
    const uint64_t scores = static_cast<uint64_t>(kTile * pitch(size.keys)) * sizeof(float);
    const bool fits = kOwn + scores <= kMaxShared;
    blocks = static_cast<uint32_t>(std::min<int64_t>(tiles(size), fits ? INT32_MAX : kFewBlocks));
    shared_bytes = static_cast<uint32_t>(kOwn + (fits ? scores : 0));
    scratch_bytes = fits ? 0 : blocks * scores;
  }
};

// to[row, column] of a tile of `width` columns = element(row, column), by the `count` threads of
// which this is number `thread`.
template <class T, class Element>
__device__ __forceinline__ void fill_tile(T* to, int pitch, int width, uint32_t thread,
                                          uint32_t count, const Element& element) {
  for (int i = static_cast<int>(thread); i < kTile * width; i += static_cast<int>(count)) {
    to[i / width * pitch + i % width] = element(i / width, i % width);
  }
}

// x[row, key] = sum_d q[row, d] k[key, d], for tiles of keys that one of the rows sees.
template <class T>
__device__ void multiply_tiles(const Task<T>& t, const RowTile& rows, const TileMemory<T>& m,
                               float* x, int64_t pitch) {
  const int64_t depth = t.size.depth;
  const T* const keys = t.k.row(rows.batch, t.group_of(rows.head), 0);
  const T* const queries = t.q.row(rows.batch, rows.head, rows.first);
  int64_t from = 0;
  do {
    const int width =
        static_cast<int>(std::min<int64_t>(kTileDepth, (depth - from + kTile - 1) / kTile * kTile));
    __syncthreads();
    fill_tile(m.queries, m.kPitch, width, threadIdx.y * kWarp + threadIdx.x, kTileWarps * kWarp,
              [&](int row, int d) {
                if (row >= rows.count || from + d >= depth) return T{};
                return queries[row * t.q.step[2] + (from + d) * t.q.step[3]];
              });
    __syncthreads();
    for (int64_t key = rows.begin + threadIdx.y * kTile; key < rows.end;
         key += kTileWarps * kTile) {
      __syncwarp();
      fill_tile(m.own, m.kPitch, width, threadIdx.x, kWarp, [&](int row, int d) {
        if (key + row >= t.size.keys || from + d >= depth) return T{};
        return keys[(key + row) * t.k.step[2] + (from + d) * t.k.step[3]];
      });
      __syncwarp();
      TileSum<T> sum;
      if (from == 0) {
        sum.clear();
      } else {
        sum.load(x + key, pitch);
      }
      for (int d = 0; d < width; d += kTile) {
        sum.add_turned(m.queries + d, m.kPitch, m.own + d, m.kPitch);
      }
      sum.store(x + key, pitch);
    }
    from += kTileDepth;
  } while (from < depth);
}

// y = x v for tiles of columns, divided by the rows' sums. False in a thread that met a value that
// is not finite: then some of y may be wrong.
template <class T>
__device__ bool combine_tiles(const Task<T>& t, const RowTile& rows, const TileMemory<T>& m,
                              const float* x, int64_t pitch, const Operand<T>& out) {
  constexpr int kStep = TileMemory<T>::kSmallPitch;
  T* const kept = m.own;
  T* const lost = kept + kTile * kStep;
  T* const values = lost + kTile * kStep;
  const T* const first = t.v.row(rows.batch, t.group_of(rows.head), 0);
  bool finite = true;
  for (int64_t column = threadIdx.y * kTile; column < t.size.width; column += kTileWarps * kTile) {
    TileSum<T> sum;
    sum.clear();
    for (int64_t key = rows.begin; key < rows.end; key += kTile) {
      __syncwarp();
      fill_tile(kept, kStep, kTile, threadIdx.x, kWarp, [&](int row, int j) {
        const float weight = x[row * pitch + key + j];
        const T rounded = cuda::narrow<T>(weight);
        lost[row * kStep + j] = cuda::narrow<T>(weight - widen(rounded));
        return rounded;
      });
      fill_tile(values, kStep, kTile, threadIdx.x, kWarp, [&](int j, int e) {
        if (key + j >= t.size.keys || column + e >= t.size.width) return T{};
        const T value = first[(key + j) * t.v.step[2] + (column + e) * t.v.step[3]];
        finite = finite && std::isfinite(widen(value));
        return value;
      });
      __syncwarp();
      sum.add(kept, kStep, values, kStep);
      sum.add(lost, kStep, values, kStep);
    }
    float* const sums = reinterpret_cast<float*>(m.own);
    __syncwarp();
    sum.store(sums, m.kSumPitch);
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kWarp) {
      const int row = i / kTile;
      const int64_t e = column + i % kTile;
      if (row >= rows.count || e >= t.size.width) continue;
      T* const to = out.row(rows.batch, rows.head, rows.first + row);
      to[e * out.step[3]] = cuda::narrow<T>(sums[row * m.kSumPitch + i % kTile] * m.shares[row]);
    }
  }
  return finite;
}

template <class T>
__global__ void __launch_bounds__(kTileWarps* kWarp)
    attend_tiles(Task<T> t, Operand<T> out, float* scratch) {
  const TileMemory<T> m;
  const int64_t pitch = TileCut::pitch(t.size.keys);
  float* const x = scratch ? scratch + int64_t{blockIdx.x} * kTile * pitch : m.after();
  for (int64_t number = blockIdx.x; number < TileCut::tiles(t.size); number += gridDim.x) {
    const RowTile rows(t, number);
    // Calls body(query, row of x) with all threads of the block, a warp for a row.
    const auto each_row_of_tile = [&](const auto& body) {
      for (int32_t row = static_cast<int32_t>(threadIdx.y); row < kTile; row += kTileWarps) {
        const bool is_there = row < rows.count;
        body(is_there ? t.query(rows.batch, rows.head, rows.first + row) : Query<T>{},
             x + row * pitch, row);
      }
    };
    if constexpr (kHasTiles<T>) multiply_tiles(t, rows, m, x, pitch);
    __syncthreads();
    each_row_of_tile([&](const Query<T>& query, float* weights, int32_t row) {
      const Softmax<float> softmax = raise(t, query, weights, [&](int64_t j) {
        return kHasTiles<T> ? t.score_of(query, j, weights[j]) : t.score(query, j);
      });
      for (int64_t j = rows.begin + threadIdx.x; j < rows.end; j += kWarp) {
        if (!query.range.has(j)) weights[j] = 0;
      }
      if (threadIdx.x == 0) m.shares[row] = softmax.share;
    });
    __syncthreads();
    bool done = false;
    if constexpr (kHasTiles<T>) {
      done = __syncthreads_and(combine_tiles(t, rows, m, x, pitch, out)) != 0;
    }
    if (!done) {
      each_row_of_tile([&](const Query<T>& query, float* weights, int32_t row) {
        each_own(query.range, [&](int64_t j) { weights[j] *= m.shares[row]; });
        __syncwarp();
        if (row < rows.count) combine(t, query, weights, t.v, t.size.width, out);
      });
    }
    __syncthreads();  // the memory is used again
  }
}

}  // namespace tenon::cuda::attention
