// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/lanes-inl.h: products of few elements and long sums, by 64 virtual lanes.
//
// Lane l sums k = l, l + 64, l + 128, ... in that order, each product fused onto the lane; then
// lane l + 32 is added to lane l, then l + 16, l + 8, l + 4, l + 2 and l + 1. However many lanes a
// register has, these are the same additions.

#if defined(TENON_CPU_GEMM_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_LANES_INL_H
#undef TENON_CPU_GEMM_LANES_INL_H
#else
#define TENON_CPU_GEMM_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"
#include "gemm/problem.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int64_t kSums = 64;
inline constexpr int64_t kFewElements = 16;   // below which a result is computed by lanes
inline constexpr int64_t kGathered = 4 * 64;  // values of k of one row or column, made packed

// sums[l] continues with `count` further products, the first of them in lane 0.
template <class T>
HWY_NOINLINE void add_products(const T* a, const T* b, int64_t count, T* sums) {
  const hn::ScalableTag<T> d;
  constexpr int64_t registers = kSums / kLanes<T>;
  hn::Vec<decltype(d)> lanes[registers];
#pragma GCC unroll 32
  for (int64_t r = 0; r < registers; ++r) lanes[r] = hn::Load(d, sums + r * kLanes<T>);
  for (; count >= kSums; count -= kSums) {
#pragma GCC unroll 32
    for (int64_t r = 0; r < registers; ++r) {
      lanes[r] =
          hn::MulAdd(hn::LoadU(d, a + r * kLanes<T>), hn::LoadU(d, b + r * kLanes<T>), lanes[r]);
    }
    a += kSums;
    b += kSums;
  }
#pragma GCC unroll 32
  for (int64_t r = 0; r < registers; ++r) {
    hn::Store(lanes[r], d, sums + r * kLanes<T>);
  }
  for (int64_t l = 0; l < count; l += kLanes<T>) {
    const int64_t here = std::min(kLanes<T>, count - l);
    const auto mask = hn::FirstN(d, static_cast<size_t>(here));
    const auto sum = hn::Load(d, sums + l);
    const auto more =
        hn::MulAdd(load_first(d, mask, a + l, here), load_first(d, mask, b + l, here), sum);
    // A lane without a product stays as it is: -0 + 0 would be +0.
    hn::Store(hn::IfThenElse(mask, more, sum), d, sums + l);
  }
}

template <class D>
HWY_INLINE hn::TFromD<D> sum_of_halves(D /*d*/, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return sum_of_halves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

template <class T>
HWY_INLINE T sum_of_lanes(T* sums) {
  const hn::ScalableTag<T> d;
  for (int64_t width = kSums / 2; width >= kLanes<T>; width /= 2) {
    for (int64_t l = 0; l < width; l += kLanes<T>) {
      hn::Store(hn::Add(hn::Load(d, sums + l), hn::Load(d, sums + l + width)), d, sums + l);
    }
  }
  return sum_of_halves(d, hn::Load(d, sums));
}

// `count` values of one row or column, packed: where they lie, if they are, else in `room`.
template <class T>
const T* gathered(const T* from, int64_t step, int64_t count, T* room) {
  if (step == 1 || count == 1) return from;
  for (int64_t k = 0; k < count; ++k) room[k] = from[k * step];
  return room;
}

// One matrix of the result, of fewer than kFewElements elements.
template <class T>
void multiply_by_lanes(const gemm::Problem& p, const T* a, const T* b, T* c) {
  HWY_ALIGN T sums[kFewElements - 1][kSums];
  std::fill_n(&sums[0][0], p.m() * p.n() * kSums, T(0));
  T room[kFewElements][kGathered];
  const bool packed = p.a.column_step == 1 && p.b.row_step == 1;
  const int64_t block = packed ? std::max<int64_t>(p.k(), 1) : kGathered;
  for (int64_t k = 0; k < p.k(); k += block) {
    const int64_t count = std::min(block, p.k() - k);
    const T* columns[kFewElements];
    for (int64_t j = 0; j < p.n(); ++j) {
      columns[j] =
          gathered(b + k * p.b.row_step + j * p.b.column_step, p.b.row_step, count, room[1 + j]);
    }
    for (int64_t i = 0; i < p.m(); ++i) {
      const T* row =
          gathered(a + i * p.a.row_step + k * p.a.column_step, p.a.column_step, count, room[0]);
      for (int64_t j = 0; j < p.n(); ++j) add_products(row, columns[j], count, sums[i * p.n() + j]);
    }
  }
  for (int64_t i = 0; i < p.m(); ++i) {
    for (int64_t j = 0; j < p.n(); ++j) {
      c[i * p.c.row_step + j * p.c.column_step] = sum_of_lanes(sums[i * p.n() + j]);
    }
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
