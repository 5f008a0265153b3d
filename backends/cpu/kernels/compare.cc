// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/compare.cc: eq, lt. Anything compared with NaN is false; false < true.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/compare.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Equal {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Eq(a, b);
  }
};
struct Less {
  static constexpr bool kStreams = false;
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
    elementwise("tenon.eq", kBinarySlots, sdk::kAllDtypes, launch<Equal>),
    elementwise("tenon.lt", kBinarySlots, sdk::kAllDtypes, launch<Less>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> compare_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(compare) = {.chosen_kernels = TENON_CPU_CHOOSE(compare_kernels)};
#endif
