// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/softmax.cu: softmax and log_softmax along an axis.
//
//   softmax      exp(x - m) / s          m = max x, s = sum exp(x - m)
//   log_softmax  (x - m) - log(s)
// In float for f16, bf16 and f32, in double for f64.
//
// Lines of up to 16,384 elements (32,768 of 16 bits), 16 (32) in the registers of each thread of a
// group, are read once and written once. Longer ones, and those whose neighbours in memory belong
// to other lines, are read twice: the largest element and the sum are found in one pass. Of the
// latter a block takes 32 lines, so that a warp reads neighbours; of lines of up to 16 elements,
// one for each thread.
#include "lines.h"

namespace tenon::cuda::softmax_unit {
namespace {

inline constexpr uint32_t kShort = 16;  // elements of a line that has one thread
template <class T>
inline constexpr int kHeld = sizeof(T) == 2 ? 32 : 16;  // of a thread

// ---- Lines in registers -------------------------------------------------------------------------

// A group for each line.
template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_held(Lines lines, T* out, const T* in, bool logarithm) {
  using C = Arithmetic<T>;
  const uint32_t number = blockIdx.x * blockDim.y + threadIdx.y;
  const bool active = number < lines.begin.count;
  int64_t at[2] = {};
  if (active) lines.begin.offsets(number, at);
  constexpr int N = kHeld<T>;
  C x[N];
  load_line<N, T>(lines.in(in, at, active), 0, threadIdx.x, blockDim.x, -C(INFINITY), x);
  C most = x[0];
#pragma unroll
  for (int k = 1; k < N; ++k) most = LargerOf()(most, x[k]);
  most = join_group(most, LargerOf());
  // What is after the end adds 0, unless the line is NaN anyway.
  C sum = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    x[k] -= most;
    const C power = exp_of(x[k]);
    sum += power;
    if (!logarithm) x[k] = power;
  }
  sum = join_group(sum, Plus());
  const C scale = C(1) / sum;
  const C shift = logarithm ? log_of(sum) : C(0);
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = logarithm ? x[k] - shift : x[k] * scale;
  store_line<N, T>(lines.out(out, at, active), 0, threadIdx.x, blockDim.x, x);
}

// ---- Lines that are read twice ------------------------------------------------------------------

// As log_softmax or softmax of one thread's elements, with what is known of the line.
template <class T>
__device__ void write_line(const Line<T>& to, const Line<const T>& from, uint32_t thread,
                           uint32_t n, const PowerSum<Arithmetic<T>>& known, bool logarithm) {
  using C = Arithmetic<T>;
  constexpr int N = 8;
  // Of an infinite element x - most is NaN, and so is the line.
  const C sum = known.is_bounded() ? known.sum : C(NAN);
  const C scale = C(1) / sum;
  const C shift = logarithm ? log_of(sum) : C(0);
  for (uint32_t round = 0; uint64_t{round} * N * n < from.count; ++round) {
    C x[N];
    load_line<N, T>(from, round, thread, n, C(0), x);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      x[k] -= known.most;
      x[k] = logarithm ? x[k] - shift : exp_of(x[k]) * scale;
    }
    store_line<N, T>(to, round, thread, n, x);
  }
}

// A block for each line.
template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_long(Lines lines, T* out, const T* in, bool logarithm) {
  int64_t at[2];
  lines.begin.offsets(blockIdx.x, at);
  const auto from = lines.in(in, at, true);
  const auto known = join_group(powers_of(from, threadIdx.x, blockDim.x), JoinPowers());
  write_line(lines.out(out, at, true), from, threadIdx.x, blockDim.x, known, logarithm);
}

// blockDim.x lines for each block, blockDim.y threads for each of them.
template <class T>
__global__ void __launch_bounds__(kBlock)
    softmax_columns(Lines lines, T* out, const T* in, bool logarithm) {
  using Powers = PowerSum<Arithmetic<T>>;
  const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  const bool active = number < lines.begin.count;
  int64_t at[2] = {};
  if (active) lines.begin.offsets(number, at);
  const auto from = lines.in(in, at, active);
  Powers* const shared = dynamic_shared<Powers>();
  shared[threadIdx.y * blockDim.x + threadIdx.x] = powers_of(from, threadIdx.y, blockDim.y);
  __syncthreads();
  Powers known = shared[threadIdx.x];
  for (uint32_t y = 1; y < blockDim.y; ++y) {
    known = JoinPowers()(known, shared[y * blockDim.x + threadIdx.x]);
  }
  write_line(lines.out(out, at, active), from, threadIdx.y, blockDim.y, known, logarithm);
}

// ---- On the host --------------------------------------------------------------------------------

template <class T>
void enqueue_lines(const sdk::Launch& l, const Lines& lines, T* out, const T* in, bool logarithm) {
  const uint32_t n = lines.begin.count;
  if (lines.columns || lines.count <= kShort) {
    const Extent block = lines.count <= kShort ? Extent{kBlock} : Extent{kWarp, kBlock / kWarp};
    const auto shared = static_cast<uint32_t>(kBlock * sizeof(PowerSum<Arithmetic<T>>));
    enqueue(l, &softmax_columns<T>, {blocks_for(n, block.x)}, block, shared, lines, out, in,
            logarithm);
  } else if (lines.count > uint32_t{kHeld<T>} * kMaxThreads) {
    enqueue(l, &softmax_long<T>, {n}, {kMaxThreads}, 0, lines, out, in, logarithm);
  } else {
    const uint32_t group = group_for(lines.count, kHeld<T>, kMaxThreads);
    const uint32_t groups = groups_for(group, n);
    enqueue(l, &softmax_held<T>, {blocks_for(n, groups)}, {group, groups}, 0, lines, out, in,
            logarithm);
  }
}

template <bool kLogarithm>
void softmax(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const AllLines all(l.out(), x, sdk::normal_axis(l.attrs.integer(0), x.rank, "axis"));
  sdk::dispatch_dtype<sdk::FloatTypes>(x.dtype, [&]<class T>() {
    for_lines<T>(all, l.out(), x, [&](const Lines& lines, T* out, const T* in) {
      enqueue_lines(l, lines, out, in, kLogarithm);
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.softmax", slots, sdk::kFloats, sdk::launch_fn<softmax<false>>, {.n_attrs = 1}),
    kernel("tenon.log_softmax", slots, sdk::kFloats, sdk::launch_fn<softmax<true>>, {.n_attrs = 1}),
};

}  // namespace
}  // namespace tenon::cuda::softmax_unit

TENON_UNIT(softmax) = {.kernels = tenon::cuda::softmax_unit::kernels};
