// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/floor_divide.cc: floor_divide and remainder of floats.
//
// q = a / b rounded is an integer or has the floor of the exact quotient; a whole q may lie
// above it, which the sign of a - q b says: that difference is exact. From 2^p on all q are whole,
// and the remainder is C's fmod, which is exact.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/floor_divide.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 2^p.
template <class C>
constexpr C kWhole = sizeof(C) == 4 ? C(0x1p24) : C(0x1p53);

// floor(q) and a - floor(q) b; `above`: the floor lies above the exact quotient.
template <class V, class M>
struct Division {
  V quotient, down, rest;
  M above;
};
template <class V>
HWY_INLINE auto divide(V a, V b) {
  const hn::DFromV<V> d;
  const V zero = hn::Zero(d);
  const V quotient = hn::Div(a, b);
  const V down = hn::Floor(quotient);
  // Of a quotient that vanished a itself, even if b is infinite.
  const V rest = hn::IfThenElse(hn::Eq(down, zero), a, hn::NegMulAdd(down, b, a));
  const V signed_rest = hn::Xor(rest, hn::And(b, hn::SignBit(d)));
  const auto above = hn::Lt(signed_rest, zero);
  return Division<V, decltype(above)>{quotient, down, rest, above};
}

struct Quotient {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    using C = hn::TFromV<V>;
    const hn::DFromV<V> d;
    const auto division = divide(a, b);
    const V down = division.down;
    const auto whole = hn::Le(hn::Abs(down), hn::Set(d, kWhole<C>));
    const V less = hn::Sub(down, hn::Set(d, C(1)));
    const V y = hn::IfThenElse(hn::And(division.above, whole), less, down);
    const auto endless = hn::Eq(hn::Abs(a), hn::Set(d, std::numeric_limits<C>::infinity()));
    return hn::IfThenElse(hn::And(endless, hn::Ne(b, hn::Zero(d))), hn::NaN(d), y);
  }
};

template <class C>
C long_rest(C a, C b) {
  const C rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(C(0), b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

// Lanes whose quotient has more digits than the type get their remainder one by one.
template <class V>
HWY_NOINLINE V with_long_rests(V a, V b, V rest) {
  using C = hn::TFromV<V>;
  const hn::DFromV<V> d;
  HWY_ALIGN C as[hn::MaxLanes(d)];
  HWY_ALIGN C bs[hn::MaxLanes(d)];
  HWY_ALIGN C rests[hn::MaxLanes(d)];
  hn::Store(a, d, as);
  hn::Store(b, d, bs);
  hn::Store(rest, d, rests);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::abs(as[i] / bs[i]) >= kWhole<C>) rests[i] = long_rest(as[i], bs[i]);
  }
  return hn::Load(d, rests);
}

struct Rest {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    using C = hn::TFromV<V>;
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    const auto division = divide(a, b);
    const V rest = division.rest;
    const V moved = hn::IfThenElse(division.above, hn::Add(rest, b), rest);
    const V y = hn::IfThenElse(hn::Eq(moved, zero), hn::CopySign(zero, b), moved);
    const auto is_long = hn::Ge(hn::Abs(division.quotient), hn::Set(d, kWhole<C>));
    return HWY_LIKELY(hn::AllFalse(d, is_long)) ? y : with_long_rests(a, b, y);
  }
};

template <class F>
struct Divide {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, T, T, T>::launch(call, args, {});
    }
  };
};

template <class F>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
  return launch_as<Divide<F>::template Of>(Floats(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.floor_divide", kBinarySlots, sdk::kFloats, launch<Quotient>),
    elementwise("tenon.remainder", kBinarySlots, sdk::kFloats, launch<Rest>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> floor_divide_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(floor_divide) = {.chosen_kernels = TENON_CPU_CHOOSE(floor_divide_kernels)};
#endif
