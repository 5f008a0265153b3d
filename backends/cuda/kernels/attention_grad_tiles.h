// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_grad_tiles.h: the gradients of attention of 16 bits on tensor
// cores.
//
// As attention_grad.cu: by rows of queries for dq, 16 of a head for a block of four warps; then by
// keys for dk and dv, 16 of a group for such a block. There each warp computes the weights and
// slopes of 16 rows of queries and these keys, and all take tiles of columns to which the four add.
#pragma once

#include "attention_grad_rows.h"
#include "attention_tiles.h"

namespace tenon::cuda::attention {

// ---- By rows ------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(kTileWarps* kWarp) tiles_by_rows(GradTask<T> g) {
  const Task<T>& t = g.t;
  const TileMemory m;
  const int64_t pitch = TileCut::pitch(t.size.keys);
  float* const weights = g.scratch ? g.scratch + int64_t{blockIdx.x} * 2 * kTile * pitch
                                   : reinterpret_cast<float*>(m.after());
  float* const slopes = weights + kTile * pitch;
  for (int64_t number = blockIdx.x; number < TileCut::tiles(t.size); number += gridDim.x) {
    const RowTile rows(t, number);
    const int64_t group = t.group_of(rows.head);
    if constexpr (kHasTiles) {
      multiply_tiles(Factor<T>(g.dy, rows.batch, rows.head, rows.first, rows.count, t.size.width),
                     Factor<T>(t.v, rows.batch, group, 0, rows.seen, t.size.width), rows.begin,
                     rows.end, m, slopes, pitch);
    }
    raise_tiles(t, rows, m, weights, pitch,
                [&](const Query<T>& query, int32_t row, const Softmax<float>& softmax) {
                  float* const own = slopes + row * pitch;
                  const Known<float> known = g.find_slopes(
                      query, softmax, weights + row * pitch, own,
                      [&](int64_t j) { return kHasTiles ? own[j] : g.change(query, j); });
                  for (int64_t j = rows.begin + threadIdx.x; j < rows.end; j += kWarp) {
                    if (!query.range.has(j)) own[j] = 0;
                  }
                  if (threadIdx.x > 0) return;
                  m.shares[row] = 1;
                  if (row < rows.count) g.known[t.row_of(query)] = known;
                });
    bool done = false;
    if constexpr (kHasTiles) {
      const Factor<T> keys(t.k, rows.batch, group, 0, rows.seen, t.size.depth);
      done = __syncthreads_and(combine_tiles(rows, slopes, pitch, keys, g.dq, m)) != 0;
    }
    if (!done) {
      each_row_of_tile(t, rows, [&](const Query<T>& query, int32_t row) {
        if (row < rows.count) combine(t, query, slopes + row * pitch, t.k, t.size.depth, g.dq);
      });
    }
    __syncthreads();  // the memory is used again
  }
}

// ---- By keys ------------------------------------------------------------------------------------

// A block's memory: that of TileMemory, whose shared factor are 16 keys or values, and the weights
// and slopes of each warp.
struct PairMemory {
  static constexpr uint32_t kPairs = 2 * TileParts::kBytes;  // of a warp
  static constexpr uint32_t kBytes = TileMemory::kBytes + kTileWarps * kPairs;

  TileMemory tile;

  __device__ TileParts weights(uint32_t warp) const { return part(warp, 0); }
  __device__ TileParts slopes(uint32_t warp) const { return part(warp, 1); }

 private:
  __device__ TileParts part(uint32_t warp, uint32_t number) const {
    return {
        reinterpret_cast<sdk::BF16*>(tile.after() + kPairs * warp + TileParts::kBytes * number)};
  }
};

// 16 keys of a group, and the tiles of queries of its heads, one head after another.
template <class T>
struct KeyTile {
  const GradTask<T>& g;
  int64_t batch, group, first;

