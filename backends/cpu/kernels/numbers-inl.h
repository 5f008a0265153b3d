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

#include "kernels/geometry.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f32 for 16-bit floats, bytes 0 and 1 for truth values, else the type itself.
template <class T>
using Number = std::conditional_t<sdk::is_float_type<T>, sdk::Compute<T>,
                                  std::conditional_t<std::is_same_v<T, sdk::Bool>, uint8_t, T>>;

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

HWY_INLINE void widen(const sdk::F16* from, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const hwy::float16_t*>(from);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, bits + i)), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[i];
}

HWY_INLINE void widen(const sdk::BF16* from, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const uint16_t*>(from);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(half, bits + i)));
    hn::StoreU(hn::BitCast(d, wide), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[i];
}

HWY_INLINE void widen(const sdk::Bool* from, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] ? 1 : 0;
}

HWY_INLINE void round_to(const float* from, int64_t count, sdk::F16* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* bits = reinterpret_cast<hwy::float16_t*>(to);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, from + i)), half, bits + i);
  }
  for (; i < count; ++i) to[i] = sdk::narrow<sdk::F16>(from[i]);
}

// To nearest, ties to even; a NaN stays one.
HWY_INLINE void round_to(const float* from, int64_t count, sdk::BF16* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* bits = reinterpret_cast<uint16_t*>(to);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, from + i);
    const auto wide = hn::BitCast(du, value);
    const auto odd = hn::And(hn::ShiftRight<16>(wide), hn::Set(du, 1));
    const auto rounded = hn::Add(wide, hn::Add(odd, hn::Set(du, 0x7FFF)));
    const auto quiet = hn::Or(wide, hn::Set(du, 0x400000));
    const auto nan = hn::RebindMask(du, hn::IsNaN(value));
    const auto upper = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(hn::RebindToSigned<decltype(du)>(), upper)), half,
               bits + i);
  }
  for (; i < count; ++i) to[i] = sdk::narrow<sdk::BF16>(from[i]);
}

HWY_INLINE void round_to(const uint8_t* from, int64_t count, sdk::Bool* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = sdk::Bool(from[i] != 0);
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
    widen(reinterpret_cast<const T*>(from), count, room);
  } else {
    T piece[64];
    for (int64_t begin = 0; begin < count; begin += 64) {
      const int64_t n = std::min<int64_t>(64, count - begin);
      for (int64_t i = 0; i < n; ++i) piece[i] = sdk::load<T>(from + (begin + i) * step);
      widen(piece, n, room + begin);
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
    round_to(from, count, reinterpret_cast<T*>(to));
  } else {
    T piece[64];
    for (int64_t begin = 0; begin < count; begin += 64) {
      const int64_t n = std::min<int64_t>(64, count - begin);
      round_to(from + begin, n, piece);
      for (int64_t i = 0; i < n; ++i) sdk::store(to + (begin + i) * step, piece[i]);
    }
  }
}

// A number that is a result, stored as a T.
template <class T>
HWY_INLINE void put_number(char* to, Number<T> value) {
  if constexpr (is_stored_as_number<T>) {
    sdk::store(to, value);
  } else {
    round_to(&value, 1, reinterpret_cast<T*>(to));
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_NUMBERS_INL_H
