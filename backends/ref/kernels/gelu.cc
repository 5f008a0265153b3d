// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/gelu.cc: gelu and its gradient.
//
//   gelu = x P(x),  gelu_grad = dy (P(x) + x P'(x))
// P(x) is erfc(-x / sqrt 2) / 2, or with approximate="tanh" (1 + tanh u) / 2 = 1 / (1 + exp(-2u)),
// u = sqrt(2 / pi) (x + 0.044715 x^3). Written this way neither cancels where x is negative.

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Far left of 0 an error in the last digit of the argument is a thousand times as large in P, so
// f64 needs more digits than its own.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, double>, long double, double>;

template <class W>
constexpr W kCubic = static_cast<W>(0.044715L);
template <class W>
constexpr W kScale = std::numbers::sqrt2_v<W>* std::numbers::inv_sqrtpi_v<W>;

struct ByErf {
  template <class W>
  static W share(W x) {
    return std::erfc(-x / std::numbers::sqrt2_v<W>) / 2;
  }
  template <class W>
  static W slope(W x) {
    return share(x) + x * std::exp(-x * x / 2) * kScale<W> / 2;
  }
};

struct ByTanh {
  template <class W>
  static W twice_u(W x) {
    return 2 * kScale<W> * (x + kCubic<W> * x * x * x);
  }
  template <class W>
  static W share(W x) {
    return 1 / (1 + std::exp(-twice_u(x)));
  }
  template <class W>
  static W slope(W x) {
    const W rest = 1 / (1 + std::exp(twice_u(x)));
    return share(x) * (1 + x * rest * 2 * kScale<W> * (1 + 3 * kCubic<W> * x * x));
  }
};

// The limit stands for -inf times 0.
template <class P>
void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using W = Wider<T>;
    each_element<T, T>(l, [](T given) {
      const auto x = static_cast<W>(static_cast<sdk::Wide<T>>(given));
      return sdk::narrow<T>(x == -std::numeric_limits<W>::infinity() ? W(-0.0) : x * P::share(x));
    });
  });
}

// Beyond 40 the slope is 0 or 1, and no infinity meets a 0. A NaN stays one.
template <class P>
void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using W = Wider<T>;
    each_element<T, T, T>(l, [](T dy, T given) {
      const W x = std::clamp(static_cast<W>(static_cast<sdk::Wide<T>>(given)), W(-40), W(40));
      return sdk::narrow<T>(static_cast<W>(static_cast<sdk::Wide<T>>(dy)) * P::slope(x));
    });
  });
}

// The op's shape rule has seen to it that there are only two.
template <void (*Erf)(const sdk::Launch&), void (*Tanh)(const sdk::Launch&)>
void either(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh")
    Tanh(l);
  else
    Erf(l);
}

constexpr tenon_kernel_desc elementwise(std::string_view op, std::span<const tenon_slot_rule> slots,
                                        LaunchFn launch) {
  return kernel(op, slots, sdk::kFloats, 1, launch, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.gelu", kUnarySlots, sdk::launch_fn<either<forward<ByErf>, forward<ByTanh>>>),
    elementwise("tenon.gelu_grad", kBinarySlots,
                sdk::launch_fn<either<backward<ByErf>, backward<ByTanh>>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(gelu) = {.kernels = tenon::ref::kernels};
