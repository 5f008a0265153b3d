// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/order.cc: ne, le, gt, ge. Of anything compared with NaN only ne is true;
// false < true.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/order.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct NotEqual {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Not(hn::Eq(a, b));  // Ne of AVX-512 is false for NaN
  }
};
struct LessOrEqual {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
      return hn::Le(a, b);
    } else {
      return hn::Not(hn::Lt(b, a));
    }
  }
};
template <class F>
struct Swapped {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    return F()(d, b, a);
  }
};
struct Less {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Lt(a, b);
  }
};

template <class F>
struct Compare {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, sdk::Bool, T, T>::launch(call, args, F());
    }
  };
};

template <class F>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using All = sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t, int8_t,
                            uint8_t, sdk::Bool>;
  return launch_as<Compare<F>::template Of>(All(), sdk::Args(args).view(0).dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.ne", kBinarySlots, sdk::kAllDtypes, launch<NotEqual>),
    elementwise("tenon.le", kBinarySlots, sdk::kAllDtypes, launch<LessOrEqual>),
    elementwise("tenon.gt", kBinarySlots, sdk::kAllDtypes, launch<Swapped<Less>>),
    elementwise("tenon.ge", kBinarySlots, sdk::kAllDtypes, launch<Swapped<LessOrEqual>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> order_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(order) = {.chosen_kernels = TENON_CPU_CHOOSE(order_kernels)};
#endif
