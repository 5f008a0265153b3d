// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_rows.h: the weights of a query's row, w = softmax(cap tanh(scale
// q k^T / cap) + bias) over the keys it sees.
//
// A group of threads has a row: all its scores are there at once, in shared memory or, where they
// do not fit, in a scratch row of the block's. So memory is linear in queries and keys, and the
// arithmetic is that of the op's composition; no sum depends on how a call is cut. Keys that a
// query does not see are left out: they may be anything.
#pragma once

#include <cmath>

#include "attention.h"
#include "tanh.h"

namespace tenon::cuda::attention {

enum Attribute : uint32_t { kCausal, kWindow, kScale, kSoftCap, kAttributes };

// Slots from that of q on.
enum Slot : uint32_t { kQuery, kKey, kValue, kMask, kBias, kLengths, kStart };

// [batch, heads, rows, columns]; steps in elements. May have no data.
template <class T>
struct Operand {
  T* data = nullptr;
  int64_t step[4] = {};

  __device__ T* row(int64_t batch, int64_t head, int64_t number) const {
    return data + batch * step[0] + head * step[1] + number * step[2];
  }
};

template <class T>
Operand<T> operand_of(const tenon_view& view) {
  Operand<T> operand{static_cast<T*>(view.data)};
  for (int32_t d = 0; d < 4; ++d) operand.step[d] = broadcast_stride(view, view.strides, d, 4);
  return operand;
}
template <class T>
Operand<T> operand_if_given(const sdk::Launch& l, uint32_t slot) {
  return l.given(slot) ? operand_of<T>(l.view(slot)) : Operand<T>{};
}

struct Sizes {
  int64_t batch, heads, groups, queries, keys, depth, width;

  Sizes(const sdk::Args& args, uint32_t q)
      : batch(args.shape(q + kQuery)[0]),
        heads(args.shape(q + kQuery)[1]),
        groups(args.shape(q + kKey)[1]),
        queries(args.shape(q + kQuery)[2]),
        keys(args.shape(q + kKey)[2]),
        depth(args.shape(q + kQuery)[3]),
        width(args.shape(q + kValue)[3]) {}

  constexpr int64_t rows() const { return batch * heads * queries; }
  constexpr int64_t heads_of_group() const { return heads / groups; }
};

// ---- One row ------------------------------------------------------------------------------------

// Row number (batch, head, query) of the scores.
template <class T>
struct Query {
  int64_t batch = 0, head = 0, number = 0;
  Range range{0, 0};  // what it sees, but for the mask
  const T* q = nullptr;
  const sdk::Bool* mask = nullptr;
  const T* bias = nullptr;
};

template <class C>
struct Score {
  C value;
  C slope;  // in the score without a cap
};

// What turns a score into a weight.
template <class C>
struct Softmax {
  C base;   // the largest score; 0 if there is none above -inf
  C share;  // 1 / the sum of the powers; 0 if that is 0

  __device__ C power(C score) const { return exp_of(score - base); }
  __device__ C weight(C score) const { return power(score) * share; }
};

template <class T>
__device__ __forceinline__ Arithmetic<T> dot(const T* x, int64_t x_step, const T* y, int64_t y_step,
                                             int64_t count) {
  Arithmetic<T> sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum = std::fma(widen(x[i * x_step]), widen(y[i * y_step]), sum);
  return sum;
}

// What is asked of rows, as a kernel's parameter.
template <class T>
struct Task {
  using C = Arithmetic<T>;

  Sizes size;
  Operand<const T> q, k, v;
  Operand<const sdk::Bool> mask;
  Operand<const T> bias;
  Sequences sequences;
  Sight sight;
  C scale, cap;

  __device__ int64_t group_of(int64_t head) const { return head / size.heads_of_group(); }

