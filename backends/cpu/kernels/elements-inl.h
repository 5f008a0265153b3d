// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/elements-inl.h: elements in memory as vectors to compute with, and back.
//
// A tag D says how many lanes go at once; an operand whose elements are wider or narrower than D's
// has vectors of as many lanes. 16-bit floats are computed with as f32 and rounded once when they
// are stored, truth values as bytes 0 and 1 (Bool) or as masks (Condition).

#if defined(TENON_CPU_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ELEMENTS_INL_H
#undef TENON_CPU_ELEMENTS_INL_H
#else
#define TENON_CPU_ELEMENTS_INL_H
#endif

#include <hwy/highway.h>

#include "cpu.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A truth value that is read as a mask of D.
struct Condition {
  uint8_t byte;
};

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, sdk::F16> || std::is_same_v<T, sdk::BF16>;
template <class T>
inline constexpr bool is_truth = std::is_same_v<T, sdk::Bool> || std::is_same_v<T, Condition>;

// What lies in memory, as a type of lanes; and what is computed with.
template <class T>
using Bits =
    std::conditional_t<is_16_bit_float<T>, uint16_t, std::conditional_t<is_truth<T>, uint8_t, T>>;
template <class T>
using Number = std::conditional_t<is_16_bit_float<T>, float, Bits<T>>;

template <class T, class D>
using BitsTag = hn::Rebind<Bits<T>, D>;
template <class T, class D>
using NumberTag = hn::Rebind<Number<T>, D>;

// ---- Masks and bytes ----------------------------------------------------------------------------

// A byte 0 or 1 for each lane of `mask`.
template <class D, class M>
HWY_INLINE auto bytes_of([[maybe_unused]] D d, M mask) {
  const hn::Rebind<uint8_t, D> bytes;
  const auto one = hn::Set(bytes, uint8_t{1});
#if HWY_TARGET == HWY_AVX3
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::RebindMask(d, mask), bits);
  return hn::IfThenElseZero(hn::LoadMaskBits(bytes, bits), one);
#else
  const hn::RebindToSigned<D> di;
  const auto wide = hn::VecFromMask(di, hn::RebindMask(di, mask));
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::And(hn::BitCast(bytes, wide), one);
  } else if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const hn::RebindToUnsigned<D> du;
    return hn::And(hn::TruncateTo(bytes, hn::BitCast(du, wide)), one);
  } else {
    const hn::Rebind<int8_t, D> narrow;
    return hn::And(hn::BitCast(bytes, hn::DemoteTo(narrow, wide)), one);
  }
#endif
}

// Lanes of D whose byte is not 0.
template <class D, class V>
HWY_INLINE auto mask_of(D d, V bytes) {
#if HWY_TARGET == HWY_AVX3
  const hn::Rebind<uint8_t, D> d8;
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d8, hn::RebindMask(d8, hn::Ne(bytes, hn::Zero(d8))), bits);
  return hn::LoadMaskBits(d, bits);
#else
  const hn::RebindToUnsigned<D> du;
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::RebindMask(d, hn::Ne(bytes, hn::Zero(du)));
  } else if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const hn::Rebind<uint32_t, D> d32;
    const auto wide = hn::PromoteTo(du, hn::PromoteTo(d32, bytes));
    return hn::RebindMask(d, hn::Ne(wide, hn::Zero(du)));
  } else {
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, bytes), hn::Zero(du)));
  }
#endif
}

// ---- Reading ------------------------------------------------------------------------------------

template <class T, class D, class V>
HWY_INLINE auto decode(D d, V bits) {
  if constexpr (std::is_same_v<T, sdk::F16>) {
    const hn::Rebind<float, D> df;
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(df, hn::BitCast(half, bits));
  } else if constexpr (std::is_same_v<T, sdk::BF16>) {
    const hn::Rebind<float, D> df;
    const hn::Rebind<uint32_t, D> du;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
  } else if constexpr (std::is_same_v<T, sdk::Bool>) {
    return hn::Min(bits, hn::Set(BitsTag<T, D>(), uint8_t{1}));
  } else if constexpr (std::is_same_v<T, Condition>) {
    return mask_of(d, bits);
  } else {
    return bits;
  }
}

