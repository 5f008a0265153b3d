// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/micro-kernel-inl.h: one tile of c in registers, c[i,j] += a[i,k] b[k,j].
//
// For each k, ascending, every element is fused onto its accumulator. A product over more than one
// block of k goes on from the stored values, so the bits do not depend on tiles or blocks. Vectors
// lie along rows of b and c; elements of a are broadcast.

#if defined(TENON_CPU_GEMM_MICRO_KERNEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_MICRO_KERNEL_INL_H
#undef TENON_CPU_GEMM_MICRO_KERNEL_INL_H
#else
#define TENON_CPU_GEMM_MICRO_KERNEL_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest tile: rows, and vectors in a row. Accumulators, one row of b and an element of a fill
// the registers.
#if HWY_TARGET == HWY_AVX3
inline constexpr int kTileRows = 14;
inline constexpr int kTileVectors = 2;
#elif HWY_TARGET == HWY_AVX2
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 2;
#else
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 4;
#endif

template <class T>
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
template <class T>
inline constexpr int64_t kTileColumns = kTileVectors* kLanes<T>;

// Rows of a or columns of b, in any layout. Steps are in elements.
template <class T>
struct Lines {
  const T* from;
  int64_t line_step;
  int64_t k_step;
  int64_t count;  // lines, at least 1
};

// Memory that will be read soon: runs of `count` places, each the lines at an address and at one
// `wide` elements further. Steps are in elements.
template <class T>
struct Ahead {
  const T* from;
  int64_t step;
  int64_t count;
  int64_t wide;
  int64_t runs;
  int64_t run_step;
};

// One tile's operands. Steps are in elements.
template <class T>
struct Tile {
  const T* a;
  const T* b;
  T* c;
  const T* next;   // the tile of c that comes after, if any, else c: it is fetched meanwhile
  int64_t a_step;  // between rows of a where k is packed, else between values of k
  int64_t b_step;  // between rows of b
  int64_t c_step;  // between rows of c
  int64_t depth;   // values of k
  int64_t last;    // columns in the last vector, at least 1
  bool goes_on;    // from what c holds, else from 0
  Ahead<T> ahead;  // fetched after the next tile
  Lines<T> lines;  // where a panel b is not there yet, what makes it
};

// How a tile's elements of a lie: along k, or along the rows.
enum class Along { kDepth, kRows };

// What becomes of an element when its sum is complete.
struct Store {
  template <class D, class V>
  HWY_INLINE V operator()(D, V sum, int64_t /*row*/, int64_t /*column*/) const {
    return sum;
  }
};

// The first `count` elements, the others 0; reads nothing beyond them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, hn::Mask<D> mask, const T* from, int64_t count) {
#if HWY_ARCH_X86
  (void)count;
  return hn::MaskedLoad(mask, d, from);
#else
  (void)mask;
  HWY_ALIGN T lanes[kLanes<T>] = {};
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(T));
  return hn::Load(d, lanes);
#endif
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(D d, hn::Mask<D> mask, hn::Vec<D> v, T* to, int64_t count) {
#if HWY_ARCH_X86
  (void)count;
  hn::BlendedStore(v, mask, d, to);
#else
  (void)mask;
  HWY_ALIGN T lanes[kLanes<T>];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(T));
#endif
}

// kRows x kVectors accumulators; kWhole says that the last vector is a whole one.
template <class T, int kRows, int kVectors, bool kWhole>
struct Registers {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  template <class At>
  HWY_INLINE V load(const Tile<T>& t, At at, int j) const {
    const D d;
    if (kWhole || j + 1 < kVectors) return hn::LoadU(d, at + j * kLanes<T>);
    return load_first(d, mask, at + j * kLanes<T>, t.last);
  }

  HWY_INLINE void begin(const Tile<T>& t) {
    const D d;
    if (!kWhole) mask = hn::FirstN(d, static_cast<size_t>(t.last));
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        sum[i][j] = t.goes_on ? load(t, t.c + i * t.c_step, j) : hn::Zero(d);
      }
    }
  }

  // One value of k: a.at(i) is the element in row i.
  template <class Rows>
  HWY_INLINE void add(const Tile<T>& t, const Rows& a, const T* b) {
    const D d;
    V row[kVectors];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) row[j] = load(t, b, j);
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
      const V x = hn::Set(d, a.at(i));
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(x, row[j], sum[i][j]);
    }
  }

  template <class Finish>
  HWY_INLINE void end(const Tile<T>& t, Finish finish) const {
    const D d;
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        const V v = finish(d, sum[i][j], i, j * kLanes<T>);
        T* to = t.c + i * t.c_step + j * kLanes<T>;
        if (kWhole || j + 1 < kVectors) {
          hn::StoreU(v, d, to);
        } else {
          store_first(d, mask, v, to, t.last);
        }
      }
    }
  }

  V sum[kRows][kVectors];
  hn::Mask<D> mask;
};

// Elements of a for one value of k, packed.
template <class T>
struct PackedRows {
  HWY_INLINE T at(int row) const { return first[row]; }
  const T* first;
};

// Rows of a that are `step` bytes apart, five to a pointer: an address takes a register for the
// pointer and one for 1, 2, 4 or, apart, 3 steps. The compiler is kept from making more of them
// than there are registers.
template <class T, int kRows>
struct SpreadRows {
  static constexpr int kGroup = 5;
  static constexpr int kGroups = (kRows + kGroup - 1) / kGroup;

