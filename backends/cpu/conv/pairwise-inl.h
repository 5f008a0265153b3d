// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/pairwise-inl.h: pairwise sums of arrays that come one after the other: 0 + 1,
// 2 + 3, ..., then pairs of those; an odd one goes up as it is.
//
// As a binary counter: level l holds the sum of 2^l arrays where bit l of their number is set.
// Arrays are whole vectors.

#if defined(TENON_CPU_CONV_PAIRWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_PAIRWISE_INL_H
#undef TENON_CPU_CONV_PAIRWISE_INL_H
#else
#define TENON_CPU_CONV_PAIRWISE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gemm/micro-kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void add_array(const T* earlier, T* sums, int64_t count) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    hn::StoreU(hn::Add(hn::LoadU(d, earlier + i), hn::LoadU(d, sums + i)), d, sums + i);
  }
}

// Adds array `number`, which is `sums` and changes; `level(l)` is where level l lies.
template <class T, class Level>
void add_to_pairs(int64_t number, const Level& level, T* sums, int64_t count) {
  int l = 0;
  for (; number >> l & 1; ++l) add_array<T>(level(l), sums, count);
  std::copy_n(sums, count, level(l));
}

// The sum of all `number` arrays, in level 0, which is `sums`.
template <class T, class Level>
void add_rest(int64_t number, const Level& level, T* sums, int64_t count) {
  if (number == 0) {
    std::fill_n(sums, count, T(0));
    return;
  }
  int l = std::countr_zero(static_cast<uint64_t>(number));
  if (l > 0) std::copy_n(level(l), count, sums);
  for (++l; number >> l != 0; ++l) {
    if (number >> l & 1) add_array<T>(level(l), sums, count);
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
