// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/wide.cc: sin, cos, pow, gelu and gelu_grad, by the functions of
// math_wide-inl.h. f64 is left to tenon.ref.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/elementwise-inl.h"
#include "kernels/math_wide-inl.h"

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
  using Narrow = sdk::TypeList<float, sdk::BF16, sdk::F16>;
  return launch_as<K>(Narrow(), sdk::Args(args).out().dtype, call, args);
}

// The attribute `approximate` names the distribution function; the shape rule has seen to it that
// there are only two.
template <template <class> class Exact, template <class> class ByTanh>
tenon_status launch_either(tenon_call* call, const tenon_launch* args) {
  return sdk::Args(args).attrs.text(0) == "tanh" ? launch<ByTanh>(call, args)
                                                 : launch<Exact>(call, args);
}

constexpr tenon_dtype narrow[] = {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32};

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.sin", kUnarySlots, narrow, launch<Unary<math::Sin>::As>),
    elementwise("tenon.cos", kUnarySlots, narrow, launch<Unary<math::Cos>::As>),
    elementwise("tenon.pow", kBinarySlots, narrow, launch<Binary<math::Pow>::As>),
    elementwise("tenon.gelu", kUnarySlots, narrow,
                launch_either<Unary<math::Gelu<false>>::As, Unary<math::Gelu<true>>::As>, 1),
    elementwise("tenon.gelu_grad", kBinarySlots, narrow,
                launch_either<Binary<math::GeluGrad<false>>::As, Binary<math::GeluGrad<true>>::As>,
                1),
};

}  // namespace

std::span<const tenon_kernel_desc> wide_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(wide) = {.chosen_kernels = TENON_CPU_CHOOSE(wide_kernels)};
#endif