// Without a masked load of this lane size a part of a vector goes through the stack: a plain load
// would touch what lies after the operand.
template <class D>
inline constexpr bool has_masks = HWY_TARGET == HWY_AVX3 ||
                                  (HWY_TARGET == HWY_AVX2 && sizeof(hn::TFromD<D>) >= 4 &&
                                   hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 16);

template <class T, class D>
HWY_INLINE auto load(D d, const char* from) {
  const BitsTag<T, D> bits;
  return decode<T>(d, hn::LoadU(bits, reinterpret_cast<const Bits<T>*>(from)));
}

// The first `count` lanes, fewer than D has; the others hold anything.
template <class T, class D>
HWY_INLINE auto load_first(D d, const char* from, size_t count) {
  const BitsTag<T, D> bits;
  if constexpr (has_masks<decltype(bits)>) {
    const auto* lanes = reinterpret_cast<const Bits<T>*>(from);
    return decode<T>(d, hn::MaskedLoad(hn::FirstN(bits, count), bits, lanes));
  } else {
    HWY_ALIGN Bits<T> room[hn::MaxLanes(bits)] = {};
    std::memcpy(room, from, count * sizeof(T));
    return decode<T>(d, hn::Load(bits, room));
  }
}

// The element at `from` in every lane.
template <class T, class D>
HWY_INLINE auto load_same(D d, const char* from) {
  return decode<T>(d, hn::Set(BitsTag<T, D>(), sdk::load<Bits<T>>(from)));
}

// ---- Writing ------------------------------------------------------------------------------------

// To nearest, ties to even; a NaN becomes the quiet NaN of its sign.
template <class D, class V>
HWY_INLINE auto bf16_bits(D, V value) {
  const hn::Rebind<uint32_t, D> du;
  const hn::Rebind<int32_t, D> di;
  const hn::Rebind<uint16_t, D> half;
  const auto wide = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<16>(wide), hn::Set(du, 1u));
  const auto rounded = hn::Add(wide, hn::Add(odd, hn::Set(du, 0x7FFFu)));
  const auto sign = hn::And(wide, hn::Set(du, 0x80000000u));
  const auto quiet = hn::Or(sign, hn::Set(du, 0x7FC00000u));
  const auto nan = hn::RebindMask(du, hn::IsNaN(value));
  const auto upper = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
  return hn::DemoteTo(half, hn::BitCast(di, upper));
}

// `value` is a vector of NumberTag<T, D>, or a mask of D for Bool.
template <class T, class D, class V>
HWY_INLINE auto encode(D d, V value) {
  if constexpr (std::is_same_v<T, sdk::F16>) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::BitCast(BitsTag<T, D>(), hn::DemoteTo(half, value));
  } else if constexpr (std::is_same_v<T, sdk::BF16>) {
    return bf16_bits(d, value);
  } else if constexpr (std::is_same_v<T, sdk::Bool>) {
    return bytes_of(d, value);
  } else {
    return value;
  }
}

template <class T, class D, class V>
HWY_INLINE void store(D d, V value, char* to) {
  hn::StoreU(encode<T>(d, value), BitsTag<T, D>(), reinterpret_cast<Bits<T>*>(to));
}

// Past the caches. `to` is aligned to a vector.
template <class T, class D, class V>
HWY_INLINE void stream(D d, V value, char* to) {
  hn::Stream(encode<T>(d, value), BitsTag<T, D>(), reinterpret_cast<Bits<T>*>(to));
}

template <class T, class D, class V>
HWY_INLINE void store_first(D d, V value, char* to, size_t count) {
  const BitsTag<T, D> bits;
  if constexpr (has_masks<decltype(bits)>) {
    auto* lanes = reinterpret_cast<Bits<T>*>(to);
    hn::BlendedStore(encode<T>(d, value), hn::FirstN(bits, count), bits, lanes);
  } else {
    HWY_ALIGN Bits<T> room[hn::MaxLanes(bits)];
    hn::Store(encode<T>(d, value), bits, room);
    std::memcpy(to, room, count * sizeof(T));
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_ELEMENTS_INL_H
