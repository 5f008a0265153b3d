// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_update.h: the kernels that update a list of parameters.
//
// `begin` runs first, one thread a parameter: it counts the step and builds the parameter's rule,
// scalars in f64, into scratch; so nothing waits for the host, and the update reads finished
// numbers. `update` then walks many parameters in one launch: a table of their addresses is a
// kernel parameter, a block finds its parameter there and updates kPerBlock of its elements, each
// operand read once and written once. Parameters that are not dense in one order, and rows of
// parameters, take `update_strided`, one launch each.
//
// An update rule is a template over C, the type it computes in:
//
//   template <class C> struct Rule {
//     static constexpr int kStates = 1;                  // lists of states it reads and writes
//     __device__ Rule(const Step& step);
//     __device__ bool uses(int state) const;             // is that state read and written?
//     __device__ void operator()(C& p, C g, C (&s)[kStates]) const;  // one element
//   };
#pragma once

#include <tenon/sdk/plugin/step_scalars.hpp>

#include "elementwise.h"

namespace tenon::cuda::optim {

// ---- What a rule is built from ------------------------------------------------------------------

inline constexpr int kMaxAttrs = 6;

struct Step {
  double attrs[kMaxAttrs];  // in the order of the schema; a flag is 0 or 1
  double lr;
  int64_t t;        // steps of this parameter, this one counted
  double* product;  // a further state of one number, of ops that have one

