// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/function-inl.h: a kernel from a function of vectors, y[i] = f(x[i]), for
// every float dtype.

#if defined(TENON_CPU_FUNCTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_FUNCTION_INL_H
#undef TENON_CPU_FUNCTION_INL_H
#else
#define TENON_CPU_FUNCTION_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {

template <class Function, bool kStreamed>
struct ApplyFunction {
  static constexpr bool kStreams = kStreamed;
  Function function;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return function(x);
  }
};

// `make` gives the function that the attributes of a call ask for.
template <auto make, bool kStreamed>
struct FunctionOf {
  template <class T>
  struct As {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      using F = ApplyFunction<decltype(make(sdk::Args(args))), kStreamed>;
      return Elementwise<F, T, T>::launch(call, args, F{make(sdk::Args(args))});
    }
  };
  static tenon_status launch(tenon_call* call, const tenon_launch* args) {
    using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
    return launch_as<As>(Floats(), sdk::Args(args).out().dtype, call, args);
  }
};

template <auto make, bool kStreamed = false>
constexpr tenon_kernel_desc with_attrs(std::string_view op, uint32_t n_attrs) {
  return elementwise(op, kUnarySlots, sdk::kFloats, FunctionOf<make, kStreamed>::launch, n_attrs);
}

template <class Function>
Function plain(const sdk::Args&) {
  return {};
}
template <class Function>
constexpr tenon_kernel_desc of(std::string_view op) {
  return with_attrs<plain<Function>>(op, 0);
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_FUNCTION_INL_H
