// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/normal_share.h: gelu and its slope.
//
//   gelu = x P(x),  gelu' = P(x) + x P'(x)
// P(x) is erfc(-x / sqrt 2) / 2, or with approximate="tanh" (1 + tanh u) / 2 = 1 / (1 + exp(-2u)),
// u = sqrt(2 / pi) (x + 0.044715 x^3). Written this way neither cancels where x is negative.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/ref.h"

namespace tenon::ref::normal {

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
template <class P, class W>
W gelu(W x) {
  return x == -std::numeric_limits<W>::infinity() ? W(-0.0) : x * P::share(x);
}

// Beyond 40 the slope is 0 or 1, and no infinity meets a 0. A NaN stays one.
template <class P, class W>
W gelu_slope(W x) {
  return P::slope(std::clamp(x, W(-40), W(40)));
}

}  // namespace tenon::ref::normal
