// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/lerp.cc: lerp: x + w (y - x), or y - (y - x) (1 - w) from |w| = 1/2 on; and
// fma, a b + c rounded once.
//
// Of 16-bit floats the product is exact in f64; the sum is rounded there to odd and then to odd in
// f32, which leaves the last rounding all it needs. Source: S. Boldo, G. Melquiond, "Emulation of
// FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lerp.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Lerp {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y, V w) const {
    using C = hn::TFromV<V>;
    const hn::DFromV<V> d;
    const V way = hn::Sub(y, x);
    const V from_x = hn::Add(x, hn::Mul(w, way));
    const V from_y = hn::Sub(y, hn::Mul(way, hn::Sub(hn::Set(d, C(1)), w)));
    return hn::IfThenElse(hn::Lt(hn::Abs(w), hn::Set(d, C(0.5))), from_x, from_y);
  }
};
struct Fma {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V c) const {
    return hn::MulAdd(a, b, c);
  }
};

// 1 if `of` has a number above 0, -1 below, 0 if it is 0 or NaN; below and above change
// places where `sign` is negative.
template <class V>
HWY_INLINE auto direction(V of, V sign) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto other = hn::Or(hn::Lt(of, hn::Zero(d)), hn::Gt(of, hn::Zero(d)));
  const auto against = hn::BroadcastSignBit(hn::BitCast(di, hn::Xor(of, sign)));
  return hn::IfThenElseZero(hn::RebindMask(di, other), hn::Or(against, hn::Set(di, 1)));
}
// The neighbour of an even `rounded`, in the direction `step`, away from 0 if that is 1.
template <class V, class I>
HWY_INLINE V to_odd(V rounded, I step) {
  const hn::DFromV<I> di;
  const I bits = hn::BitCast(di, rounded);
  const auto even = hn::Eq(hn::And(bits, hn::Set(di, 1)), hn::Zero(di));
  return hn::BitCast(hn::DFromV<V>(), hn::Add(bits, hn::IfThenElseZero(even, step)));
}

struct NarrowFma {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V c) const {
    const hn::DFromV<V> d;
    const hn::Half<decltype(d)> half;
    const auto low = by_f64(hn::LowerHalf(half, a), hn::LowerHalf(half, b), hn::LowerHalf(half, c));
    const auto high =
        by_f64(hn::UpperHalf(half, a), hn::UpperHalf(half, b), hn::UpperHalf(half, c));
    return hn::Combine(d, high, low);
  }

 private:
  // As an f32 rounded to odd.
  template <class V>
  static HWY_INLINE V by_f64(V a, V b, V c) {
    const hn::DFromV<V> d;
    const hn::Rebind<double, decltype(d)> wide;
    const hn::Rebind<uint64_t, decltype(d)> wide_bits;
    const hn::Rebind<uint32_t, decltype(d)> du;
    const hn::Rebind<int32_t, decltype(d)> di;
    const auto product = hn::Mul(hn::PromoteTo(wide, a), hn::PromoteTo(wide, b));
    const auto more = hn::PromoteTo(wide, c);
    const auto rounded = hn::Add(product, more);
    // What rounding lost (D. Knuth, "The Art of Computer Programming", 4.2.2).
    const auto part = hn::Sub(rounded, product);
    const auto lost = hn::Add(hn::Sub(product, hn::Sub(rounded, part)), hn::Sub(more, part));
    const auto sum = to_odd(rounded, direction(lost, rounded));
    const V y = hn::DemoteTo(d, sum);
    const auto rest = hn::Sub(sum, hn::PromoteTo(wide, y));
    const auto step = hn::BitCast(wide_bits, direction(rest, sum));
    return to_odd(y, hn::BitCast(di, hn::TruncateTo(du, step)));
  }
};

template <class F>
struct Ternary {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, T, T, T, T>::launch(call, args, {});
    }
  };
};

template <class T>
struct FmaOf {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    using F = std::conditional_t<is_16_bit_float<T>, NarrowFma, Fma>;
    return Ternary<F>::template Of<T>::launch(call, args);
  }
};

template <template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
  return launch_as<K>(Floats(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.lerp", kTernarySlots, sdk::kFloats, launch<Ternary<Lerp>::Of>),
    elementwise("tenon.fma", kTernarySlots, sdk::kFloats, launch<FmaOf>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> lerp_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(lerp) = {.chosen_kernels = TENON_CPU_CHOOSE(lerp_kernels)};
#endif
