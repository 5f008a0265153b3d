// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/add_scaled.cc: addcmul, addcdiv: x + (value * a) * b and x + (value * a) /
// b.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

struct Multiply {
  template <class C>
  C operator()(C a, C b) const {
    return a * b;
  }
};
struct Divide {
  template <class C>
  C operator()(C a, C b) const {
    return a / b;
  }
};

template <class Types, class F>
void add_scaled(const sdk::Launch& l) {
  sdk::dispatch_dtype<Types>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    C value = 0;
    if constexpr (sdk::is_float_type<T>) {
      value = static_cast<C>(l.attrs.real(0));
    } else {
      value = static_cast<C>(l.attrs.integer(0));
    }
    each_element<T, T, T, T>(l, [value](T x, T a, T b) {
      return sdk::narrow<T>(static_cast<C>(x) + F()(value * static_cast<C>(a), static_cast<C>(b)));
    });
  });
}

constexpr tenon_slot_rule slots[] = {element_in(), element_in(), element_in(), sdk::strided_out()};

constexpr tenon_kernel_desc ternary(std::string_view op, std::span<const tenon_dtype> rows,
                                    LaunchFn launch) {
  return kernel(op, slots, rows, 1, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    ternary("tenon.addcmul", sdk::kNumbers, sdk::launch_fn<add_scaled<sdk::NumberTypes, Multiply>>),
    ternary("tenon.addcdiv", sdk::kFloats, sdk::launch_fn<add_scaled<sdk::FloatTypes, Divide>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(add_scaled) = {.kernels = tenon::ref::kernels};
