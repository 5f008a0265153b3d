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

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr int64_t kBlock = static_cast<int64_t>(16 / sizeof(T));

// Where the lines of a vector begin: the first block's, the last one's, and the step from one block
// to the next. Beyond the last line that one is read again: nobody looks at what becomes of it. A
// pointer for each line would be more than there are registers.
template <class D, class T = hn::TFromD<D>>
struct Beginnings {
  static constexpr int64_t kBlocks = static_cast<int64_t>(hn::MaxLanes(D())) / kBlock<T>;

  // All blocks but the last are whole.
  HWY_INLINE Beginnings(const Lines<T>& lines, int64_t line) : step(kBlock<T> * lines.line_step) {
    const auto begin = [&](int64_t i) {
      return lines.from + std::min(line + i, lines.count - 1) * lines.line_step;
    };
#pragma GCC unroll 4
    for (int64_t i = 0; i < kBlock<T>; ++i) {
      first[i] = begin(i);
      last[i] = begin((kBlocks - 1) * kBlock<T> + i);
    }
    hide();
  }
  HWY_INLINE void advance(int64_t k) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kBlock<T>; ++i) {
      first[i] += k;
      last[i] += k;
    }
    hide();
  }
  // Keeps the compiler from making more addresses than there are registers, once for all.
  HWY_INLINE void hide() {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kBlock<T>; ++i) asm("" : "+r"(first[i]), "+r"(last[i]));
    asm("" : "+r"(step));
  }
  // Of lines i, i + kBlock, ...
  HWY_INLINE const T* block(int64_t number, int64_t i) const {
    return number == kBlocks - 1 ? last[i] : first[i] + number * step;
  }
  const T* first[kBlock<T>];
  const T* last[kBlock<T>];
  int64_t step;
};

// The same of lines that are all there.
template <class T>
struct WholeLines {
  HWY_INLINE WholeLines(const T* from, int64_t line_step) : step(kBlock<T> * line_step) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kBlock<T>; ++i) first[i] = from + i * line_step;
    advance(0);
  }
  HWY_INLINE const T* block(int64_t number, int64_t i) const { return first[i] + number * step; }
  HWY_INLINE void advance(int64_t distance) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kBlock<T>; ++i) {
      first[i] += distance;
      asm("" : "+r"(first[i]));
    }
    asm("" : "+r"(step));
  }
  const T* first[kBlock<T>];
  int64_t step;
};

// Blocks number kFrom, kFrom + 1, ... of the vector, at value k of lines i, i + kBlock, ...
template <int64_t kFrom, class D, class At>
HWY_INLINE hn::Vec<D> load_blocks(D d, const At& at, int64_t i, int64_t k) {
  using T = hn::TFromD<D>;
  constexpr int64_t blocks = static_cast<int64_t>(hn::MaxLanes(D())) / kBlock<T>;
  if constexpr (blocks == 1) {
    return hn::LoadU(d, at.block(kFrom, i) + k);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks<kFrom + blocks / 2>(half, at, i, k),
                       load_blocks<kFrom>(half, at, i, k));
  }
}

// v[u]: value k + u of the lines whose blocks at k were v[0], v[1], ...
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&v)[4]) {
  const hn::RepartitionToWide<D> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&v)[2]) {
  const auto low = hn::InterleaveLower(d, v[0], v[1]);
  v[1] = hn::InterleaveUpper(d, v[0], v[1]);
  v[0] = low;
}

// kBlocks blocks of k of as many lines as a vector has elements. A cache line is read at once where
// registers suffice: lines a power of two apart push each other out of the cache.
template <int kBlocks, class D, class At, int64_t kSize>
HWY_INLINE void read_blocks(D d, const At& at, hn::Vec<D> (&v)[kBlocks][kSize]) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < kSize; ++i) {
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) v[b][i] = load_blocks<0>(d, at, i, b * kSize);
  }
}

