// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/wide.cc: sin, cos, pow, atan2, hypot, gelu and gelu_grad, by the
// functions of math_both-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Function>
struct Apply {
  static constexpr bool kStreams = false;
  template <class D, class... V>
  HWY_INLINE auto operator()(D, V... x) const {
    return Function()(x...);
  }
};

template <class Function>
struct Unary {
  template <class T>
  struct As {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<Apply<Function>, T, T>::launch(call, args, {});
    }
  };
};
template <class Function>
struct Binary {
  template <class T>
  struct As {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<Apply<Function>, T, T, T>::launch(call, args, {});
    }
  };
};

template <template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
  return launch_as<K>(Floats(), sdk::Args(args).out().dtype, call, args);
}

// The attribute `approximate` names the distribution function; the shape rule has seen to it that
// there are only two.
template <template <class> class Exact, template <class> class ByTanh>
tenon_status launch_either(tenon_call* call, const tenon_launch* args) {
  return sdk::Args(args).attrs.text(0) == "tanh" ? launch<ByTanh>(call, args)
                                                 : launch<Exact>(call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.sin", kUnarySlots, sdk::kFloats, launch<Unary<math::Sin>::As>),
    elementwise("tenon.cos", kUnarySlots, sdk::kFloats, launch<Unary<math::Cos>::As>),
    elementwise("tenon.pow", kBinarySlots, sdk::kFloats, launch<Binary<math::Pow>::As>),
    elementwise("tenon.atan2", kBinarySlots, sdk::kFloats, launch<Binary<math::Atan2>::As>),
    elementwise("tenon.hypot", kBinarySlots, sdk::kFloats, launch<Binary<math::Hypot>::As>),
    elementwise("tenon.gelu", kUnarySlots, sdk::kFloats,
                launch_either<Unary<math::Gelu<false>>::As, Unary<math::Gelu<true>>::As>, 1),
    elementwise("tenon.gelu_grad", kBinarySlots, sdk::kFloats,
                launch_either<Binary<math::GeluGrad<false>>::As, Binary<math::GeluGrad<true>>::As>,
                1),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> wide_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(wide) = {.chosen_kernels = TENON_CPU_CHOOSE(wide_kernels)};
#endif
