// SPDX-License-Identifier: Apache-2.0
// backends/cuda/lines.h: elements along one axis, and a group of threads that share a line of them.
//
// Thread t of a group of n holds the elements t, t + n, ...; where lines are packed, elements that
// are 16 bytes together take the place of one. Sums of powers of a line are found in one pass.
#pragma once

#include "reduce.h"

namespace tenon::cuda {

// One line of memory.
template <class T>
struct Line {
  T* data;
  int64_t step;
  uint32_t count;
  bool packed;  // 16 bytes at a time: `step` is 1, `count` and the address fit
};

// All lines along an axis, of an output and an input of one shape; below 2^30 lines.
struct Lines {
  Geometry<2> begin;  // output, input
  int64_t step[2];
  uint32_t count;  // of elements of a line
  bool packed;     // both operands
  bool columns;    // neighbours in memory belong to different lines

  template <class T>
  __device__ __forceinline__ Line<T> out(T* data, const int64_t (&at)[2], bool active) const {
    return {data + at[0], step[0], active ? count : 0, packed};
  }
  template <class T>
  __device__ __forceinline__ Line<const T> in(const T* data, const int64_t (&at)[2],
                                              bool active) const {
    return {data + at[1], step[1], active ? count : 0, packed};
  }
};

// ---- Elements of a line -------------------------------------------------------------------------

template <class T>
inline constexpr int kPack = static_cast<int>(16 / sizeof(T));

// Which element of the line is the `turn`th of a thread, of `n` that share it.
template <class T>
__device__ __forceinline__ uint32_t place_in_line(const Line<T>& line, uint32_t turn,
                                                  uint32_t thread, uint32_t n) {
  constexpr uint32_t V = kPack<std::remove_const_t<T>>;
  return line.packed ? (turn / V * n + thread) * V + turn % V : turn * n + thread;
}

// Loads N elements, a multiple of kPack, for the `round`th time; `nothing` stands for those behind
// the line's end. There are `n` threads.
template <int N, class T>
__device__ __forceinline__ void load_line(const Line<const T>& line, uint32_t round,
                                          uint32_t thread, uint32_t n, Arithmetic<T> nothing,
                                          Arithmetic<T> (&x)[N]) {
  constexpr int V = kPack<T>;
  if (!line.packed) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const uint32_t i = (round * N + static_cast<uint32_t>(k)) * n + thread;
      x[k] = i < line.count ? widen(line.data[static_cast<int64_t>(i) * line.step]) : nothing;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < N; k += V) {
    const uint32_t i = ((round * N + static_cast<uint32_t>(k)) / V * n + thread) * V;
    Pack<T, V> pack{};
    if (i < line.count) pack = *reinterpret_cast<const Pack<T, V>*>(line.data + i);
#pragma unroll
    for (int v = 0; v < V; ++v) x[k + v] = i < line.count ? widen(pack.at[v]) : nothing;
  }
}

// The same the other way; what is after the end is not stored.
template <int N, class T>
__device__ __forceinline__ void store_line(const Line<T>& line, uint32_t round, uint32_t thread,
                                           uint32_t n, const Arithmetic<T> (&x)[N]) {
  constexpr int V = kPack<T>;
  if (!line.packed) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const uint32_t i = (round * N + static_cast<uint32_t>(k)) * n + thread;
      if (i < line.count) line.data[static_cast<int64_t>(i) * line.step] = cuda::narrow<T>(x[k]);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < N; k += V) {
    const uint32_t i = ((round * N + static_cast<uint32_t>(k)) / V * n + thread) * V;
    Pack<T, V> pack{};
#pragma unroll
    for (int v = 0; v < V; ++v) pack.at[v] = cuda::narrow<T>(x[k + v]);
    if (i < line.count) *reinterpret_cast<Pack<T, V>*>(line.data + i) = pack;
  }
}

// Elements of a packed line that are one thread's, as they are stored: kPacks times 16 bytes, which
// take half the registers of their arithmetic where that is wider.
template <class T, int kPacks>
struct HeldPacks {
  Pack<T, kPack<T>> packs[kPacks];

  __device__ static bool inside(const Line<const T>& line, int p) {
    return (static_cast<uint32_t>(p) * blockDim.x + threadIdx.x) * kPack<T> < line.count;
  }
  __device__ void load(const Line<const T>& line) {
    const auto* const from = reinterpret_cast<const Pack<T, kPack<T>>*>(line.data) + threadIdx.x;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      packs[p] = {};
      if (inside(line, p)) packs[p] = from[static_cast<uint32_t>(p) * blockDim.x];
    }
  }
  // body(p) for each pack that is not after the line's end.
  template <class Body>
  __device__ static void each(const Line<const T>& line, const Body& body) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      if (inside(line, p)) body(p);
    }
  }
};