template <int kBlocks, class D, class At, class T = hn::TFromD<D>>
HWY_INLINE void transpose(D d, const At& at, T* to, int64_t to_step) {
  hn::Vec<D> v[kBlocks][kBlock<T>];
  read_blocks<kBlocks>(d, at, v);
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
    transpose_blocks(d, v[b]);
#pragma GCC unroll 4
    for (int64_t u = 0; u < kBlock<T>; ++u) {
      hn::StoreU(v[b][u], d, to + (b * kBlock<T> + u) * to_step);
    }
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

// Packs the next lines, as many as D has lanes or fewer, and returns how many: vectors are narrower
// where a wide one's blocks would not be whole.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE int64_t pack_next(D d, const Lines<T>& lines, int64_t line, int64_t depth, T* to,
                             int64_t to_step) {
  constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(D()));
  if constexpr (lanes > kBlock<T>) {
    if (lines.count - line <= lanes - kBlock<T>) {
      return pack_next(hn::Half<D>(), lines, line, depth, to, to_step);
    }
  }
  constexpr int kAtOnce = HWY_TARGET == HWY_AVX2 ? 2 : static_cast<int>(4 * sizeof(T) / 4);
  Beginnings<D> at(lines, line);
  T* out = to + line;
  const T* later = lines.from + line * lines.line_step + 512 / sizeof(T);
  for (; depth >= kAtOnce * kBlock<T>; depth -= kAtOnce * kBlock<T>) {
    for (int64_t i = 0; i < lanes; ++i) hwy::Prefetch(later + i * lines.line_step);
    later += kAtOnce * kBlock<T>;
    transpose<kAtOnce>(d, at, out, to_step);
    at.advance(kAtOnce * kBlock<T>);
    out += kAtOnce * kBlock<T> * to_step;
  }
  for (; depth >= kBlock<T>; depth -= kBlock<T>) {
    transpose<1>(d, at, out, to_step);
    at.advance(kBlock<T>);
    out += kBlock<T> * to_step;
  }
  return lanes;
}

template <class T>
HWY_INLINE void pack_depth(const Lines<T>& lines, int64_t depth, T* to, int64_t to_step) {
  const hn::ScalableTag<T> d;
  for (int64_t line = 0; line < lines.count;) {
    line += pack_next(d, lines, line, depth, to, to_step);
  }
  pack_scattered(lines, depth / kBlock<T> * kBlock<T>, depth, to, to_step);
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

// Panels of kTileColumns lines beside each other. If lines lie side by side, reading a few
// panels' rows at once, and fetching later ones, is faster: rows may be pages apart.
template <class T>
HWY_NOINLINE void pack_panels(const Lines<T>& lines, int64_t depth, T* to) {
  constexpr int64_t kLater = 8;
  constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
  constexpr int64_t wide = kTileColumns<T>;
  const hn::ScalableTag<T> d;
  const int64_t whole = lines.line_step == 1 ? lines.count / wide * wide : 0;
  for (int64_t k = 0; k < depth && whole > 0; ++k) {
    const T* from = lines.from + k * lines.k_step;
    T* panel = to + k * wide;
    for (int64_t line = 0; line < whole; line += wide) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < wide; i += kLanes<T>) {
        if (i % kLine == 0) hwy::Prefetch(from + kLater * lines.k_step + line + i);
        hn::StoreU(hn::LoadU(d, from + line + i), d, panel + i);
      }
      panel += depth * wide;
    }
  }
  for (int64_t line = whole; line < lines.count; line += wide) {
    pack(Lines<T>{lines.from + line * lines.line_step, lines.line_step, lines.k_step,
                  std::min(wide, lines.count - line)},
         depth, to + line * depth, wide);
  }
}

// A whole panel of b that is transposed by the first tile that reads it: beside its multiply-adds
// that takes little time.
template <class T>
struct TransposedPanel {
  HWY_INLINE explicit TransposedPanel(const Tile<T>& t)
      : whole(t.lines.from, t.lines.line_step), line_step(t.lines.line_step) {}
  template <int kCount>
  HWY_INLINE void make(const T* rows) {
    T* to = const_cast<T*>(rows);
    if constexpr (kCount % kBlock<T> == 0) {
      const hn::ScalableTag<T> d;
      WholeLines<T> at = whole;
#pragma GCC unroll 4
      for (int64_t line = 0; line < kTileColumns<T>; line += kLanes<T>) {
        transpose<kCount / kBlock<T>>(d, at, to + line, kTileColumns<T>);
        at.advance(kLanes<T> * line_step);
      }
    } else {
      const Lines<T> lines{whole.first[0], line_step, 1, kTileColumns<T>};
      pack_scattered(lines, 0, kCount, to, kTileColumns<T>);
    }
    whole.advance(kCount);
  }
  WholeLines<T> whole;
  int64_t line_step;
};

// The first tiles of such panels.
template <class T, class Finish>
struct TransposingTable {
  using Run = typename TileTable<T, Finish>::Run;

  template <int... kRow>
  static constexpr auto cells(std::integer_sequence<int, kRow...>) {
    return std::array<Run, sizeof...(kRow)>{
        run_tile<T, kRow + 1, kTileVectors, true, Along::kDepth, TransposedPanel<T>, Finish>...};
  }
  static constexpr auto kAll = cells(std::make_integer_sequence<int, kTileRows>());
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
