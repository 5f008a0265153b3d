// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/binary.cc: add, sub, mul, div, maximum.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Add {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Sub {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Sub(a, b);
  }
};
struct Mul {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (sizeof(hn::TFromV<V>) == 1) {
      // No instruction set multiplies bytes: even and odd ones apart, as 16 bits.
      const hn::Repartition<uint16_t, hn::DFromV<V>> d16;
      const auto low = hn::Set(d16, uint16_t{0xFF});
      const auto a16 = hn::BitCast(d16, a);
      const auto b16 = hn::BitCast(d16, b);
      const auto even = hn::And(hn::Mul(a16, b16), low);
      const auto odd = hn::Mul(hn::ShiftRight<8>(a16), hn::ShiftRight<8>(b16));
      return hn::BitCast(hn::DFromV<V>(), hn::Or(even, hn::ShiftLeft<8>(odd)));
    } else {
      return hn::Mul(a, b);
    }
  }
};
struct Div {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Div(a, b);
  }
};
// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.
struct Maximum {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    auto second = hn::Lt(a, b);
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) second = hn::Or(second, hn::IsNaN(b));
    return hn::IfThenElse(second, b, a);
  }
};

// Signed and unsigned integers wrap to the same bits.
template <class T>
struct WrappingOf {
  using Type = T;
};
template <>
struct WrappingOf<int8_t> {
  using Type = uint8_t;
};

template <class F>
struct Wrapping {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      using W = typename WrappingOf<T>::Type;
      return Elementwise<F, W, W, W>::launch(call, args, F());
    }
  };
};
template <class T>
struct Larger {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    return Elementwise<Maximum, T, T, T>::launch(call, args, Maximum());
  }
};

using Numbers =
    sdk::TypeList<float, double, int64_t, sdk::BF16, sdk::F16, int32_t, uint8_t, int8_t, int16_t>;
using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;

template <class Types, template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return launch_as<K>(Types(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.add", kBinarySlots, sdk::kNumbers, launch<Numbers, Wrapping<Add>::Of>),
    elementwise("tenon.sub", kBinarySlots, sdk::kNumbers, launch<Numbers, Wrapping<Sub>::Of>),
    elementwise("tenon.mul", kBinarySlots, sdk::kNumbers, launch<Numbers, Wrapping<Mul>::Of>),
    elementwise("tenon.div", kBinarySlots, sdk::kFloats, launch<Floats, Wrapping<Div>::Of>),
    elementwise("tenon.maximum", kBinarySlots, sdk::kNumbers, launch<Numbers, Larger>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> binary_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(binary) = {.chosen_kernels = TENON_CPU_CHOOSE(binary_kernels)};
#endif