// ---- Sums of powers -----------------------------------------------------------------------------

// The sum of exp(x - most) over elements of which `most` is the largest; if that is infinite 0
// takes its place, since x - most would be no number. A NaN reaches the sum.
template <class C>
struct PowerSum {
  C most;
  C sum;

  __device__ static PowerSum nothing() { return {-C(INFINITY), C(0)}; }
  __device__ bool is_bounded() const { return fabs(most) != C(INFINITY); }
  __device__ C base() const { return is_bounded() ? most : C(0); }
  // The sum with another, larger `most`.
  __device__ C moved(const PowerSum& larger) const {
    if (most == larger.most) return sum;
    return sum == 0 ? C(0) : sum * exp_of(base() - larger.base());
  }
  template <int N>
  __device__ void take(const C (&x)[N]) {
    PowerSum all{most, C(0)};
#pragma unroll
    for (int k = 0; k < N; ++k) all.most = LargerOf()(all.most, x[k]);
    all.sum = moved(all);
#pragma unroll
    for (int k = 0; k < N; ++k) all.sum += exp_of(x[k] - all.base());
    *this = all;
  }
};
struct JoinPowers {
  template <class C>
  __device__ __forceinline__ PowerSum<C> operator()(const PowerSum<C>& a,
                                                    const PowerSum<C>& b) const {
    PowerSum<C> all{LargerOf()(a.most, b.most), C(0)};
    all.sum = a.moved(all) + b.moved(all);
    return all;
  }
};

// Of the elements that are one thread's.
template <class T>
__device__ __forceinline__ PowerSum<Arithmetic<T>> powers_of(const Line<const T>& line,
                                                             uint32_t thread, uint32_t n) {
  constexpr int N = 8;
  auto powers = PowerSum<Arithmetic<T>>::nothing();
  for (uint32_t round = 0; uint64_t{round} * N * n < line.count; ++round) {
    Arithmetic<T> x[N];
    load_line<N, T>(line, round, thread, n, -Arithmetic<T>(INFINITY), x);
    powers.take(x);
  }
  return powers;
}

// ---- On the host --------------------------------------------------------------------------------

// The lines along `axis`, all of them; `fill` says what a part of them is for a kernel.
struct AllLines {
  Layout<2> begin;  // output, input
  std::array<int64_t, 2> step;
  uint32_t count;
  bool columns;

  AllLines(const tenon_view& out, const tenon_view& in, int32_t axis)
      : step{out.strides[axis], in.strides[axis]}, count(static_cast<uint32_t>(in.shape[axis])) {
    if (in.shape[axis] >= kMaxElements) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the axis is too long for a kernel of tenon.cuda",
                         "x", "fewer than " + std::to_string(kMaxElements) + " elements",
                         std::to_string(in.shape[axis])};
    }
    Layout<2> lines;
    for (int32_t d = 0; d < in.rank; ++d) {
      if (d != axis) lines.push(in.shape[d], {out.strides[d], in.strides[d]});
    }
    begin = joined_dimensions<2>(lines, true, 1);
    const int32_t last = begin.rank - 1;
    columns =
        last >= 0 && begin.shape[last] >= 16 && std::abs(begin.stride[1][last]) < std::abs(step[1]);
  }

  // Can 16 bytes of it be moved at once?
  bool is_packed(size_t operand, const void* data, tenon_dtype dtype) const {
    const int64_t V = 16 / sdk::size_of(dtype);
    bool fits = step[operand] == 1 && count % V == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
    for (int32_t d = 0; d < begin.rank; ++d) fits = fits && begin.stride[operand][d] % V == 0;
    return fits;
  }
};

// Calls body(Lines, output, input) for parts of the lines, with where they begin.
template <class T, class Body>
void for_lines(const AllLines& all, const tenon_view& out, const tenon_view& in, Body&& body) {
  if (all.count == 0) return;
  for_parts<2>(all.begin, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
    T* const to = static_cast<T*>(out.data) + at[0];
    const T* const from = static_cast<const T*>(in.data) + at[1];
    Lines lines{};
    lines.begin = part.geometry();
    lines.step[0] = all.step[0];
    lines.step[1] = all.step[1];
    lines.count = all.count;
    lines.packed = all.is_packed(0, to, out.dtype) && all.is_packed(1, from, in.dtype);
    lines.columns = all.columns;
    body(lines, to, from);
  });
}

}  // namespace tenon::cuda
