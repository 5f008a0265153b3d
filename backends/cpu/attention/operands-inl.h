// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/operands-inl.h: q, k, v and dy as rows of packed numbers, and keys or
// values packed for the products' tiles.
//
// Rows of f32 and f64 whose last dimension is packed are read in place; others are copied, which
// widens f16 and bf16.

#if defined(TENON_CPU_ATTENTION_OPERANDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ATTENTION_OPERANDS_INL_H
#undef TENON_CPU_ATTENTION_OPERANDS_INL_H
#else
#define TENON_CPU_ATTENTION_OPERANDS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/call.h"
#include "gemm/pack-inl.h"
#include "kernels/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace attention {

using cpu::attention::Block;
using cpu::attention::Blocks;
using cpu::attention::Call;

// [batch, heads, rows, columns] with packed columns. Steps are in elements.
template <class C>
struct Rows {
  const C* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;
  int64_t heads = 0, rows = 0, columns = 0;

  const C* at(int64_t b, int64_t h, int64_t i) const {
    return data + b * batch + h * head + i * row;
  }
};

template <class T>
bool is_in_place(const tenon_view& view) {
  return rows::is_stored_as_number<T> && (view.strides[3] == 1 || view.shape[3] <= 1);
}

// Elements of scratch for the copy.
template <class T>
int64_t copied(const tenon_view& view) {
  return is_in_place<T>(view) ? 0 : gemm::round_up(sdk::count_of(sdk::shape_of(view)), 16);
}

// Takes what copied() says from `scratch`.
template <class T, class C = Number<T>>
Rows<C> rows_of(const sdk::Launch& l, uint32_t slot, C*& scratch) {
  const tenon_view& view = l.view(slot);
  Rows<C> r;
  r.heads = view.shape[1];
  r.rows = view.shape[2];
  r.columns = view.shape[3];
  if constexpr (rows::is_stored_as_number<T>) {
    if (is_in_place<T>(view)) {
      r.data = l.data<const C>(slot);
      r.batch = view.strides[0];
      r.head = view.strides[1];
      r.row = view.strides[2];
      return r;
    }
  }
  constexpr int64_t kElements = 1 << 14;  // worth handing to another thread
  const sdk::Strided from = sdk::strided(view);
  C* const to = scratch;
  scratch += copied<T>(view);
  l.parallel_for(view.shape[0] * r.heads * r.rows, gemm::pieces(kElements, r.columns + 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const char* row = from.data + i / r.rows / r.heads * from.step[0] +
                                       i / r.rows % r.heads * from.step[1] +
                                       i % r.rows * from.step[2];
                     C* const place = to + i * r.columns;
                     const C* numbers = rows::get_numbers<T>(row, from.step[3], r.columns, place);
                     if (numbers != place) std::copy_n(numbers, r.columns, place);
                   }
                 });
  r.data = to;
  r.row = r.columns;
  r.head = r.rows * r.row;
  r.batch = r.heads * r.head;
  return r;
}

// Is 0 times each of these numbers 0?
template <class C>
HWY_INLINE bool is_finite(const C* x, int64_t count) {
  const hn::ScalableTag<C> d;
  auto sum = hn::Zero(d);
  for (int64_t i = 0; i < count; i += kLanes<C>) {
    sum = hn::MulAdd(rows::load_first(d, x + i, count - i), hn::Zero(d), sum);
  }
  return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

template <class C>
bool are_finite(const Rows<C>& rows, int64_t b, int64_t h, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    if (!is_finite(rows.at(b, h, i), rows.columns)) return false;
  }
  return true;
}

// Rows of every head as columns of panels, kTileColumns beside each other: [columns][kTileColumns].
template <class C>
struct Panels {
  const C* data;
  int64_t head;  // from the panels of one head of a sequence to those of the next
  int64_t panel;

  const C* of(int64_t problem) const { return data + problem * head; }
};

template <class C>
int64_t panel_elements(int64_t problems, int64_t rows, int64_t columns) {
  return problems * gemm::round_up(rows, kTileColumns<C>) * columns;
}

template <class C>
Panels<C> pack_rows(const sdk::Launch& l, const Rows<C>& r, int64_t problems, C*& scratch) {
  constexpr int64_t kElements = 1 << 14;
  const int64_t panels = gemm::pieces(r.rows, kTileColumns<C>);
  Panels<C> p{scratch, panels * kTileColumns<C> * r.columns, kTileColumns<C> * r.columns};
  C* const to = scratch;
  scratch += problems * p.head;
  l.parallel_for(problems * panels, gemm::pieces(kElements, p.panel + 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t first = i % panels * kTileColumns<C>;
                     const int64_t problem = i / panels;
                     const C* from = r.at(problem / r.heads, problem % r.heads, first);
                     pack(Lines<C>{from, r.row, 1, std::min(kTileColumns<C>, r.rows - first)},
                          r.columns, to + i * p.panel, kTileColumns<C>);
                   }
                 });
  return p;
}

}  // namespace attention
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
