// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_grad_rows.h: the gradients of attention for one row of queries,
// and for one key.
//
// A row keeps three numbers, from which a key's weights are computed again; so memory is linear in
// queries and keys.
#pragma once

#include "attention_rows.h"

namespace tenon::cuda::attention {

// What is known of a row.
template <class C>
struct Known {
  Softmax<C> softmax;
  C mean;  // sum_j a w
};

// Of one score: its weight, and the gradient of the product of query and key.
template <class C>
struct Pair {
  C weight;
  C slope;
};

template <class T>
struct GradTask {
  using C = Arithmetic<T>;

  Task<T> t;
  Operand<const T> dy;
  Operand<T> dq, dk, dv;  // of the last two, those that are wanted
  Known<C>* known;        // of each row
  C* scratch;

  // What the weight of a key that is seen changes in y.
  __device__ C change(const Query<T>& query, int64_t key) const {
    const T* const value = t.v.row(query.batch, t.group_of(query.head), key);
    return dot(dy.row(query.batch, query.head, query.number), dy.step[3], value, t.v.step[3],
               t.size.width);
  }
  __device__ C slope(C change, C mean, C weight, C bend) const {
    return (change - mean) * weight * bend * t.scale;
  }
  __device__ Pair<C> pair(const Score<C>& score, C change, const Known<C>& row) const {
    const C weight = row.softmax.weight(score.value);
    return {weight, slope(change, row.mean, weight, score.slope)};
  }

  // Turns the powers at x[key] into weights and leaves the slopes at slopes[key], from
  // change_of(key). All threads of the block take part, a group of them in a row.
  template <class ChangeOf>
  __device__ Known<C> find_slopes(const Query<T>& query, const Softmax<C>& softmax, C* x, C* slopes,
                                  const ChangeOf& change_of) const {
    each_own(query.range, [&](int64_t j) {
      x[j] *= softmax.share;
      slopes[j] = t.sees(query, j) ? change_of(j) : C(0);
    });
    __syncthreads();
    // In double, as tenon.sum adds up few numbers; of keys that are not seen a weight may be NaN.
    const C mean = static_cast<C>(sum_of_group<double>(query.range, t.size.keys, [&](int64_t j) {
      return t.sees(query, j) ? slopes[j] * x[j] : C(0);
    }));
    each_own(query.range, [&](int64_t j) {
      const C bend = t.cap != 0 && t.sees(query, j) ? t.score(query, j).slope : C(1);
      slopes[j] = slope(slopes[j], mean, x[j], bend);
    });
    __syncthreads();
    return {softmax, mean};
  }
};

// One key, and the rows that read it: those of the heads of its group, one after another.
template <class T>
struct KeyRows {
  const GradTask<T>& g;
  int64_t batch, group, key;

  __device__ int64_t count() const { return g.t.size.heads_of_group() * g.t.size.queries; }
  __device__ int64_t head(int64_t row) const {
    return group * g.t.size.heads_of_group() + row / g.t.size.queries;
  }
  __device__ int64_t query(int64_t row) const { return row % g.t.size.queries; }

  // False if the row does not see the key.
  __device__ bool find(int64_t row, Pair<Arithmetic<T>>& pair) const {
    if (row >= count()) return false;
    const Query<T> one = g.t.query(batch, head(row), query(row));
    if (!g.t.sees(one, key)) return false;
    pair = g.pair(g.t.score(one, key), g.change(one, key), g.known[g.t.row_of(one)]);
    return true;
  }
};

// What a lane adds up for a key: columns 32 apart.
template <class C>
struct Columns {
  static constexpr int kCount = 4;
  C sum[kCount] = {};

  template <class T>
  __device__ void add(C factor, const T* row, int64_t step, int64_t first, int64_t end) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int64_t column = first + i * kWarp;
      if (column < end) sum[i] = std::fma(factor, widen(row[column * step]), sum[i]);
    }
  }
  template <class T>
  __device__ void put(T* row, int64_t step, int64_t first, int64_t end) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int64_t column = first + i * kWarp;
      if (column < end) row[column * step] = cuda::narrow<T>(sum[i]);
    }
  }
};

// dk and dv of a key by a warp: a lane for each of 32 rows, then for columns.
template <class T>
__device__ void add_rows_of_key(const KeyRows<T>& rows) {
  using C = Arithmetic<T>;
  const GradTask<T>& g = rows.g;
  const Task<T>& t = g.t;
  const int64_t depth = g.dk.data ? t.size.depth : 0;
  const int64_t width = g.dv.data ? t.size.width : 0;
  for (int64_t begin = 0; begin < std::max(depth, width); begin += kWarp * Columns<C>::kCount) {
    const int64_t first = begin + threadIdx.x;
    Columns<C> dk, dv;
    for (int64_t row = 0; row < rows.count(); row += kWarp) {
      Pair<C> own{};
      const bool sees = rows.find(row + threadIdx.x, own);
      for (uint32_t left = __ballot_sync(kAllLanes, sees); left != 0; left &= left - 1) {
        const int lane = __ffs(static_cast<int>(left)) - 1;
        const Pair<C> pair = shuffle_from(own, lane);
        const int64_t h = rows.head(row + lane);
        const int64_t i = rows.query(row + lane);
        dk.add(pair.slope, t.q.row(rows.batch, h, i), t.q.step[3], first, depth);
        dv.add(pair.weight, g.dy.row(rows.batch, h, i), g.dy.step[3], first, width);
      }
    }
    dk.put(g.dk.row(rows.batch, rows.group, rows.key), g.dk.step[3], first, depth);
    dv.put(g.dv.row(rows.batch, rows.group, rows.key), g.dv.step[3], first, width);
  }
}

}  // namespace tenon::cuda::attention
