// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/abreast-inl.h: lines that are not packed, but whose neighbours lie next to
// them: a vector holds the same element of many lines, so that nothing is gathered and no vector is
// folded. Sums have the order of lanes-inl.h.

#if defined(TENON_CPU_ABREAST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ABREAST_INL_H
#undef TENON_CPU_ABREAST_INL_H
#else
#define TENON_CPU_ABREAST_INL_H
#endif

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {

// Element k of K vectors of lines stored as T. Without kWhole there is one vector, which `lines`
// does not fill.
template <class T, size_t K, bool kWhole>
struct Abreast {
  using C = Number<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static_assert(kWhole || K == 1);
  static constexpr size_t kVectors = K;

  char* data;
  int64_t step;  // bytes from one element of a line to the next
  int64_t lines;

  HWY_INLINE char* at(int64_t k, size_t j) const {
    return data + k * step + static_cast<int64_t>(j * hn::Lanes(D()) * sizeof(T));
  }
  HWY_INLINE V get(int64_t k, size_t j) const {
    if constexpr (kWhole) return load<T>(D(), at(k, j));
    return cpu::HWY_NAMESPACE::load_first<T>(D(), at(k, j), static_cast<size_t>(lines));
  }
  HWY_INLINE void put(int64_t k, size_t j, V value) const {
    if constexpr (kWhole) {
      store<T>(D(), value, at(k, j));
    } else {
      store_first<T>(D(), value, at(k, j), static_cast<size_t>(lines));
    }
  }
};

// Calls body(lines, first) for pieces of `count` neighbouring lines.
template <class T, class Body>
HWY_INLINE void for_each_abreast(char* data, int64_t step, int64_t count, const Body& body) {
  constexpr size_t kAtOnce = 4;
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<Number<T>>()));
  const auto from = [&](int64_t first) { return data + first * int64_t{sizeof(T)}; };
  const int64_t many = lanes * int64_t{kAtOnce};
  int64_t i = 0;
  for (; i + many <= count; i += many) body(Abreast<T, kAtOnce, true>{from(i), step, many}, i);
  for (; i + lanes <= count; i += lanes) body(Abreast<T, 1, true>{from(i), step, lanes}, i);
  if (i < count) body(Abreast<T, 1, false>{from(i), step, count - i}, i);
}

// The sums of value(k, j), vector j of K for element k, over k from 0 to n - 1; at most kLaneBlock.
template <class C, size_t K, class Value>
HWY_INLINE void sum_abreast(int64_t n, const Value& value, hn::Vec<hn::ScalableTag<C>> (&sums)[K]) {
  const hn::ScalableTag<C> d;
  HWY_ALIGN C room[kLanes][K * hn::MaxLanes(d)];
  int64_t used = std::min(n, kLanes);
  for (int64_t lane = 0; lane < used; ++lane) {
    hn::Vec<decltype(d)> sum[K];
    for (size_t j = 0; j < K; ++j) sum[j] = hn::Zero(d);
    for (int64_t k = lane; k < n; k += kLanes) {
      for (size_t j = 0; j < K; ++j) sum[j] = hn::Add(sum[j], value(k, j));
    }
    for (size_t j = 0; j < K; ++j) hn::Store(sum[j], d, room[lane] + j * hn::Lanes(d));
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane + half < used; ++lane) {
      for (size_t j = 0; j < K; ++j) {
        C* const sum = room[lane] + j * hn::Lanes(d);
        const auto upper = hn::Load(d, room[lane + half] + j * hn::Lanes(d));
        hn::Store(hn::Add(hn::Load(d, sum), upper), d, sum);
      }
    }
    used = std::min(used, half);
  }
  for (size_t j = 0; j < K; ++j) {
    sums[j] = n > 0 ? hn::Load(d, room[0] + j * hn::Lanes(d)) : hn::Zero(d);
  }
}

}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_ABREAST_INL_H
