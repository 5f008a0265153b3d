// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/gelu.cu: gelu and its gradient.
//
//   gelu = x P(x),  gelu_grad = dy (P(x) + x P'(x))
// gelu.h says what P is. The gradient's tolerance is relative to the largest result, which needs no
// more than the dtype's own digits.
#include "gelu.h"

namespace tenon::cuda::gelu_unit {
namespace {

// Beyond 40 the slope is 0 or 1, and no infinity meets a 0. A NaN stays one.
template <bool by_tanh>
struct GeluGrad {
  template <class C>
  __device__ static C slope(C given) {
    const C x = given < -40 ? C{-40} : given > 40 ? C{40} : given;
    if constexpr (by_tanh) {
      const C twice_u = kTwiceScale<C> * (x + kCubic<C> * x * x * x);
      const C share = 1 / (1 + std::exp(-twice_u)), rest = 1 / (1 + std::exp(twice_u));
      return share * (1 + x * rest * (kTwiceScale<C> * (1 + 3 * kCubic<C> * x * x)));
    } else {
      const C share = std::erfc(x * C(-0x1.6a09e667f3bcdp-1)) / 2;
      return share + x * (std::exp(-x * x / 2) * (kTwiceScale<C> / 4));
    }
  }
  __device__ static float brief(float dy, float x) { return dy * slope(x); }
  __device__ static float single(float dy, float x) { return dy * slope(x); }
  __device__ static double full(double dy, double x) { return dy * slope(x); }
};

// The op's shape rule has seen to it that there are only two.
void gelu(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh") return unary_function(l, Gelu<true>());
  unary_function(l, Gelu<false>());
}
void gelu_grad(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh") return binary_function(l, GeluGrad<true>());
  binary_function(l, GeluGrad<false>());
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.gelu", kUnarySlots, sdk::kFloats, sdk::launch_fn<gelu>, {.n_attrs = 1}),
    kernel("tenon.gelu_grad", kBinarySlots, sdk::kFloats, sdk::launch_fn<gelu_grad>,
           {.n_attrs = 1}),
};

}  // namespace
}  // namespace tenon::cuda::gelu_unit

TENON_UNIT(gelu) = {.kernels = tenon::cuda::gelu_unit::kernels};
