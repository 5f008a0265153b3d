// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_grad.cu: the gradients of attention, dq = ds k, dk = ds^T q and
// dv = w^T dy, with the weights w computed again.
//
// The arithmetic of plugins/ops/attention/attention_grad.cc. Two launches: by rows of queries, for
// dq, which keeps three numbers of each row; then by keys, where a warp computes a key's weights
// from those, 32 rows at a time, and adds the rows up in order. So nothing is added atomically, and
// memory is linear in queries and keys.
#include "attention_rows.h"

namespace tenon::cuda::attention_grad_unit {
namespace {

using namespace attention;

constexpr uint32_t kDy = 0;
constexpr uint32_t kFirst = 1;  // slot of q

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
  __device__ Pair<C> pair(const Query<T>& query, int64_t key, const Known<C>& row) const {
    const Score<C> score = t.score(query, key);
    const C weight = row.softmax.weight(score.value);
    return {weight, slope(change(query, key), row.mean, weight, score.slope)};
  }
};

template <class T>
__global__ void __launch_bounds__(kBlock) by_rows(GradTask<T> g) {
  using C = Arithmetic<T>;
  const Task<T>& t = g.t;
  C* const weights = row_memory(g.scratch, 2 * t.size.keys);
  C* const slopes = weights + t.size.keys;
  each_row(t.size.rows(), [&](int64_t row) {
    const Query<T> query = t.query(row);
    const Softmax<C> softmax = weigh(t, query, weights);
    each_own(query.range,
             [&](int64_t j) { slopes[j] = t.sees(query, j) ? g.change(query, j) : C(0); });
    __syncthreads();
    // In double, as tenon.sum adds up few numbers; of keys that are not seen a weight may be NaN.
    const C mean = static_cast<C>(sum_of_group<double>(query.range, t.size.keys, [&](int64_t j) {
      return t.sees(query, j) ? slopes[j] * weights[j] : C(0);
    }));
    each_own(query.range, [&](int64_t j) {
      const C bend = t.cap != 0 && t.sees(query, j) ? t.score(query, j).slope : C(1);
      slopes[j] = g.slope(slopes[j], mean, weights[j], bend);
    });
    __syncthreads();
    if (row >= t.size.rows()) return;
    if (threadIdx.x == 0) g.known[row] = {softmax, mean};
    combine(t, query, slopes, t.k, t.size.depth, g.dq);
  });
}

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
    const int64_t all = (batch * g.t.size.heads + one.head) * g.t.size.queries + one.number;
    pair = g.pair(one, key, g.known[all]);
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

// A warp for each key: a lane for each of 32 rows, then for columns of dk and dv.
template <class T>
__global__ void __launch_bounds__(kBlock) by_keys(GradTask<T> g) {
  using C = Arithmetic<T>;
  const Task<T>& t = g.t;
  const int64_t number = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int64_t head = number / t.size.keys;
  if (head >= t.size.batch * t.size.groups) return;
  const KeyRows<T> rows{g, head / t.size.groups, head % t.size.groups, number % t.size.keys};
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

// ---- On the host --------------------------------------------------------------------------------

template <class C>
uint64_t known_bytes(const Sizes& size) {
  return static_cast<uint64_t>(size.rows()) * sizeof(Known<C>);
}

template <class T>
void enqueue_grad(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  GradTask<T> g{.t = task_of<T>(l, kFirst),
                .dy = operand_of<const T>(l.view(kDy)),
                .dq = operand_of<T>(l.out()),
                .dk = {},
                .dv = {},
                .known = reinterpret_cast<Known<C>*>(l.scratch().data()),
                .scratch = nullptr};
  if (l.wants_out(1)) g.dk = operand_of<T>(l.out(1));
  if (l.wants_out(2)) g.dv = operand_of<T>(l.out(2));
  const Sizes& size = g.t.size;
  // Nothing comes of values without columns, whatever the weights are: as if no key was seen.
  if (size.width == 0) g.t.sequences.lengths = {};
  const Cut cut(size, 2 * sizeof(C));
  if (cut.scratch_bytes > 0) g.scratch = reinterpret_cast<C*>(g.known + size.rows());
  enqueue(l, &by_rows<T>, {cut.blocks}, {cut.group, cut.groups}, cut.shared_bytes, g);
  if (!g.dk.data && !g.dv.data) return;
  const int64_t keys = size.batch * size.groups * size.keys;
  enqueue(l, &by_keys<T>, {blocks_for(keys, kBlock / kWarp)}, {kWarp, kBlock / kWarp}, 0, g);
}

void run(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { enqueue_grad<T>(l); });
}

uint64_t workspace(const sdk::Args& args) {
  const Sizes size(args, kFirst);
  uint64_t bytes = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(args.out().dtype, [&]<class T>() {
    using C = Arithmetic<T>;
    bytes = known_bytes<C>(size) + Cut(size, 2 * sizeof(C)).scratch_bytes;
  });
  return bytes;
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_in(),  any_in(),  any_in(), any_in(),
                                     any_in(), any_in(), any_out(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention_grad", slots, sdk::kFloats, sdk::launch_fn<run>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::attention_grad_unit

TENON_UNIT(attention_grad) = {.kernels = tenon::cuda::attention_grad_unit::kernels};