  __device__ KeyTile(const GradTask<T>& task, int64_t number) : g(task) {
    const int64_t tiles = tiles_of(g.t.size.keys);
    batch = number / tiles / g.t.size.groups;
    group = number / tiles % g.t.size.groups;
    first = number % tiles * kTile;
  }
  __device__ int64_t per_head() const { return tiles_of(g.t.size.queries); }
  __device__ int64_t tiles() const { return g.t.size.heads_of_group() * per_head(); }
  __device__ int64_t head(int64_t tile) const {
    return group * g.t.size.heads_of_group() + tile / per_head();
  }
  __device__ int64_t query(int64_t tile) const { return tile % per_head() * kTile; }
  __device__ int64_t queries(int64_t tile) const {
    return tile < tiles() ? std::min<int64_t>(kTile, g.t.size.queries - query(tile)) : 0;
  }
  // Does one of the queries see one of the keys, but for the mask?
  __device__ bool sees(int64_t tile) const {
    const int64_t count = queries(tile);
    if (count == 0) return false;
    const Sequence sequence = g.t.sequences[batch];
    return g.t.sight.of(sequence, query(tile)).begin < first + kTile &&
           first < g.t.sight.of(sequence, query(tile) + count - 1).end;
  }
  // Rows of q or dy; nothing of tiles after the last.
  __device__ Factor<T> rows(const Operand<const T>& of, int64_t tile, int64_t depth) const {
    const int64_t count = queries(tile);
    return {of, batch, head(count > 0 ? tile : 0), count > 0 ? query(tile) : 0, count, depth};
  }
  __device__ Factor<T> keys(const Operand<const T>& of, int64_t depth) const {
    return {of, batch, group, first, g.t.size.keys - first, depth};
  }
};

// sum = a b^T of this warp's rows `a` and the block's rows `b`.
template <class T>
__device__ void multiply_pair(const Factor<T>& a, const Factor<T>& b, const TileMemory& m,
                              TileSum<T>& sum) {
  T* const left = reinterpret_cast<T*>(m.own);
  T* const right = reinterpret_cast<T*>(m.shared);
  sum.clear();
  for (int64_t from = 0; from < a.depth; from += kTileDepth) {
    const int64_t rest = tiles_of(a.depth - from) * kTile;
    const int width = static_cast<int>(std::min<int64_t>(kTileDepth, rest));
    __syncthreads();
    fill_tile(right, m.kPitch, width, threadIdx.y * kWarp + threadIdx.x, kTileWarps * kWarp,
              [&](int row, int d) { return b.at(row, from + d); });
    fill_tile(left, m.kPitch, width, threadIdx.x, kWarp,
              [&](int row, int d) { return a.at(row, from + d); });
    __syncthreads();
    for (int d = 0; d < width; d += kTile) {
      sum.template add<ByRows, ByColumns>(left + d, m.kPitch, right + d, m.kPitch);
    }
  }
}

// The weights and slopes of this warp's tile of queries, for all of the block. False in a thread
// that met one that is not finite.
template <class T>
__device__ bool find_pairs(const KeyTile<T>& keys, int64_t tile, const PairMemory& m) {
  const GradTask<T>& g = keys.g;
  const Task<T>& t = g.t;
  constexpr int kPitch = TileMemory::kSumPitch;
  TileSum<T> product, change;
  multiply_pair(keys.rows(t.q, tile, t.size.depth), keys.keys(t.k, t.size.depth), m.tile, product);
  multiply_pair(keys.rows(g.dy, tile, t.size.width), keys.keys(t.v, t.size.width), m.tile, change);
  float* const products = reinterpret_cast<float*>(m.tile.own);
  float* const changes = products + kTile * kPitch;
  __syncwarp();
  product.store(products, kPitch);
  change.store(changes, kPitch);
  __syncwarp();
  const TileParts weights = m.weights(threadIdx.y);
  const TileParts slopes = m.slopes(threadIdx.y);
  const int64_t count = keys.queries(tile);
  bool finite = true;
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kWarp) {
    const int row = i / kTile;
    const int j = i % kTile;
    const int64_t key = keys.first + j;
    Pair<float> pair{};
    if (row < count && key < t.size.keys) {
      const Query<T> query = t.query(keys.batch, keys.head(tile), keys.query(tile) + row);
      if (t.sees(query, key)) {
        pair = g.pair(t.score_of(query, key, products[row * kPitch + j]), changes[row * kPitch + j],
                      g.known[t.row_of(query)]);
      }
    }
    finite &= weights.put(row, j, pair.weight);
    finite &= slopes.put(row, j, pair.slope);
  }
  return finite;
}

