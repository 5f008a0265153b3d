// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_tiles.h: attention of 16 bits on tensor cores: what its kernels
// share. A block of four warps has 16 rows of queries of one head.
//
// The arithmetic of attention_rows.h but for the order of sums. Warps take tiles of 16 keys in turn
// for products of queries and keys, whose factors are exact; then rows; then tiles of 16 columns
// for sums over keys. What is summed there, weights or slopes, is only held by f32: it becomes two
// numbers of bf16 (TileParts).
//
// 0 times what is not finite is not 0: rows that may see or not see such a value are left to
// combine(), which reads no key that a query does not see.
#pragma once

#include "attention_rows.h"
#include "tiles.h"

namespace tenon::cuda::attention {

template <class T>
inline constexpr bool kOnTensorCores = sizeof(T) == 2;
inline constexpr uint32_t kTileWarps = 4;
inline constexpr int kTileDepth = 64;  // of queries and keys at a time

// ---- On host and device -------------------------------------------------------------------------

// Tiles of 16 that hold n.
constexpr int64_t tiles_of(int64_t n) { return (n + kTile - 1) / kTile; }

// Rows of one head that a block has.
struct RowTile {
  int64_t batch, head, first;
  int32_t count;
  int64_t begin, end;  // keys that one of them sees, in whole tiles
  int64_t seen;        // the last of these keys, and one

  template <class T>
  __device__ RowTile(const Task<T>& t, int64_t number) {
    const int64_t tiles = tiles_of(t.size.queries);
    const int64_t row = number / tiles;
    batch = row / t.size.heads;
    head = row % t.size.heads;
    first = number % tiles * kTile;
    count = static_cast<int32_t>(std::min<int64_t>(kTile, t.size.queries - first));
    // Neither end of what a query sees is before that of the query before.
    const Sequence sequence = t.sequences[batch];
    begin = t.sight.of(sequence, first).begin / kTile * kTile;
    seen = t.sight.of(sequence, first + count - 1).end;
    end = tiles_of(seen) * kTile;
  }
};

// A block's memory: one factor that all warps read, and an area of each warp.
struct TileMemory {
  static constexpr int kPitch = tile_pitch<sdk::BF16>(kTileDepth);
  static constexpr int kSumPitch = tile_pitch<float>(kTile);
  static constexpr uint32_t kFactor = kTile * kPitch * sizeof(sdk::BF16);
  static constexpr uint32_t kSum = kTile * kSumPitch * sizeof(float);
  static constexpr uint32_t kArea = 2 * TileParts::kBytes;
  static_assert(kFactor <= kArea && 2 * kSum <= kArea && kFactor % 32 == 0 && kArea % 32 == 0);
  static constexpr uint32_t kShares = kTile * sizeof(float);
  static constexpr uint32_t kBytes = kFactor + kTileWarps * kArea + kShares;

  char* shared;
  char* own;
  float* shares;  // a factor of each row

  __device__ TileMemory() {
    shared = dynamic_shared<char>();
    own = shared + kFactor + kArea * threadIdx.y;
    shares = reinterpret_cast<float*>(shared + kFactor + kArea * kTileWarps);
  }
  __device__ char* after() const { return reinterpret_cast<char*>(shares + kTile); }
  __device__ TileParts parts(int number) const {
    return {reinterpret_cast<sdk::BF16*>(own + TileParts::kBytes * number)};
  }
};

// How rows are shared by blocks, from sizes alone.
struct TileCut {
  uint32_t blocks;
  uint32_t shared_bytes;
  uint64_t scratch_bytes;

  // From a row of numbers of keys to the next.
  static constexpr int64_t pitch(int64_t keys) { return tiles_of(keys) * kTile + kTile / 2; }
  static constexpr int64_t tiles(const Sizes& size) {
    return size.batch * size.heads * tiles_of(size.queries);
  }
  // `numbers` of each key and row.
  TileCut(const Sizes& size, uint64_t numbers) {
    constexpr uint64_t kMaxShared = 46 << 10;  // leaves what join_group needs
    constexpr int64_t kFewBlocks = 512;        // with scratch: fill a card, and no more
    const uint64_t bytes =
        numbers * static_cast<uint64_t>(kTile * pitch(size.keys)) * sizeof(float);
    const bool fits = TileMemory::kBytes + bytes <= kMaxShared;
    blocks = static_cast<uint32_t>(std::min<int64_t>(tiles(size), fits ? INT32_MAX : kFewBlocks));
    shared_bytes = static_cast<uint32_t>(TileMemory::kBytes + (fits ? bytes : 0));
    scratch_bytes = fits ? 0 : blocks * bytes;
  }
};

// ---- Products -----------------------------------------------------------------------------------

// Rows of a factor: element d of row i, for i below `rows` and d below `depth`.
template <class T>
struct Factor {
  const T* data;
  int64_t row, column;  // steps
  int64_t rows, depth;

