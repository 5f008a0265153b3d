// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/binary.cc: add, sub, mul, div, maximum.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Operands in the dtype's Compute type: one IEEE operation, or unsigned 64 bits whose low bits are
// the wrapped result.
struct Add {
  template <class C>
  C operator()(C a, C b) const {
    return a + b;
  }
};
struct Sub {
  template <class C>
  C operator()(C a, C b) const {
    return a - b;
  }
};
struct Mul {
  template <class C>
  C operator()(C a, C b) const {
    return a * b;
  }
};
struct Div {
  template <class C>
  C operator()(C a, C b) const {
    return a / b;
  }
};

template <class Types, class F>
void arithmetic(const sdk::Launch& l) {
  sdk::dispatch_dtype<Types>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    each_element<T, T, T>(
        l, [](T a, T b) { return sdk::narrow<T>(F()(static_cast<C>(a), static_cast<C>(b))); });
  });
}

// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.
void maximum(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T>(l, [](T a, T b) { return a < b || b != b ? b : a; });
  });
}

constexpr tenon_kernel_desc binary(std::string_view op, std::span<const tenon_dtype> rows,
                                   LaunchFn launch) {
  return kernel(op, kBinarySlots, rows, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    binary("tenon.add", sdk::kNumbers, sdk::launch_fn<arithmetic<sdk::NumberTypes, Add>>),
    binary("tenon.sub", sdk::kNumbers, sdk::launch_fn<arithmetic<sdk::NumberTypes, Sub>>),
    binary("tenon.mul", sdk::kNumbers, sdk::launch_fn<arithmetic<sdk::NumberTypes, Mul>>),
    binary("tenon.div", sdk::kFloats, sdk::launch_fn<arithmetic<sdk::FloatTypes, Div>>),
    binary("tenon.maximum", sdk::kNumbers, sdk::launch_fn<maximum>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(binary) = {.kernels = tenon::ref::kernels};