// sum[key, column] += what four tiles of queries add to one tile of columns of dk or dv: their
// slopes or weights times q or dy.
template <class T, class PartsOf>
__device__ bool add_columns(const KeyTile<T>& keys, int64_t tile, const Operand<const T>& of,
                            int64_t depth, int64_t column, const PartsOf& parts_of,
                            const TileMemory& m, TileSum<sdk::BF16>& sum) {
  constexpr bool kExact = std::is_same_v<T, sdk::BF16>;
  const TileParts right = m.parts(0);
  bool finite = true;
  for (uint32_t warp = 0; warp < kTileWarps && tile + warp < keys.tiles(); ++warp) {
    const Factor<T> rows = keys.rows(of, tile + warp, depth);
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kWarp) {
      finite &= right.put(i / kTile, i % kTile, widen(rows.at(i / kTile, column + i % kTile)));
    }
    __syncwarp();
    add_parts<ByColumns>(sum, parts_of(warp), right, kExact);
  }
  return finite;
}

// Tiles of columns that a warp adds up at a time, those of dk first, then those of dv.
inline constexpr int kTileColumns = 4;

// Columns from tile `begin` of them on, of each warp kTileColumns.
template <class T>
__device__ bool tiles_of_columns(const KeyTile<T>& keys, int64_t begin, int64_t of_dk, int64_t all,
                                 const PairMemory& m) {
  const GradTask<T>& g = keys.g;
  const Sizes& size = g.t.size;
  TileSum<sdk::BF16> sums[kTileColumns];
#pragma unroll
  for (auto& sum : sums) sum.clear();
  bool finite = true;
  for (int64_t tile = 0; tile < keys.tiles(); tile += kTileWarps) {
    bool seen = false;
    for (uint32_t warp = 0; warp < kTileWarps; ++warp) seen |= keys.sees(tile + warp);
    if (!seen) continue;
    finite &= find_pairs(keys, tile + threadIdx.y, m);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileColumns; ++i) {
      const int64_t number = begin + threadIdx.y + i * kTileWarps;
      if (number < of_dk) {
        finite &= add_columns(
            keys, tile, g.t.q, size.depth, number * kTile,
            [&](uint32_t warp) { return m.slopes(warp); }, m.tile, sums[i]);
      } else if (number < all) {
        finite &= add_columns(
            keys, tile, g.dy, size.width, (number - of_dk) * kTile,
            [&](uint32_t warp) { return m.weights(warp); }, m.tile, sums[i]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kTileColumns; ++i) {
    const int64_t number = begin + threadIdx.y + i * kTileWarps;
    if (number >= all) continue;
    const bool is_dk = number < of_dk;
    const Operand<T>& out = is_dk ? g.dk : g.dv;
    const int64_t width = is_dk ? size.depth : size.width;
    const int64_t column = (is_dk ? number : number - of_dk) * kTile;
    each_of_sum(sums[i], m.tile, [&](int row, int e, float sum) {
      if (keys.first + row >= size.keys || column + e >= width) return;
      T* const to = out.row(keys.batch, keys.group, keys.first + row);
      to[(column + e) * out.step[3]] = cuda::narrow<T>(sum);
    });
  }
  return finite;
}

template <class T>
__global__ void __launch_bounds__(kTileWarps* kWarp) tiles_by_keys(GradTask<T> g) {
  const Sizes& size = g.t.size;
  const KeyTile<T> keys(g, blockIdx.x);
  bool finite = true;
  if constexpr (kHasTiles) {
    const PairMemory m;
    const int64_t of_dk = g.dk.data ? tiles_of(size.depth) : 0;
    const int64_t all = of_dk + (g.dv.data ? tiles_of(size.width) : 0);
    for (int64_t begin = 0; begin < all; begin += kTileWarps * kTileColumns) {
      finite &= tiles_of_columns(keys, begin, of_dk, all, m);
    }
  }
  if (kHasTiles && __syncthreads_and(finite)) return;
  for (int64_t i = threadIdx.y; i < kTile; i += kTileWarps) {
    if (keys.first + i >= size.keys) continue;
    add_rows_of_key(KeyRows<T>{g, keys.batch, keys.group, keys.first + i});
  }
}

}  // namespace tenon::cuda::attention