  __device__ Query<T> query(int64_t batch, int64_t head, int64_t number) const {
    Query<T> one{batch, head, number, sight.of(sequences[batch], number)};
    one.q = q.row(batch, head, number);
    if (mask.data) one.mask = mask.row(batch, head, number);
    if (bias.data) one.bias = bias.row(batch, head, number);
    return one;
  }
  __device__ int64_t row_of(const Query<T>& query) const {
    return (query.batch * size.heads + query.head) * size.queries + query.number;
  }
  // Nothing is seen of rows after the last.
  __device__ Query<T> query(int64_t row) const {
    if (row >= size.rows()) return {};
    const int64_t head = row / size.queries;
    return query(head / size.heads, head % size.heads, row % size.queries);
  }
  __device__ bool sees(const Query<T>& query, int64_t key) const {
    return query.range.has(key) && (!query.mask || query.mask[key * mask.step[3]]);
  }
  __device__ Score<C> score(const Query<T>& query, int64_t key) const {
    const T* const other = k.row(query.batch, group_of(query.head), key);
    return score_of(query, key, dot(query.q, q.step[3], other, k.step[3], size.depth));
  }
  // From the product of query and key.
  __device__ Score<C> score_of(const Query<T>& query, int64_t key, C product) const {
    Score<C> s{product * scale, C(1)};
    if (cap != 0) {
      const C bent = Function<Tanh>()(s.value / cap);
      s = {bent * cap, C(1) - bent * bent};
    }
    if (query.bias) s.value += widen(query.bias[key * bias.step[3]]);
    return s;
  }
};

// ---- A row of a group ---------------------------------------------------------------------------

// Calls body(key) for the keys of this thread.
template <class Body>
__device__ __forceinline__ void each_own(const Range& range, const Body& body) {
  for (int64_t j = range.begin + threadIdx.x; j < range.end; j += blockDim.x) body(j);
}

// The sum of term(key), for all threads of the group. Few keys are added up by one of them in
// order, as softmax and tenon.sum do: a gradient is a difference of such sums, and of equal numbers
// it leaves a rounding error that must be the one that the op's composition leaves.
template <class C, class Term>
__device__ C sum_of_group(const Range& range, int64_t keys, const Term& term) {
  constexpr int64_t kFew = 8;
  constexpr int kTogether = 16;
  const int64_t pack = keys <= kFew ? kFew : 1;  // neighbours of one thread
  const int64_t round = pack * blockDim.x;
  C sum = 0;
  for (int64_t j = range.begin / round * round + threadIdx.x * pack; j < range.end;) {
    C part = 0;
    for (int i = 0; i < kTogether && j < range.end; ++i, j += round) {
      for (int64_t key = j; key < j + pack; ++key) {
        if (range.has(key)) part += term(key);
      }
    }
    sum += part;
  }
  return join_group(sum, Plus());
}

// Leaves the powers of score(key) at x[key]. Each thread writes those of its keys alone.
template <class T, class C, class ScoreOf>
__device__ Softmax<C> raise(const Task<T>& t, const Query<T>& query, C* x, const ScoreOf& score) {
  C most = -C(INFINITY);
  each_own(query.range, [&](int64_t j) {
    x[j] = t.sees(query, j) ? score(j).value : -C(INFINITY);
    most = LargerOf()(most, x[j]);
  });
  most = join_group(most, LargerOf());
  Softmax<C> softmax{most == -C(INFINITY) ? C(0) : most, C(0)};
  // A NaN reaches the sum, whatever the largest score is.
  each_own(query.range, [&](int64_t j) { x[j] = softmax.power(x[j]); });
  __syncthreads();
  const C sum = sum_of_group<C>(query.range, t.size.keys, [&](int64_t j) { return x[j]; });
  if (sum != 0) softmax.share = C(1) / sum;
  return softmax;
}

// y[column] = sum over the keys that are seen of x[key] rows[key, column], for columns of this
// thread.
template <class T, class C>
__device__ void combine(const Task<T>& t, const Query<T>& query, const C* x,
                        const Operand<const T>& rows, int64_t columns, const Operand<T>& out) {
  const T* const first = rows.row(query.batch, t.group_of(query.head), 0);
  T* const to = out.row(query.batch, query.head, query.number);
  for (int64_t e = threadIdx.x; e < columns; e += blockDim.x) {
    C sum = 0;
    for (int64_t j = query.range.begin; j < query.range.end; ++j) {
      if (!t.sees(query, j)) continue;
      sum = std::fma(x[j], widen(first[j * rows.step[2] + e * rows.step[3]]), sum);
    }
    to[e * out.step[3]] = cuda::narrow<T>(sum);
  }
}

// The memory of the group's row: in scratch, or shared if there is none.
template <class C>
__device__ __forceinline__ C* row_memory(C* scratch, int64_t elements) {
  C* const block =
      scratch ? scratch + int64_t{blockIdx.x} * blockDim.y * elements : dynamic_shared<C>();
  return block + threadIdx.y * elements;
}

// Calls body(row) in all threads of the block, the same number of times; rows after the last are
// among them.
template <class Body>
__device__ void each_row(int64_t rows, const Body& body) {
  const int64_t step = int64_t{gridDim.x} * blockDim.y;
  for (int64_t first = int64_t{blockIdx.x} * blockDim.y; first < rows; first += step) {
    body(first + threadIdx.y);
    __syncthreads();  // the row's memory is used again
  }
}

// ---- On the host --------------------------------------------------------------------------------

// How rows are shared by threads, from sizes alone.
struct Cut {
  uint32_t group;   // threads of a row
  uint32_t groups;  // of a block
  uint32_t blocks;
  uint32_t shared_bytes;
  uint64_t scratch_bytes;

