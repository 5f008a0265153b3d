// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/pack-inl.h: lines of a matrix side by side, so that one value of k is packed.
//
// Lines are rows of a or columns of b, in any layout: to[k, line] = from[line, k]. Lines packed
// along k are transposed in registers, in blocks of 128 bits: a block takes some values of k of one
// line, and a vector such blocks of lines that are as far apart as a block has elements.

#if defined(TENON_CPU_GEMM_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_PACK_INL_H
#undef TENON_CPU_GEMM_PACK_INL_H
#else
#define TENON_CPU_GEMM_PACK_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Steps are in elements.
template <class T>
struct Lines {
  const T* from;
  int64_t line_step;
  int64_t k_step;
  int64_t count;  // lines, at least 1
};

template <class T>
inline constexpr int64_t kBlock = static_cast<int64_t>(16 / sizeof(T));

// Where as many lines begin as a vector has elements. Beyond the last line that one is read again:
// nobody looks at what becomes of it.
template <class T>
struct Beginnings {
  HWY_INLINE Beginnings(const Lines<T>& lines, int64_t first) {
    for (int64_t i = 0; i < kLanes<T>; ++i) {
      line[i] = lines.from + std::min(first + i, lines.count - 1) * lines.line_step;
    }
  }
  const T* line[kLanes<T>];
};

// Blocks number 0, 1, ... of the vector come from lines first, first + kBlock, ... at `k`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* const* line, int64_t k) {
  constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(D()));
  if constexpr (lanes == kBlock<T>) {
    return hn::LoadU(d, line[0] + k);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, line + lanes / 2, k), load_blocks(half, line, k));
  }
}

// to[0], to[to_step], ...: values k, k + 1, ... of the lines that the blocks in v were loaded from.
template <class D, class V>
HWY_INLINE void store_transposed(D d, const V (&v)[4], float* to, int64_t to_step) {
  const hn::RepartitionToWide<D> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, to + to_step);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, to + 2 * to_step);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, to + 3 * to_step);
}

template <class D, class V>
HWY_INLINE void store_transposed(D d, const V (&v)[2], double* to, int64_t to_step) {
  hn::StoreU(hn::InterleaveLower(d, v[0], v[1]), d, to);
  hn::StoreU(hn::InterleaveUpper(d, v[0], v[1]), d, to + to_step);
}

// kBlocks blocks of k of as many lines as a vector has elements. A cache line is read at once where
// registers suffice: lines a power of two apart push each other out of the cache.
template <int kBlocks, class D, class T = hn::TFromD<D>>
HWY_INLINE void transpose(D d, const Beginnings<T>& at, int64_t k, T* to, int64_t to_step) {
  hn::Vec<D> v[kBlocks][kBlock<T>];
#pragma GCC unroll 4
  for (int i = 0; i < kBlock<T>; ++i) {
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) v[b][i] = load_blocks(d, at.line + i, k + b * kBlock<T>);
  }
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
    store_transposed(d, v[b], to + b * kBlock<T> * to_step, to_step);
  }
}

template <class T>
HWY_INLINE void pack_scattered(const Lines<T>& lines, int64_t first_k, int64_t depth, T* to,
                               int64_t to_step) {
  for (int64_t k = first_k; k < depth; ++k) {
    const T* from = lines.from + k * lines.k_step;
    for (int64_t i = 0; i < lines.count; ++i) to[k * to_step + i] = from[i * lines.line_step];
  }
}

template <class T>
HWY_INLINE void pack_depth(const Lines<T>& lines, int64_t depth, T* to, int64_t to_step) {
  const hn::ScalableTag<T> d;
  constexpr int kAtOnce = HWY_TARGET == HWY_AVX2 ? 2 : static_cast<int>(4 * sizeof(T) / 4);
  const int64_t whole = depth / kBlock<T> * kBlock<T>;
  for (int64_t first = 0; first < lines.count; first += kLanes<T>) {
    const Beginnings<T> at(lines, first);
    T* out = to + first;
    int64_t k = 0;
    for (; k + kAtOnce * kBlock<T> <= depth; k += kAtOnce * kBlock<T>) {
      transpose<kAtOnce>(d, at, k, out, to_step);
      out += kAtOnce * kBlock<T> * to_step;
    }
    for (; k < whole; k += kBlock<T>) {
      transpose<1>(d, at, k, out, to_step);
      out += kBlock<T> * to_step;
    }
  }
  pack_scattered(lines, whole, depth, to, to_step);
}

template <class T>
HWY_INLINE void pack_side_by_side(const Lines<T>& lines, int64_t depth, T* to, int64_t to_step) {
  const hn::ScalableTag<T> d;
  const int64_t whole = lines.count / kLanes<T> * kLanes<T>;
  const int64_t rest = lines.count - whole;
  const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
  for (int64_t k = 0; k < depth; ++k) {
    const T* from = lines.from + k * lines.k_step;
    for (int64_t i = 0; i < whole; i += kLanes<T>) {
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    }
    if (rest) hn::StoreU(load_first(d, mask, from + whole, rest), d, to + whole);
    to += to_step;
  }
}

// Packs `depth` values of k. Rows of `to` are `to_step` apart, which is a multiple of the lanes and
// no less than the number of lines; what lies beyond the lines is written too.
template <class T>
HWY_NOINLINE void pack(const Lines<T>& lines, int64_t depth, T* to, int64_t to_step) {
  if (lines.line_step == 1) {
    pack_side_by_side(lines, depth, to, to_step);
  } else if (lines.k_step == 1) {
    pack_depth(lines, depth, to, to_step);
  } else {
    pack_scattered(lines, 0, depth, to, to_step);
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
