// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/recurrent.h: what the kernels of recurrent steps share: the way through
// time, products of states with a weight, and states between steps.
//
// A launch is a step, since each needs all of the step before. A thread makes one unit of one
// sequence: its sums of products, acc = fma(x_k, w_k, acc) with k ascending, and then its gates.
// Blocks of 8 sequences by 32 units bring what they multiply into shared memory, 32 values of k at
// a time. States lie in scratch, in what arithmetic is done in.
#pragma once

#include "index_check.h"
#include "shares.h"
#include "tanh.h"

namespace tenon::cuda::recurrent {

// ---- Operands -----------------------------------------------------------------------------------

// A sequence [M,N,n], or a state [B,n]; steps in elements. No data: it is absent.
template <class T>
struct Rows {
  T* data = nullptr;
  int64_t time = 0, row = 0, column = 0;

  __device__ T& at(int64_t t, int64_t b, int64_t i) const {
    return data[t * time + b * row + i * column];
  }
};
template <class T>
Rows<T> rows_of(const tenon_view& view, int64_t time_axis) {
  Rows<T> rows{static_cast<T*>(view.data), 0, view.strides[0], view.strides[view.rank - 1]};
  if (view.rank == 2) return rows;
  rows.time = view.strides[time_axis];
  rows.row = view.strides[1 - time_axis];
  return rows;
}
template <class T>
Rows<const T> in_rows(const sdk::Launch& l, uint32_t slot, int64_t time_axis) {
  return l.given(slot) ? rows_of<const T>(l.view(slot), time_axis) : Rows<const T>();
}
template <class T>
Rows<T> out_rows(const sdk::Launch& l, uint32_t output, int64_t time_axis) {
  return l.wants_out(output) ? rows_of<T>(l.out(output), time_axis) : Rows<T>();
}

// One or two biases; what is absent adds nothing.
template <class T>
struct Bias {
  using C = Arithmetic<T>;
  const T *a = nullptr, *b = nullptr;
  int64_t a_step = 0, b_step = 0;

  __device__ C added_to(C x, int64_t i) const {
    if (!a && !b) return x;
    if (!b) return x + widen(a[i * a_step]);
    if (!a) return x + widen(b[i * b_step]);
    return x + (widen(a[i * a_step]) + widen(b[i * b_step]));
  }
};
inline constexpr uint32_t kNoSlot = ~0U;
template <class T>
Bias<T> bias_of(const sdk::Launch& l, uint32_t first, uint32_t second) {
  Bias<T> bias;
  if (l.given(first)) {
    bias.a = static_cast<const T*>(l.view(first).data);
    bias.a_step = l.view(first).strides[0];
  }
  if (second != kNoSlot && l.given(second)) {
    bias.b = static_cast<const T*>(l.view(second).data);
    bias.b_step = l.view(second).strides[0];
  }
  return bias;
}

// The way through time.
struct Walk {
  int64_t axis = 0, steps = 0, batch = 0;
  bool reverse = false;
  const int64_t* lengths = nullptr;
  int64_t length_step = 0;

  __device__ int64_t length(int64_t b) const { return lengths ? lengths[b * length_step] : steps; }
  __device__ bool is_live(int64_t b, int64_t time) const { return time < length(b); }
  __host__ __device__ int64_t time_of(int64_t step) const {
    return reverse ? steps - 1 - step : step;
  }
  // Does the walk of sequence b begin at this step?
  __device__ bool begins(int64_t b, int64_t time) const {
    return time == (reverse ? length(b) - 1 : 0);
  }
};
// Lengths outside the steps are refused.
inline Walk walk_of(const sdk::Launch& l, uint32_t sequence, uint32_t lengths, bool reverse,
                    bool batch_first) {
  Walk walk;
  walk.axis = batch_first ? 1 : 0;
  walk.steps = l.shape(sequence)[static_cast<size_t>(walk.axis)];
  walk.batch = l.shape(sequence)[static_cast<size_t>(1 - walk.axis)];
  walk.reverse = reverse;
  if (!l.given(lengths)) return walk;
  const tenon_view& view = l.view(lengths);
  walk.lengths = static_cast<const int64_t*>(view.data);
  walk.length_step = view.strides[0];
  // A length is from 0 to `steps`, an index below its limit.
  IndexList list = list_of(l, view, 0, walk.steps + 1, "lengths%p is %d, outside the steps");
  check_all(l, view, list);
  return walk;
}

// How many sequences operand `sequence` has.
inline int64_t batch_of(const sdk::Args& args, uint32_t sequence, bool batch_first) {
  return args.shape(sequence)[batch_first ? 0 : 1];
}

// ---- Products -----------------------------------------------------------------------------------

// Lines of a weight: element k of line j.
template <class T>
struct Weight {
  const T* data;
  int64_t line, step;