  __device__ Factor(const Operand<const T>& of, int64_t batch, int64_t head, int64_t first,
                    int64_t count, int64_t columns)
      : data(of.row(batch, head, first)),
        row(of.step[2]),
        column(of.step[3]),
        rows(count),
        depth(columns) {}
  __device__ T at(int64_t i, int64_t d) const {
    return i < rows && d < depth ? data[i * row + d * column] : T{};
  }
};

// x[row, key] = sum_d a[row, d] b[key, d], for the tiles of keys from `begin` to `end`.
template <class T>
__device__ void multiply_tiles(const Factor<T>& a, const Factor<T>& b, int64_t begin, int64_t end,
                               const TileMemory& m, float* x, int64_t pitch) {
  T* const left = reinterpret_cast<T*>(m.shared);
  T* const right = reinterpret_cast<T*>(m.own);
  int64_t from = 0;
  do {
    const int64_t rest = tiles_of(a.depth - from) * kTile;
    const int width = static_cast<int>(std::min<int64_t>(kTileDepth, rest));
    __syncthreads();
    fill_tile(left, m.kPitch, width, threadIdx.y * kWarp + threadIdx.x, kTileWarps * kWarp,
              [&](int row, int d) { return a.at(row, from + d); });
    __syncthreads();
    for (int64_t key = begin + threadIdx.y * kTile; key < end; key += kTileWarps * kTile) {
      __syncwarp();
      fill_tile(right, m.kPitch, width, threadIdx.x, kWarp,
                [&](int row, int d) { return b.at(key + row, from + d); });
      __syncwarp();
      TileSum<T> sum;
      if (from == 0) {
        sum.clear();
      } else {
        sum.load(x + key, pitch);
      }
      for (int d = 0; d < width; d += kTile) {
        sum.template add<ByRows, ByColumns>(left + d, m.kPitch, right + d, m.kPitch);
      }
      sum.store(x + key, pitch);
    }
    from += kTileDepth;
  } while (from < a.depth);
}

// Calls put(row, column, number) for the elements of a sum.
template <class Put>
__device__ __forceinline__ void each_of_sum(const TileSum<sdk::BF16>& sum, const TileMemory& m,
                                            const Put& put) {
  float* const sums = reinterpret_cast<float*>(m.own);
  __syncwarp();
  sum.store(sums, m.kSumPitch);
  __syncwarp();
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kWarp) {
    put(i / kTile, i % kTile, sums[i / kTile * m.kSumPitch + i % kTile]);
  }
  __syncwarp();
}

// out[row, column] = shares[row] sum of x[row, key] values[key, column] over keys from rows.begin
// to rows.end. False in a thread that met a number that is not finite: then some of it may be
// wrong.
template <class T>
__device__ bool combine_tiles(const RowTile& rows, const float* x, int64_t pitch,
                              const Factor<T>& values, const Operand<T>& out, const TileMemory& m) {
  constexpr bool kExact = std::is_same_v<T, sdk::BF16>;
  const TileParts left = m.parts(0);
  const TileParts right = m.parts(1);
  bool finite = true;
  for (int64_t column = threadIdx.y * kTile; column < values.depth; column += kTileWarps * kTile) {
    TileSum<sdk::BF16> sum;
    sum.clear();
    for (int64_t key = rows.begin; key < rows.end; key += kTile) {
      __syncwarp();
      for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kWarp) {
        const int row = i / kTile;
        const int e = i % kTile;
        finite &= left.put(row, e, x[row * pitch + key + e]);
        finite &= right.put(row, e, widen(values.at(key + row, column + e)));
      }
      __syncwarp();
      add_parts<ByRows>(sum, left, right, kExact);
    }
    each_of_sum(sum, m, [&](int row, int e, float number) {
      if (row >= rows.count || column + e >= values.depth) return;
      T* const to = out.row(rows.batch, rows.head, rows.first + row);
      to[(column + e) * out.step[3]] = cuda::narrow<T>(number * m.shares[row]);
    });
  }
  return finite;
}

// ---- Rows ---------------------------------------------------------------------------------------

// Calls body(query, row) for the 16 rows, a warp for each, with all threads of the block; nothing
// is seen of rows after the last.
template <class T, class Body>
__device__ __forceinline__ void each_row_of_tile(const Task<T>& t, const RowTile& rows,
                                                 const Body& body) {
  for (int32_t row = static_cast<int32_t>(threadIdx.y); row < kTile; row += kTileWarps) {
    const bool is_there = row < rows.count;
    body(is_there ? t.query(rows.batch, rows.head, rows.first + row) : Query<T>{}, row);
  }
}

// Leaves the powers of the scores at x[row, key], and 0 at keys of the tiles that the row's query
// does not see; calls keep(query, row, softmax).
template <class T, class Keep>
__device__ void raise_tiles(const Task<T>& t, const RowTile& rows, const TileMemory& m, float* x,
                            int64_t pitch, const Keep& keep) {
  if constexpr (kHasTiles) {
    multiply_tiles(Factor<T>(t.q, rows.batch, rows.head, rows.first, rows.count, t.size.depth),
                   Factor<T>(t.k, rows.batch, t.group_of(rows.head), 0, t.size.keys, t.size.depth),
                   rows.begin, rows.end, m, x, pitch);
  }
  __syncthreads();
  each_row_of_tile(t, rows, [&](const Query<T>& query, int32_t row) {
    float* const own = x + row * pitch;
    const Softmax<float> softmax = raise(t, query, own, [&](int64_t j) {
      return kHasTiles ? t.score_of(query, j, own[j]) : t.score(query, j);
    });
    for (int64_t j = rows.begin + threadIdx.x; j < rows.end; j += kWarp) {
      if (!query.range.has(j)) own[j] = 0;
    }
    keep(query, row, softmax);
  });
  __syncthreads();
}

}  // namespace tenon::cuda::attention
