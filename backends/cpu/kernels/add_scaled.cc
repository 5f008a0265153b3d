// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/add_scaled.cc: addcmul, addcdiv: x + (value * a) * b, x + (value * a) / b.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/add_scaled.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class C>
struct AddProduct {
  static constexpr bool kStreams = true;
  C value;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V a, V b) const {
    return hn::Add(x, hn::Mul(hn::Mul(hn::Set(hn::DFromV<V>(), value), a), b));
  }
};
template <class C>
struct AddQuotient {
  static constexpr bool kStreams = true;
  C value;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V a, V b) const {
    return hn::Add(x, hn::Div(hn::Mul(hn::Set(hn::DFromV<V>(), value), a), b));
  }
};

template <template <class> class F>
struct Scaled {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      using C = Number<T>;
      const auto value = static_cast<C>(sdk::Args(args).attrs.real(0));
      return Elementwise<F<C>, T, T, T, T>::launch(call, args, {value});
    }
  };
};

template <template <class> class F>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
  return launch_as<Scaled<F>::template Of>(Floats(), sdk::Args(args).out().dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.addcmul", kTernarySlots, sdk::kFloats, launch<AddProduct>, 1),
    elementwise("tenon.addcdiv", kTernarySlots, sdk::kFloats, launch<AddQuotient>, 1),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> add_scaled_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(add_scaled) = {.chosen_kernels = TENON_CPU_CHOOSE(add_scaled_kernels)};
#endif