  __device__ double attr(uint32_t index) const { return attrs[index]; }
};

// Parameters are launched in groups whose table is at most 4 KiB, what any GPU takes.
inline constexpr size_t kTableBytes = 3840;

// ---- The beginning ------------------------------------------------------------------------------

struct Counters {
  static constexpr uint32_t kMaxItems = 200;
  int64_t* step[kMaxItems];
  double* product[kMaxItems];  // NULL if the op has none
  uint32_t count;
};
static_assert(sizeof(Counters) <= kTableBytes && Counters::kMaxItems <= kBlock);

// If rows are wrong nothing is changed: `bad` has a word for each parameter, of all groups.
struct Verdict {
  const uint32_t* bad;
  uint32_t count;
  uint32_t* stop;
};

template <class Rule>
__global__ void __launch_bounds__(kBlock)
    begin(const __grid_constant__ Counters counters, Step step, const double* lr, Verdict verdict,
          Rule* rules) {
  bool stop = false;
  for (uint32_t i = threadIdx.x; i < verdict.count; i += kBlock) stop |= verdict.bad[i] != 0;
  stop = __syncthreads_or(stop) != 0;
  if (verdict.stop && threadIdx.x == 0) *verdict.stop = stop;
  const uint32_t i = threadIdx.x;
  if (stop || i >= counters.count) return;
  if (lr) step.lr = *lr;
  step.t = *counters.step[i] + 1;
  step.product = counters.product[i];
  rules[i] = Rule(step);
  *counters.step[i] = step.t;
}

// ---- Dense parameters ---------------------------------------------------------------------------

// Operands of a parameter: itself, its gradient, its states.
template <int K>
struct Item {
  void* address[K];
  int64_t count;
  uint32_t first_block;
  uint32_t packed;  // all are aligned to 16 bytes
};

template <int K>
struct Table {
  static constexpr uint32_t kMaxItems = kTableBytes / sizeof(Item<K>);
  Item<K> item[kMaxItems];
  uint32_t count;
};

// The last item that begins at this block or before.
template <int K>
__device__ __forceinline__ uint32_t item_at(const Table<K>& table, uint32_t block) {
  uint32_t low = 0, high = table.count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (table.item[middle].first_block <= block) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class T, class U>
inline constexpr int kPack = 16 / static_cast<int>(std::max(sizeof(T), sizeof(U)));
inline constexpr int kPacks = 2;  // of each operand, under way in a thread
template <class T, class U>
inline constexpr int kPerBlock = static_cast<int>(kBlock) * kPacks* kPack<T, U>;

// One element: parameter, gradient and states as stored.
template <class T, class U, class Rule>
__device__ __forceinline__ void update_one(const Rule& rule, T& p, T g,
                                           U (&states)[Rule::kStates]) {
  using C = Arithmetic<T>;
  C param = widen(p);
  C s[Rule::kStates];
#pragma unroll
  for (int k = 0; k < Rule::kStates; ++k) s[k] = static_cast<C>(widen(states[k]));
  rule(param, widen(g), s);
  p = narrow<T>(param);
#pragma unroll
  for (int k = 0; k < Rule::kStates; ++k) states[k] = narrow<U>(s[k]);
}

// Element `at[k]` of each operand.
template <class T, class U, class Rule>
__device__ __forceinline__ void update_at(const Rule& rule, void* const* address,
                                          const int64_t (&at)[2 + Rule::kStates]) {
  T* const p = static_cast<T*>(address[0]) + at[0];
  U states[Rule::kStates] = {};
#pragma unroll
  for (int k = 0; k < Rule::kStates; ++k) {
    if (rule.uses(k)) states[k] = static_cast<const U*>(address[2 + k])[at[2 + k]];
  }
  T param = *p;
  update_one<T, U>(rule, param, static_cast<const T*>(address[1])[at[1]], states);
  *p = param;
#pragma unroll
  for (int k = 0; k < Rule::kStates; ++k) {
    if (rule.uses(k)) static_cast<U*>(address[2 + k])[at[2 + k]] = states[k];
  }
}

// kPacks packs of each operand: all are read before one is written.
template <class T, class U, class Rule>
__device__ __forceinline__ void update_packs(const Rule& rule, void* const* address,
                                             int64_t first) {
  constexpr int N = kPack<T, U>;
  constexpr int kStates = Rule::kStates;
  Pack<T, N> p[kPacks], g[kPacks];
  Pack<U, N> s[kPacks][kStates] = {};
#pragma unroll
  for (int j = 0; j < kPacks; ++j) {
    const int64_t at = first + j * static_cast<int64_t>(kBlock) * N;
    p[j] = *reinterpret_cast<const Pack<T, N>*>(static_cast<const T*>(address[0]) + at);
    g[j] = *reinterpret_cast<const Pack<T, N>*>(static_cast<const T*>(address[1]) + at);
#pragma unroll
    for (int k = 0; k < kStates; ++k) {
      if (rule.uses(k)) {
        s[j][k] = *reinterpret_cast<const Pack<U, N>*>(static_cast<const U*>(address[2 + k]) + at);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kPacks; ++j) {
    const int64_t at = first + j * static_cast<int64_t>(kBlock) * N;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      U states[kStates];
#pragma unroll
      for (int k = 0; k < kStates; ++k) states[k] = s[j][k].at[i];
      update_one<T, U>(rule, p[j].at[i], g[j].at[i], states);
#pragma unroll
      for (int k = 0; k < kStates; ++k) s[j][k].at[i] = states[k];
    }
    *reinterpret_cast<Pack<T, N>*>(static_cast<T*>(address[0]) + at) = p[j];
#pragma unroll
    for (int k = 0; k < kStates; ++k) {
      if (rule.uses(k)) {
        *reinterpret_cast<Pack<U, N>*>(static_cast<U*>(address[2 + k]) + at) = s[j][k];
      }
    }
  }
}

template <class T, class U, class Rule>
__global__ void __launch_bounds__(kBlock)
    update(const __grid_constant__ Table<2 + Rule::kStates> table, const Rule* rules) {
  constexpr int K = 2 + Rule::kStates;
  const uint32_t number = item_at(table, blockIdx.x);
  const Item<K>& item = table.item[number];
  void* address[K];
#pragma unroll
  for (int k = 0; k < K; ++k) address[k] = item.address[k];
  const Rule rule = rules[number];
  const int64_t begin = int64_t{blockIdx.x - item.first_block} * kPerBlock<T, U>;
  const int64_t rest = item.count - begin;
  if (item.packed && rest >= kPerBlock<T, U>) {
    update_packs<T, U>(rule, address, begin + static_cast<int64_t>(threadIdx.x) * kPack<T, U>);
    return;
  }
  const int count = rest < kPerBlock<T, U> ? static_cast<int>(rest) : kPerBlock<T, U>;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(kBlock)) {
    int64_t at[K];
#pragma unroll
    for (int k = 0; k < K; ++k) at[k] = begin + i;
    update_at<T, U>(rule, address, at);
  }
}

// ---- Strided parameters, and rows ---------------------------------------------------------------

// Row r of the gradient belongs to row number[r] of the rest; of dense gradients there is one row.
template <int K>
struct Rows {
  void* address[K];
  int64_t stride[K];      // of rows
  const int64_t* number;  // NULL: row r itself
  int64_t number_stride;
  Divisor inner;   // elements of a row
  uint32_t count;  // of elements
};

template <class T, class U, class Rule>
__global__ void __launch_bounds__(kBlock)
    update_strided(const __grid_constant__ Geometry<2 + Rule::kStates> row,
                   Rows<2 + Rule::kStates> rows, const Rule* rules, const uint32_t* stop) {
  constexpr int K = 2 + Rule::kStates;
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= rows.count || (stop && *stop)) return;
  const uint32_t r = rows.inner.divide(number);
  int64_t at[K];
  row.offsets(number - r * rows.inner.value, at);
  const int64_t named = rows.number ? rows.number[r * rows.number_stride] : int64_t{r};
#pragma unroll
  for (int k = 0; k < K; ++k) at[k] += (k == 1 ? int64_t{r} : named) * rows.stride[k];
  update_at<T, U>(*rules, rows.address, at);
}

}  // namespace tenon::cuda::optim
