// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/vector-inl.h: products of few rows, and of one value of k; which last columns
// of others are such a product, too.
//
// They read or write each element of the large matrix once and are as fast as its memory. Sums of
// some columns are carried over k, ascending: where rows of b are packed, in the first cache, some
// rows of b at a time; where columns are, in registers, b being transposed there. Results take
// their places in c, however it lies, at the end.

#if defined(TENON_CPU_GEMM_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_VECTOR_INL_H
#undef TENON_CPU_GEMM_VECTOR_INL_H
#else
#define TENON_CPU_GEMM_VECTOR_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"
#include "gemm/pack-inl.h"
#include "gemm/plan.h"
#include "gemm/problem.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kFewRows = 2;
// Of columns that are packed along k: where registers hold their sums beside a block of them.
template <class T>
inline constexpr int kRowsAtOnce = HWY_TARGET == HWY_AVX3 && sizeof(T) == 4 ? 8 : kFewRows;
inline constexpr int64_t kStrip = 2048;  // most columns of a task: their sums stay in a cache
template <class T>
inline constexpr int64_t kSide =
    kLanes<T> < 16 ? 2 * kLanes<T> : kLanes<T>;  // columns summed at once

// Some columns of a product: rows of a, and lines of b, which are its rows or its columns.
template <class T>
struct Strip {
  const T* a;
  int64_t a_row_step;
  int64_t a_step;
  const T* b;
  int64_t line_step;
  int64_t depth;
  int64_t columns;
  T* sums;  // kStrip apart for each row of a
};

// kCount values of k, from `k` on; rows of b are packed.
template <int kRows, int kCount, class T>
HWY_INLINE void add_rows(const Strip<T>& s, int64_t k) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V x[kRows][kCount];
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int u = 0; u < kCount; ++u)
      x[r][u] = hn::Set(d, s.a[r * s.a_row_step + (k + u) * s.a_step]);
  }
  const T* from = s.b + k * s.line_step;
  const auto add = [&](int64_t j, auto load) HWY_ATTR {
    V sum[kRows];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) sum[r] = hn::Load(d, s.sums + r * kStrip + j);
#pragma GCC unroll 8
    for (int u = 0; u < kCount; ++u) {
      const V row = load(from + u * s.line_step + j);
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) sum[r] = hn::MulAdd(x[r][u], row, sum[r]);
    }
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) hn::Store(sum[r], d, s.sums + r * kStrip + j);
  };
  int64_t j = 0;
  for (; j + kLanes<T> <= s.columns; j += kLanes<T>) {
    add(j, [d](const T* at) HWY_ATTR { return hn::LoadU(d, at); });
  }
  if (j == s.columns) return;
  const int64_t rest = s.columns - j;
  const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
  add(j, [&](const T* at) HWY_ATTR { return load_first(d, mask, at, rest); });
}

template <int kRows, class T>
HWY_NOINLINE void sum_rows(const Strip<T>& s) {
  // As many as leave registers for the sums.
  constexpr int kCount = HWY_TARGET == HWY_AVX2 && kRows == 2 ? 4 : 8;
  const hn::ScalableTag<T> d;
  for (int r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < s.columns; j += kLanes<T>) {
      hn::Store(hn::Zero(d), d, s.sums + r * kStrip + j);
    }
  }
  int64_t k = 0;
  for (; k + kCount <= s.depth; k += kCount) add_rows<kRows, kCount>(s, k);
  for (; k < s.depth; ++k) add_rows<kRows, 1>(s, k);
}

// The sums of kGroups x kLanes columns, which are packed along k. A cache line of each column is
// read at once: columns a power of two apart push each other out of the cache. They are few, since
// a processor foresees few streams of reads, and what comes next is asked for in time: of the same
// columns, then of those after them.
template <int kRows, int kGroups, class T>
struct Columns {
  using D = hn::ScalableTag<T>;
  static constexpr int kAtOnce = HWY_TARGET == HWY_AVX2 ? 2 : static_cast<int>(4 * sizeof(T) / 4);
  static constexpr int64_t kAhead = 512 / static_cast<int64_t>(sizeof(T));

  HWY_INLINE static void fetch(const Strip<T>& s, const T* from, int64_t k) {
    const int64_t next = k + kAhead;
    const T* at =
        from + (next < s.depth ? next : next - s.depth + kGroups * kLanes<T> * s.line_step);
#pragma GCC unroll 16
    for (int64_t l = 0; l < kLanes<T>; ++l) hwy::Prefetch(at + l * s.line_step);
  }
  template <int kBlocks>
  HWY_INLINE void add(const Strip<T>& s, const T* const (&from)[kGroups], int64_t k) {
    const D d;
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) {
      fetch(s, from[g], k);
      WholeLines<T> at(from[g] + k, s.line_step);
      hn::Vec<D> v[kBlocks][kBlock<T>];
      read_blocks<kBlocks>(d, at, v);
#pragma GCC unroll 4
      for (int b = 0; b < kBlocks; ++b) {
        transpose_blocks(d, v[b]);
#pragma GCC unroll 4
        for (int u = 0; u < kBlock<T>; ++u) add_one(s, k + b * kBlock<T> + u, g, v[b][u]);
      }
    }
  }
  HWY_INLINE void add_one(const Strip<T>& s, int64_t k, int g, hn::Vec<D> column) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto x = hn::Set(D(), s.a[r * s.a_row_step + k * s.a_step]);
      sum[r][g] = hn::MulAdd(x, column, sum[r][g]);
    }
  }

  hn::Vec<D> sum[kRows][kGroups];
};

