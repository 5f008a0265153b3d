// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/bits.cc: bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift,
// bitwise_right_shift.
//
// A count below 0 or of the width and more moves every bit out: what is left is 0, or the sign of
// an integer that is moved down. No instruction set moves bytes: even and odd ones apart, as 16
// bits.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bits.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct And {
  template <class V>
  static HWY_INLINE V of(V a, V b) {
    return hn::And(a, b);
  }
};
struct Or {
  template <class V>
  static HWY_INLINE V of(V a, V b) {
    return hn::Or(a, b);
  }
};
struct Xor {
  template <class V>
  static HWY_INLINE V of(V a, V b) {
    return hn::Xor(a, b);
  }
};

template <class F>
struct OfBits {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return F::of(a, b);
  }
};
template <class F>
struct OfTruths {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Ne(F::of(a, b), hn::Zero(hn::DFromV<V>()));
  }
};

// What is left of elements of `width` bits when `count` of them, an unsigned number, are passed.
template <class V>
HWY_INLINE V moved_up(V a, V count, int width) {
  using U = hn::TFromV<V>;
  const hn::DFromV<V> d;
  const V some = a << hn::And(count, hn::Set(d, static_cast<U>(width - 1)));
  return hn::IfThenElseZero(hn::Lt(count, hn::Set(d, static_cast<U>(width))), some);
}
template <class V>
HWY_INLINE V moved_down(V a, V count, int width) {
  using U = hn::TFromV<V>;
  const hn::DFromV<V> d;
  const V some = a >> hn::And(count, hn::Set(d, static_cast<U>(width - 1)));
  return hn::IfThenElseZero(hn::Lt(count, hn::Set(d, static_cast<U>(width))), some);
}
// The same of signed integers `a`, whose sign is left in the end.
template <class V, class U>
HWY_INLINE V signed_moved_down(V a, U count, int width) {
  const hn::DFromV<U> d;
  const U some = hn::Min(count, hn::Set(d, static_cast<hn::TFromV<U>>(width - 1)));
  return a >> hn::BitCast(hn::DFromV<V>(), some);
}

// Bytes as two vectors of 16 bits, each with the byte in its lower half.
template <class V>
struct Halves {
  V even, odd;
};
template <class V>
HWY_INLINE auto halves_of(V bytes) {
  const hn::Repartition<uint16_t, hn::DFromV<V>> d16;
  const auto both = hn::BitCast(d16, bytes);
  return Halves<decltype(both)>{hn::And(both, hn::Set(d16, uint16_t{0xFF})),
                                hn::ShiftRight<8>(both)};
}
template <class D, class V>
HWY_INLINE auto bytes_of_halves(D d, V even, V odd) {
  const auto low = hn::And(even, hn::Set(hn::DFromV<V>(), uint16_t{0xFF}));
  return hn::BitCast(d, hn::Or(low, hn::ShiftLeft<8>(odd)));
}

struct Up {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    const hn::DFromV<V> d;
    if constexpr (sizeof(hn::TFromV<V>) == 1) {
      const auto x = halves_of(a);
      const auto count = halves_of(b);
      return bytes_of_halves(d, moved_up(x.even, count.even, 8), moved_up(x.odd, count.odd, 8));
    } else {
      const hn::RebindToUnsigned<decltype(d)> du;
      constexpr int width = 8 * sizeof(hn::TFromV<V>);
      return hn::BitCast(d, moved_up(hn::BitCast(du, a), hn::BitCast(du, b), width));
    }
  }
};
struct Down {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    const hn::DFromV<V> d;
    if constexpr (std::is_same_v<hn::TFromV<V>, uint8_t>) {
      const auto x = halves_of(a);
      const auto count = halves_of(b);
      return bytes_of_halves(d, moved_down(x.even, count.even, 8), moved_down(x.odd, count.odd, 8));
    } else if constexpr (sizeof(hn::TFromV<V>) == 1) {
      const hn::Repartition<uint16_t, decltype(d)> du;
      const hn::Repartition<int16_t, decltype(d)> di;
      const auto both = hn::BitCast(di, a);
      const auto count = halves_of(b);
      const auto even = signed_moved_down(hn::ShiftRight<8>(hn::ShiftLeft<8>(both)), count.even, 8);
      const auto odd = signed_moved_down(hn::ShiftRight<8>(both), count.odd, 8);
      return bytes_of_halves(d, hn::BitCast(du, even), hn::BitCast(du, odd));
    } else {
      const hn::RebindToUnsigned<decltype(d)> du;
      constexpr int width = 8 * sizeof(hn::TFromV<V>);
      return signed_moved_down(a, hn::BitCast(du, b), width);
    }
  }
};

// Bits are bits whatever the sign.
template <class F>
struct Bitwise {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      if constexpr (std::is_same_v<T, sdk::Bool>) {
        return Elementwise<OfTruths<F>, T, T, T>::launch(call, args, {});
      } else {
        using U = std::make_unsigned_t<T>;
        return Elementwise<OfBits<F>, U, U, U>::launch(call, args, {});
      }
    }
  };
};
template <class F>
struct Shift {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, T, T, T>::launch(call, args, {});
    }
  };
};

template <template <class> class K, class... More>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Types = sdk::TypeList<int64_t, int32_t, uint8_t, int8_t, int16_t, More...>;
  return launch_as<K>(Types(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_dtype bit_dtypes[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                      TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.bitwise_and", kBinarySlots, bit_dtypes, launch<Bitwise<And>::Of, sdk::Bool>),
    elementwise("tenon.bitwise_or", kBinarySlots, bit_dtypes, launch<Bitwise<Or>::Of, sdk::Bool>),
    elementwise("tenon.bitwise_xor", kBinarySlots, bit_dtypes, launch<Bitwise<Xor>::Of, sdk::Bool>),
    elementwise("tenon.bitwise_left_shift", kBinarySlots, sdk::kIntegers, launch<Shift<Up>::Of>),
    elementwise("tenon.bitwise_right_shift", kBinarySlots, sdk::kIntegers, launch<Shift<Down>::Of>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> bits_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(bits) = {.chosen_kernels = TENON_CPU_CHOOSE(bits_kernels)};
#endif
