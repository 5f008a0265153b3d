// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/numbers-inl.h: elements along a line as packed numbers to compute with, so
// that a kernel is written once for packed f32, f64 or integers and serves every layout and the
// 16-bit floats as well.

#if defined(TENON_CPU_NUMBERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_NUMBERS_INL_H
#undef TENON_CPU_NUMBERS_INL_H
#else
#define TENON_CPU_NUMBERS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/elements-inl.h"
#include "kernels/geometry.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace rows {

template <class T>
inline constexpr bool is_stored_as_number = std::is_same_v<T, Number<T>>;

// Elements that kernels convert at once, through memory on the stack.
inline constexpr int64_t kTile = 1024;

// Elements 0 to n - 1 at p, others 0. n may exceed the vector.
template <class D, class C = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const C* p, int64_t n) {
  if constexpr (sizeof(C) >= 4) {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, p);
  } else {  // masked loads of small elements may read the whole vector
    HWY_ALIGN C copy[hn::MaxLanes(D())] = {};
    const int64_t lanes = std::min(n, static_cast<int64_t>(hn::Lanes(d)));
    for (int64_t i = 0; i < lanes; ++i) copy[i] = p[i];
    return hn::Load(d, copy);
  }
}

// Packed elements to packed numbers.
template <class T>
HWY_INLINE void widen(const char* from, int64_t count, Number<T>* to) {
  const hn::ScalableTag<Number<T>> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto address = [&](int64_t i) { return from + i * int64_t{sizeof(T)}; };
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load<T>(d, address(i)), d, to + i);
  for (; i < count; ++i) to[i] = sdk::load<T>(address(i));
}

// Packed numbers to packed elements, rounded.
template <class T>
HWY_INLINE void narrow(const Number<T>* from, int64_t count, char* to) {
  const auto address = [&](int64_t i) { return to + i * int64_t{sizeof(T)}; };
  int64_t i = 0;
  if constexpr (is_16_bit_float<T>) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i + lanes <= count; i += lanes) store<T>(d, hn::LoadU(d, from + i), address(i));
  }
  for (; i < count; ++i) sdk::store(address(i), sdk::narrow<T>(from[i]));
}

// `count` elements, `step` bytes apart, as packed numbers: where they lie if they do so already,
// else in `room`, which must then hold them.
template <class T>
const Number<T>* get_numbers(const char* from, int64_t step, int64_t count, Number<T>* room) {
  const bool packed = step == int64_t{sizeof(T)} || count == 1;
  if constexpr (is_stored_as_number<T>) {
    if (packed) return reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < count; ++i) room[i] = sdk::load<T>(from + i * step);
  } else if (packed) {
    widen<T>(from, count, room);
  } else {
    T piece[64];
    for (int64_t begin = 0; begin < count; begin += 64) {
      const int64_t n = std::min<int64_t>(64, count - begin);
      for (int64_t i = 0; i < n; ++i) piece[i] = sdk::load<T>(from + (begin + i) * step);
      widen<T>(reinterpret_cast<const char*>(piece), n, room + begin);
    }
  }
  return room;
}

// Where a kernel best writes the numbers that put_numbers then brings to `to`: there or in `room`.
template <class T>
Number<T>* place_numbers(char* to, int64_t step, int64_t count, Number<T>* room) {
  if constexpr (is_stored_as_number<T>) {
    if (step == int64_t{sizeof(T)} || count == 1) return reinterpret_cast<T*>(to);
  }
  return room;
}

template <class T>
void put_numbers(const Number<T>* from, int64_t count, char* to, int64_t step) {
  const bool packed = step == int64_t{sizeof(T)} || count == 1;
  if constexpr (is_stored_as_number<T>) {
    if (!packed) {
      for (int64_t i = 0; i < count; ++i) sdk::store(to + i * step, from[i]);
    } else if (reinterpret_cast<const char*>(from) != to) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    }
  } else if (packed) {
    narrow<T>(from, count, to);
  } else {
    T piece[64];
    for (int64_t begin = 0; begin < count; begin += 64) {
      const int64_t n = std::min<int64_t>(64, count - begin);
      narrow<T>(from + begin, n, reinterpret_cast<char*>(piece));
      for (int64_t i = 0; i < n; ++i) sdk::store(to + (begin + i) * step, piece[i]);
    }
  }
}

// A number that is a result, stored as a T.
template <class T>
HWY_INLINE void put_number(char* to, Number<T> value) {
  sdk::store(to, sdk::narrow<T>(value));
}

}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_NUMBERS_INL_H