// Columns `column` to `column` + kGroups x kLanes of the strip.
template <int kRows, int kGroups, class T>
HWY_NOINLINE void sum_columns(const Strip<T>& s, int64_t column) {
  const hn::ScalableTag<T> d;
  Columns<kRows, kGroups, T> c;
  const T* from[kGroups];
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) {
    from[g] = s.b + (column + g * kLanes<T>)*s.line_step;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) c.sum[r][g] = hn::Zero(d);
  }
  constexpr int kAtOnce = Columns<kRows, kGroups, T>::kAtOnce;
  int64_t k = 0;
  for (; k + kAtOnce * kBlock<T> <= s.depth; k += kAtOnce * kBlock<T>) {
    c.template add<kAtOnce>(s, from, k);
  }
  for (; k + kBlock<T> <= s.depth; k += kBlock<T>) c.template add<1>(s, from, k);
  for (; k < s.depth; ++k) {
    for (int g = 0; g < kGroups; ++g) {
      HWY_ALIGN T one[kLanes<T>];
      for (int64_t l = 0; l < kLanes<T>; ++l) one[l] = from[g][l * s.line_step + k];
      c.add_one(s, k, g, hn::Load(d, one));
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) {
      hn::StoreU(c.sum[r][g], d, s.sums + r * kStrip + column + g * kLanes<T>);
    }
  }
}

// At least as many columns as a vector has elements: the last vector may overlap the one before,
// whose sums it computes again.
template <int kRows, class T>
void sum_all_columns(const Strip<T>& s) {
  int64_t column = 0;
  for (; column + kSide<T> <= s.columns; column += kSide<T>) {
    sum_columns<kRows, kSide<T> / kLanes<T>>(s, column);
  }
  for (; column + kLanes<T> <= s.columns; column += kLanes<T>) sum_columns<kRows, 1>(s, column);
  if (column < s.columns) sum_columns<kRows, 1>(s, s.columns - kLanes<T>);
}

// The columns of c in strips, of kSide or more; the last one has what is left besides.
template <class T>
struct Strips {
  explicit Strips(const gemm::Problem& p) : all(p.n()) {
    // Rows of b that are cut short are read at a lower speed.
    constexpr int64_t kMaxColumns = kStrip - kSide<T>;
    const bool rows = p.b.column_step == 1;
    const int64_t worth = gemm::kVectorProducts / std::max<int64_t>(p.k() * p.m(), 1);
    const int64_t wanted = rows ? std::max<int64_t>(all / 4, kStrip / 4) : worth;
    columns = std::clamp(wanted / kSide<T> * kSide<T>, kSide<T>, kMaxColumns);
    count = gemm::pieces(std::max<int64_t>(all / kSide<T>, 1), columns / kSide<T>);
  }
  int64_t columns_of(int64_t strip) const {
    return strip + 1 < count ? columns : all - strip * columns;
  }

  int64_t all;
  int64_t columns;
  int64_t count;
};

template <int kRows, class T>
void multiply_strip(const gemm::Problem& p, const T* a, const T* b, T* c, int64_t column,
                    int64_t columns) {
  HWY_ALIGN T sums[kRows][kStrip];
  const bool rows = p.b.column_step == 1;
  const Strip<T> s{a,
                   p.a.row_step,
                   p.a.column_step,
                   b + column * p.b.column_step,
                   rows ? p.b.row_step : p.b.column_step,
                   p.k(),
                   columns,
                   &sums[0][0]};
  if (!rows) {
    sum_all_columns<kRows>(s);
  } else if constexpr (kRows <= kFewRows) {
    sum_rows<kRows>(s);
  }
  for (int r = 0; r < kRows; ++r) {
    T* to = c + r * p.c.row_step + column * p.c.column_step;
    if (p.c.column_step == 1) {
      std::copy_n(sums[r], s.columns, to);
    } else {
      for (int64_t j = 0; j < s.columns; ++j) to[j * p.c.column_step] = sums[r][j];
    }
  }
}

// Does a strip serve? A tile does as well for few columns; where columns are packed, there is at
// least a vector of them. More rows than fit read a strip again, from a cache: tiles, which pack,
// multiply at a higher speed, but read a matrix that no cache of this core holds at half of it.
template <class T>
bool is_vector(const gemm::Problem& p) {
  if (p.b.column_step == 1) return p.m() <= kFewRows && p.n() > kTileColumns<T>;
  const bool again = kRowsAtOnce<T> > kFewRows && gemm::is_large(p.b, sizeof(T));
  const int64_t most = again ? 3 * kRowsAtOnce<T> : kRowsAtOnce<T>;
  return p.b.row_step == 1 && p.m() <= most && p.n() >= kLanes<T>;
}