  Weight from(int64_t first) const { return {data + first * line, line, step}; }
  __device__ Arithmetic<T> at(int64_t j, int64_t k) const {
    return widen(data[j * line + k * step]);
  }
};
template <class T>
Weight<T> lines_of(const tenon_view& w) {
  return {static_cast<const T*>(w.data), w.strides[0], w.strides[1]};
}
// Its columns.
template <class T>
Weight<T> columns_of(const tenon_view& w) {
  return {static_cast<const T*>(w.data), w.strides[1], w.strides[0]};
}

inline constexpr int kSequences = 8;
inline constexpr int kUnits = 32;
inline constexpr int kDepth = 32;
static_assert(kSequences * kUnits == kBlock && kSequences * kDepth == kBlock);

// Which sequence and unit a thread has. Blocks lie beside each other along the units.
struct Place {
  int64_t b, u;
  int64_t first_unit;
  bool inside;
};
__device__ __forceinline__ Place place_of(int64_t batch, int64_t units) {
  const int64_t across = (units + kUnits - 1) / kUnits;
  Place p{};
  p.first_unit = blockIdx.x % across * kUnits;
  p.b = blockIdx.x / across * kSequences + threadIdx.x / kUnits;
  p.u = p.first_unit + threadIdx.x % kUnits;
  p.inside = p.b < batch && p.u < units;
  return p;
}
inline Extent blocks_of(int64_t batch, int64_t units) {
  return {blocks_for(batch, kSequences) * blocks_for(units, kUnits)};
}

// sums[s] = the sum over k of x[b,k] times element k of line u + s `between`, of `units` lines. For
// all threads of a block; x has rows of `x_step` elements.
template <int kSums, class T, class C = Arithmetic<T>>
__device__ __forceinline__ void multiply(const Place& p, int64_t batch, int64_t units, const C* x,
                                         int64_t x_step, const Weight<T>& w, int64_t between,
                                         int64_t depth, C (&sums)[kSums]) {
  __shared__ C rows[kSequences][kDepth + 1];
  __shared__ C lines[kSums][kUnits][kDepth + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int fast = thread % kDepth, slow = thread / kDepth;
  const bool along_k = w.step == 1 || w.line != 1;
  for (int s = 0; s < kSums; ++s) sums[s] = 0;
  for (int64_t first = 0; first < depth; first += kDepth) {
    const int here = static_cast<int>(depth - first < kDepth ? depth - first : kDepth);
    __syncthreads();
    if (p.b < batch && fast < here) rows[slow][fast] = x[p.b * x_step + first + fast];
    for (int s = 0; s < kSums; ++s) {
      for (int i = slow; i < kUnits; i += kSequences) {
        const int unit = along_k ? i : fast, k = along_k ? fast : i;
        if (p.first_unit + unit >= units || k >= here) continue;
        lines[s][unit][k] = w.at(p.first_unit + unit + s * between, first + k);
      }
    }
    __syncthreads();
    if (!p.inside) continue;
    for (int k = 0; k < here; ++k) {
      for (int s = 0; s < kSums; ++s) {
        sums[s] = std::fma(rows[thread / kUnits][k], lines[s][thread % kUnits][k], sums[s]);
      }
    }
  }
}

// ---- States -------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(kBlock)
    load_state(Arithmetic<T>* to, Rows<const T> from, int64_t batch, int64_t width) {
  const Place p = place_of(batch, width);
  if (!p.inside) return;
  to[p.b * width + p.u] =
      from.data ? static_cast<Arithmetic<T>>(widen(from.at(0, p.b, p.u))) : Arithmetic<T>(0);
}
template <class T>
__global__ void __launch_bounds__(kBlock)
    store_state(Rows<T> to, const Arithmetic<T>* from, int64_t batch, int64_t width) {
  const Place p = place_of(batch, width);
  if (p.inside) to.at(0, p.b, p.u) = narrow<T>(from[p.b * width + p.u]);
}

// Launches `kernel` with a thread for each unit of each sequence, if there is one.
template <class... P>
void each_unit(const sdk::Launch& l, int64_t batch, int64_t units, void (*kernel)(P...),
               std::type_identity_t<P>... arguments) {
  if (batch == 0 || units == 0) return;
  enqueue(l, kernel, blocks_of(batch, units), {kBlock}, 0, arguments...);
}
template <class T>
void load(const sdk::Launch& l, Arithmetic<T>* to, uint32_t slot, int64_t batch, int64_t width) {
  each_unit(l, batch, width, &load_state<T>, to, in_rows<T>(l, slot, 0), batch, width);
}
template <class T>
void store(const sdk::Launch& l, uint32_t output, const Arithmetic<T>* from, int64_t batch,
           int64_t width) {
  const Rows<T> to = out_rows<T>(l, output, 0);
  if (to.data) each_unit(l, batch, width, &store_state<T>, to, from, batch, width);
}

// Stores what a step gives of a sequence; 0 where it has ended.
template <class T>
__device__ __forceinline__ void put(const Rows<T>& to, int64_t t, int64_t b, int64_t i,
                                    Arithmetic<T> x) {
  if (to.data) to.at(t, b, i) = narrow<T>(x);
}

// Scratch in what arithmetic is done in.
template <class C>
struct Scratch {
  C* at;
  C* take(int64_t count) {
    C* const taken = at;
    at += count;
    return taken;
  }
};

// ---- Back through time --------------------------------------------------------------------------

// What a walk back keeps of a state's gradient: dh, and what is multiplied by the weight to make it
// that of the step before.
template <class T>
struct Back {
  using C = Arithmetic<T>;
  Walk walk;
  int64_t state;
  Weight<T> w;  // a line for each unit of the state
  int64_t depth;
  C* made[2];         // by the steps, in turn
  int64_t made_step;  // from one sequence to the next
  C* dh;

  __device__ C& own(const Place& p) const { return dh[p.b * state + p.u]; }
  __device__ C* made_by(int64_t number, const Place& p) const {
    return made[number % 2] + p.b * made_step;
  }
  // The gradient that the steps after step `number` leave, for all threads of a block. `adds`: to
  // dh, where the step has left a part of it.
  __device__ __forceinline__ C left_by_later(const Place& p, int64_t number, bool adds) const {
    C sums[1];
    multiply(p, walk.batch, state, made[(number + 1) % 2], made_step, w, 0, depth, sums);
    if (!p.inside) return 0;
    const bool is_first = number + 1 == walk.steps;
    if (is_first || !walk.is_live(p.b, walk.time_of(number + 1))) return own(p);
    return adds ? own(p) + sums[0] : sums[0];
  }
};

// What the first step leaves.
template <class T>
__global__ void __launch_bounds__(kBlock) finish_back(Back<T> back, bool adds) {
  const Place p = place_of(back.walk.batch, back.state);
  const Arithmetic<T> dh = back.left_by_later(p, -1, adds);
  if (p.inside) back.own(p) = dh;
}
template <class T>
void store_first(const sdk::Launch& l, uint32_t output, const Back<T>& back, bool adds) {
  if (!l.wants_out(output)) return;
  if (back.walk.steps > 0) {
    each_unit(l, back.walk.batch, back.state, &finish_back<T>, back, adds);
  }
  store<T>(l, output, back.dh, back.walk.batch, back.state);
}

// ---- Arithmetic ---------------------------------------------------------------------------------

__device__ __forceinline__ float sigmoid(float x) { return Sigmoid::single(x); }
__device__ __forceinline__ double sigmoid(double x) { return Sigmoid::full(x); }
__device__ __forceinline__ float tanh_of(float x) { return Tanh::single(x); }
__device__ __forceinline__ double tanh_of(double x) { return Tanh::full(x); }

// Derivatives from the values, times a gradient.
template <class C>
__device__ __forceinline__ C sigmoid_slope(C gradient, C y) {
  return gradient * (y * (C{1} - y));
}
template <class C>
__device__ __forceinline__ C tanh_slope(C gradient, C y) {
  return gradient * (C{1} - y * y);
}

}  // namespace tenon::cuda::recurrent
