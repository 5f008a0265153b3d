// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/limits.cc: minimum and clamp.
//
// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/limits.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Smaller {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    auto second = hn::Lt(b, a);
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) second = hn::Or(second, hn::IsNaN(b));
    return hn::IfThenElse(second, b, a);
  }
};
struct Larger {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    auto second = hn::Lt(a, b);
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) second = hn::Or(second, hn::IsNaN(b));
    return hn::IfThenElse(second, b, a);
  }
};
struct Between {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V least, V most) const {
    return Smaller()(d, Larger()(d, x, least), most);
  }
};
struct Itself {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

template <class T>
struct Minimum {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    return Elementwise<Smaller, T, T, T>::launch(call, args, {});
  }
};

enum Slot : uint32_t { kX, kMin, kMax };

// An absent limit has no view, so that the one there is comes second in either case.
template <class T>
struct Clamp {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    const sdk::Args given(args);
    if (given.given(kMin) && given.given(kMax)) {
      return Elementwise<Between, T, T, T, T>::launch(call, args, {});
    }
    if (given.given(kMin)) return Elementwise<Larger, T, T, T>::launch(call, args, {});
    if (given.given(kMax)) return Elementwise<Smaller, T, T, T>::launch(call, args, {});
    return Elementwise<Itself, T, T>::launch(call, args, {});
  }
};

template <template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Numbers =
      sdk::TypeList<float, double, int64_t, sdk::BF16, sdk::F16, int32_t, uint8_t, int8_t, int16_t>;
  return launch_as<K>(Numbers(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.minimum", kBinarySlots, sdk::kNumbers, launch<Minimum>),
    elementwise("tenon.clamp", kTernarySlots, sdk::kNumbers, launch<Clamp>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> limits_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(limits) = {.chosen_kernels = TENON_CPU_CHOOSE(limits_kernels)};
#endif