// The product without its last columns, and the transposed product of these alone.
inline gemm::Problem first_columns(const gemm::Problem& p, int64_t last) {
  gemm::Problem first = p;
  first.b.columns -= last;
  first.c.columns -= last;
  return first;
}
inline gemm::Problem last_rows(const gemm::Problem& p, int64_t last) {
  gemm::Problem rows = p;
  rows.a = p.b.transposed();
  rows.b = p.a.transposed();
  rows.c = p.c.transposed();
  rows.a.rows = rows.c.rows = last;
  return rows;
}

// Columns beyond whole vectors, if they are so few that reading a again, from a cache, costs less
// than tiles most of whose lanes have none; else 0.
template <class T>
int64_t last_columns(const gemm::Problem& p) {
  constexpr int64_t kFewest = 1 << 14;
  const int64_t last = p.n() % kLanes<T>;
  if (last == 0 || last > kFewRows || p.n() < kTileColumns<T>) return 0;
  const int64_t elements = p.m() * p.k();
  const int64_t most = 2 * gemm::caches().second / int64_t{sizeof(T)};
  if (elements < kFewest || elements > most / p.batches()) return 0;
  return is_vector<T>(last_rows(p, last)) ? last : 0;
}

// multiply_strip of 1, 2, ... rows.
template <class T>
struct StripTable {
  using Run = void (*)(const gemm::Problem&, const T*, const T*, T*, int64_t, int64_t);

  template <int... kRow>
  static constexpr auto cells(std::integer_sequence<int, kRow...>) {
    return std::array<Run, sizeof...(kRow)>{multiply_strip<kRow + 1, T>...};
  }
  static constexpr auto kAll = cells(std::make_integer_sequence<int, kRowsAtOnce<T>>());
};

template <class T>
void multiply_vector(const sdk::Launch& l, const gemm::Problem& p, const T* a, const T* b, T* c) {
  const Strips<T> strips(p);
  const int64_t rows = gemm::pieces(p.m(), gemm::pieces(p.m(), kRowsAtOnce<T>));
  const int64_t products = std::max<int64_t>(p.k(), 1) * p.m() * std::min(strips.columns, p.n());
  l.parallel_for(p.batches() * strips.count, gemm::pieces(gemm::kVectorProducts, products),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t batch = i / strips.count;
                     const int64_t strip = i % strips.count;
                     for (int64_t row = 0; row < p.m(); row += rows) {
                       const auto here = static_cast<size_t>(std::min(rows, p.m() - row));
                       StripTable<T>::kAll[here - 1](
                           p, a + p.offset(p.a, batch) + row * p.a.row_step,
                           b + p.offset(p.b, batch), c + p.offset(p.c, batch) + row * p.c.row_step,
                           strip * strips.columns, strips.columns_of(strip));
                     }
                   }
                 });
}

// One value of k: a column times a row.
template <class T>
bool is_outer(const gemm::Problem& p) {
  return p.k() == 1 && p.b.column_step == 1 && p.c.column_step == 1;
}

template <class T>
HWY_NOINLINE void outer_rows(const gemm::Problem& p, const T* a, const T* b, T* c, int64_t count) {
  const hn::ScalableTag<T> d;
  const int64_t n = p.n();
  const int64_t whole = n / kLanes<T> * kLanes<T>;
  const auto mask = hn::FirstN(d, static_cast<size_t>(n - whole));
  for (int64_t i = 0; i < count; ++i) {
    const auto x = hn::Set(d, a[i * p.a.row_step]);
    T* to = c + i * p.c.row_step;
    // Not a product: -0 + 0 is +0.
    const auto at = [&](hn::Vec<decltype(d)> v) HWY_ATTR { return hn::MulAdd(x, v, hn::Zero(d)); };
    for (int64_t j = 0; j < whole; j += kLanes<T>) hn::StoreU(at(hn::LoadU(d, b + j)), d, to + j);
    if (whole == n) continue;
    store_first(d, mask, at(load_first(d, mask, b + whole, n - whole)), to + whole, n - whole);
  }
}

template <class T>
void multiply_outer(const sdk::Launch& l, const gemm::Problem& p, const T* a, const T* b, T* c) {
  constexpr int64_t kRowsAtOnce = 64;
  const int64_t blocks = gemm::pieces(p.m(), kRowsAtOnce);
  const int64_t elements = p.n() * std::min(kRowsAtOnce, p.m());
  l.parallel_for(p.batches() * blocks, gemm::pieces(gemm::kVectorProducts, elements),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t batch = i / blocks;
                     const int64_t row = i % blocks * kRowsAtOnce;
                     outer_rows(p, a + p.offset(p.a, batch) + row * p.a.row_step,
                                b + p.offset(p.b, batch),
                                c + p.offset(p.c, batch) + row * p.c.row_step,
                                std::min(kRowsAtOnce, p.m() - row));
                   }
                 });
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
