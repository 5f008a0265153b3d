// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/unary.cc: neg, relu, sqrt, isfinite.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The sign bit of every float, NaN too; integers wrap.
struct Neg {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
      return hn::Neg(x);
    } else {
      return hn::Sub(hn::Zero(hn::DFromV<V>()), x);
    }
  }
};
// x < 0 ? 0 : x, so NaN and -0 stay as they are.
struct Relu {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(hn::DFromV<V>())), x);
  }
};
struct Sqrt {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};
struct IsFinite {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V x) const {
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
      return hn::IsFinite(x);
    } else {
      return hn::Eq(hn::Zero(d), hn::Zero(d));
    }
  }
};

template <class F>
struct Same {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, T, T>::launch(call, args, F());
    }
  };
};
template <class T>
struct Finite {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    return Elementwise<IsFinite, sdk::Bool, T>::launch(call, args, IsFinite());
  }
};

using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
using Numbers =
    sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t, int8_t, uint8_t>;
using All = sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t, int8_t,
                          uint8_t, sdk::Bool>;

template <class Types, template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return launch_as<K>(Types(), sdk::Args(args).view(0).dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.neg", kUnarySlots, sdk::kNumbers, launch<Numbers, Same<Neg>::Of>),
    elementwise("tenon.relu", kUnarySlots, sdk::kNumbers, launch<Numbers, Same<Relu>::Of>),
    elementwise("tenon.sqrt", kUnarySlots, sdk::kFloats, launch<Floats, Same<Sqrt>::Of>),
    elementwise("tenon.isfinite", kUnarySlots, sdk::kAllDtypes, launch<All, Finite>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> unary_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(unary) = {.chosen_kernels = TENON_CPU_CHOOSE(unary_kernels)};
#endif
