// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/multiply-inl.h: products of matrices within one thread.
//
// For each k, ascending, every element is fused onto its accumulator (gemm/micro-kernel-inl.h), so
// the bits do not depend on how products are cut.

#if defined(TENON_CPU_ATTENTION_MULTIPLY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ATTENTION_MULTIPLY_INL_H
#undef TENON_CPU_ATTENTION_MULTIPLY_INL_H
#else
#define TENON_CPU_ATTENTION_MULTIPLY_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"
#include "gemm/plan.h"
#include "gemm/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace attention {

// c[i,j] = sum over k of a[i,k] b[k,j], on top of what c holds if the product goes on. Steps are in
// elements; rows of b and c are packed. Panels of b are its columns, kTileColumns at a time.
template <class C>
struct Product {
  Along along;  // how a lies
  const C* a;
  int64_t a_step;  // between rows of a that are packed along k, else between values of k
  const C* b;
  int64_t b_step;
  int64_t panel_step;
  C* c;
  int64_t c_step;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  bool goes_on;
};

// The tiles below each other in one panel.
template <class C>
HWY_INLINE void multiply_panel(const Product<C>& p, Tile<C> t, int64_t columns) {
  const int64_t blocks = gemm::pieces(p.rows, kTileRows);
  const int64_t vectors = gemm::pieces(columns, kLanes<C>);
  const int64_t short_rows = p.rows / blocks;
  const int64_t long_blocks = p.rows % blocks;
  t.last = columns - (vectors - 1) * kLanes<C>;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t rows = short_rows + (block < long_blocks ? 1 : 0);
    t.next = block + 1 < blocks ? t.c + rows * t.c_step : t.c;
    TileTable<C, Store>::at(p.along, rows, vectors, t.last == kLanes<C>)(t, Store());
    t.a += rows * (p.along == Along::kDepth ? p.a_step : 1);
    t.c += rows * t.c_step;
  }
}

// Values of k of a panel that stay in the first cache while all rows are computed.
inline constexpr int64_t kDepthBlock = 256;

template <class C>
HWY_NOINLINE void multiply(const Product<C>& p) {
  if (p.rows == 0) return;
  for (int64_t k = 0; k == 0 || k < p.depth; k += kDepthBlock) {
    Tile<C> t{};
    t.a = p.a + k * (p.along == Along::kDepth ? 1 : p.a_step);
    t.a_step = p.a_step;
    t.b_step = p.b_step;
    t.c_step = p.c_step;
    t.depth = std::min(kDepthBlock, p.depth - k);
    t.goes_on = p.goes_on || k > 0;
    for (int64_t column = 0; column < p.columns; column += kTileColumns<C>) {
      t.b = p.b + column / kTileColumns<C> * p.panel_step + k * p.b_step;
      t.c = p.c + column;
      multiply_panel(p, t, std::min(kTileColumns<C>, p.columns - column));
    }
  }
}

// The same of few rows whose b is packed along k, its columns `b_step` apart: every element of b is
// read from memory once. Sums go to `c`, rows `c_step` apart.
template <int kRows, class C>
HWY_NOINLINE void multiply_few(const C* a, int64_t a_step, const C* b, int64_t b_step,
                               int64_t depth, int64_t columns, C* c, int64_t c_step) {
  HWY_ALIGN C sums[kRows][kStrip];
  for (int64_t column = 0; column < columns; column += kStrip) {
    const int64_t count = std::min(kStrip, columns - column);
    const Strip<C> s{a, a_step, 1, b + column * b_step, b_step, depth, count, &sums[0][0]};
    if (count >= kLanes<C>) {
      sum_all_columns<kRows>(s);
      for (int r = 0; r < kRows; ++r) std::copy_n(sums[r], count, c + r * c_step + column);
      continue;
    }
    for (int r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < count; ++j) {
        C sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum = std::fma(a[r * a_step + k], s.b[j * b_step + k], sum);
        }
        c[r * c_step + column + j] = sum;
      }
    }
  }
}

}  // namespace attention
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
