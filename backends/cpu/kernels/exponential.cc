// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/exponential.cc: exp, expm1, log, log1p, tanh, sigmoid and erf, by the
// functions of math-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exponential.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Function>
struct Apply {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return Function()(x);
  }
};

template <class Function>
struct Of {
  template <class T>
  struct As {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<Apply<Function>, T, T>::launch(call, args, {});
    }
  };
};

using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;

template <class Function>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return launch_as<Of<Function>::template As>(Floats(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.exp", kUnarySlots, sdk::kFloats, launch<math::Exp>),
    elementwise("tenon.expm1", kUnarySlots, sdk::kFloats, launch<math::Expm1>),
    elementwise("tenon.log", kUnarySlots, sdk::kFloats, launch<math::Log>),
    elementwise("tenon.log1p", kUnarySlots, sdk::kFloats, launch<math::Log1p>),
    elementwise("tenon.tanh", kUnarySlots, sdk::kFloats, launch<math::Tanh>),
    elementwise("tenon.sigmoid", kUnarySlots, sdk::kFloats, launch<math::Sigmoid>),
    elementwise("tenon.erf", kUnarySlots, sdk::kFloats, launch<math::Erf>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> exponential_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(exponential) = {.chosen_kernels = TENON_CPU_CHOOSE(exponential_kernels)};
#endif