  // `bytes` of memory for each key of a row.
  Cut(const Sizes& size, uint64_t bytes) {
    constexpr int64_t kManyRows = 2048;
    constexpr uint64_t kMaxShared = 40 << 10;  // leaves what join_group needs
    constexpr int64_t kFewBlocks = 256;        // with scratch: fill a card, and no more
    const int64_t rows = size.rows();
    const uint64_t row_bytes = static_cast<uint64_t>(size.keys) * bytes;
    group = rows > kManyRows ? kWarp : group_for(size.keys, 4, kBlock);
    groups = groups_for(group, rows);
    if (groups * row_bytes > kMaxShared) {
      group = kBlock;
      groups = 1;
    }
    const bool fits = groups * row_bytes <= kMaxShared;
    const int64_t wanted = (rows + groups - 1) / groups;
    blocks = static_cast<uint32_t>(std::min<int64_t>(wanted, fits ? INT32_MAX : kFewBlocks));
    shared_bytes = fits ? static_cast<uint32_t>(groups * row_bytes) : 0;
    scratch_bytes = fits ? 0 : blocks * row_bytes;
  }
};

// Checks lengths and starts, too. `q` is the slot of q.
template <class T>
Task<T> task_of(const sdk::Launch& l, uint32_t q) {
  using C = Arithmetic<T>;
  const Sizes size(l, q);
  const double scale = l.attrs.given(kScale)
                           ? l.attrs.real(kScale)
                           : 1.0 / std::sqrt(std::max(static_cast<double>(size.depth), 1.0));
  return {size,
          operand_of<const T>(l.view(q + kQuery)),
          operand_of<const T>(l.view(q + kKey)),
          operand_of<const T>(l.view(q + kValue)),
          operand_if_given<const sdk::Bool>(l, q + kMask),
          operand_if_given<const T>(l, q + kBias),
          sequences_of(l, q + kLengths, q + kStart, size.queries, size.keys),
          {l.attrs.flag(kCausal), l.attrs.integer(kWindow)},
          static_cast<C>(scale),
          static_cast<C>(l.attrs.real(kSoftCap))};
}

}  // namespace tenon::cuda::attention