  HWY_INLINE SpreadRows(const T* a, int64_t a_step)
      : step(a_step * static_cast<int64_t>(sizeof(T))), triple(3 * step) {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
      group[g] = reinterpret_cast<const char*>(a) + g * kGroup * step;
    }
    hide();
  }
  HWY_INLINE void hide() {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) asm("" : "+r"(group[g]));
    asm("" : "+r"(step), "+r"(triple));
  }
  HWY_INLINE void advance(int64_t k) {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) group[g] += k * static_cast<int64_t>(sizeof(T));
    hide();
  }
  HWY_INLINE T at(int row, int64_t k) const {
    const int r = row % kGroup;
    const char* from = group[row / kGroup] + (r == 3 ? triple : r * step);
    return reinterpret_cast<const T*>(from)[k];
  }

  const char* group[kGroups];
  int64_t step;
  int64_t triple;
};
template <class T, int kRows>
struct SpreadRowsAt {
  HWY_INLINE T at(int row) const { return rows.at(row, k); }
  const SpreadRows<T, kRows>& rows;
  int64_t k;
};

// Fetches the next tile of c into the caches, then what is to be read later, a place at a time: all
// at once they would hold up what is needed now.
template <class T>
struct Fetches {
  HWY_INLINE Fetches(const Tile<T>& t, int rows)
      : at(t.next), step(t.c_step), left(rows), wide(kTileColumns<T> - 1), later(t.ahead) {}
  HWY_INLINE void fetch() {
    if (left == 0) return;
    hwy::Prefetch(at);
    hwy::Prefetch(at + wide);
    at += step;
    if (--left == 0 && later.runs > 0) begin_run();
  }
  void begin_run() {
    at = later.from;
    step = later.step;
    left = later.count;
    wide = later.wide;
    later.from += later.run_step;
    --later.runs;
  }
  const T* at;
  int64_t step;
  int64_t left;
  int64_t wide;
  Ahead<T> later;
};

// A panel that is there, or b in place. Another (pack-inl.h) makes some rows of it just before they
// are needed.
template <class T>
struct Ready {
  HWY_INLINE explicit Ready(const Tile<T>& /*tile*/) {}
  template <int kCount>
  HWY_INLINE void make(const T* /*rows*/) {}
};

template <class T, int kRows, int kVectors, bool kWhole, Along kAlong, class Panel, class Finish>
HWY_NOINLINE void run_tile(const Tile<T>& tile, const Finish& finish) {
  const Tile<T> t = tile;
  Registers<T, kRows, kVectors, kWhole> r;
  r.begin(t);
  const T* b = t.b;
  Fetches<T> next(t, kRows);
  Panel panel(t);
  int64_t k = t.depth;
  if constexpr (kAlong == Along::kDepth) {
    constexpr int kUnroll = 4;
    SpreadRows<T, kRows> a(t.a, t.a_step);
    for (; k >= kUnroll; k -= kUnroll) {
      next.fetch();
      panel.template make<kUnroll>(b);
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        r.add(t, SpreadRowsAt<T, kRows>{a, u}, b);
        b += t.b_step;
      }
      a.advance(kUnroll);
    }
    for (; k > 0; --k) {
      panel.template make<1>(b);
      r.add(t, SpreadRowsAt<T, kRows>{a, 0}, b);
      a.advance(1);
      b += t.b_step;
    }
  } else {
    const T* a = t.a;
    for (; k > 0; --k) {
      next.fetch();
      panel.template make<1>(b);
      r.add(t, PackedRows<T>{a}, b);
      a += t.a_step;
      b += t.b_step;
    }
  }
  r.end(t, finish);
}

// Is a narrow tile of whole vectors a loop of its own? If masks cost nothing it is one with a
// mask of all lanes.
inline constexpr bool kHasWholeEdges = HWY_TARGET != HWY_AVX3;

// run_tile by what the shape of a tile decides.
template <class T, class Finish>
struct TileTable {
  using Run = void (*)(const Tile<T>&, const Finish&);

  static constexpr bool is_whole(int cell) {
    return cell % 2 == 1 && (kHasWholeEdges || cell / 2 % kTileVectors + 1 == kTileVectors);
  }
  template <Along kAlong, int... kCell>
  static constexpr auto cells(std::integer_sequence<int, kCell...>) {
    return std::array<Run, sizeof...(kCell)>{
        run_tile<T, kCell / 2 / kTileVectors + 1, kCell / 2 % kTileVectors + 1, is_whole(kCell),
                 kAlong, Ready<T>, Finish>...};
  }
  using Cells = std::make_integer_sequence<int, kTileRows * kTileVectors * 2>;
  static constexpr std::array<Run, kTileRows * kTileVectors * 2> kAll[2] = {
      cells<Along::kDepth>(Cells()), cells<Along::kRows>(Cells())};

  // `vectors` of which the last has t.last columns.
  static Run at(Along along, int64_t rows, int64_t vectors, bool whole) {
    const int64_t cell = ((rows - 1) * kTileVectors + vectors - 1) * 2 + (whole ? 1 : 0);
    return kAll[along == Along::kRows][static_cast<size_t>(cell)];
  }
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
