// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/gelu.h: gelu, for its own kernel and where it follows a product.
//
//   gelu = x P(x)
// P is the normal distribution function, or with by_tanh 1 / (1 + exp(-2u)), u =
// sqrt(2 / pi) (x + 0.044715 x^3). It has twice the digits up to the last product, so that it is
// right far left of 0 too.
#pragma once

#include "exact.h"
#include "function.h"

namespace tenon::cuda {

// R(w) of the tail exp(-t^2 / 2) R(w) / (t + 5), w = (t - 5) / (t + 5): for t up to 16, error at
// most 2^-26.4; and for all t, 2^-53.8, by backends/cpu/tools/minimax.py.
__device__ constexpr float kTailF32[] = {0x1.89d3acp-1F,  -0x1.54ad04p-1F,  0x1.fb3166p-2F,
                                         -0x1.410ed8p-2F, 0x1.51f624p-3F,   -0x1.1b1b8ap-4F,
                                         0x1.54b938p-6F,  -0x1.88c96ap-9F,  -0x1.a51534p-11F,
                                         0x1.220610p-11F, -0x1.79c8aep-15F, -0x1.d479bep-15F};
__device__ constexpr double kTailF64[] = {
    0x1.89d3abe1f95aep-1,   -0x1.54ad03f27ca18p-1, 0x1.fb31653876f89p-2,   -0x1.410ed5f87594dp-2,
    0x1.51f6329f01b93p-3,   -0x1.1b1c254ca3ecfp-4, 0x1.54b4d4f48ba7ep-6,   -0x1.88590e987538ep-9,
    -0x1.a2503779f704ep-11, 0x1.1daf1ae44a3f2p-11, -0x1.f21492159627fp-15, -0x1.a17014bb554b2p-15,
    0x1.17df0b502bc19p-16,  0x1.0b15068ba2663p-18, -0x1.73dfc6ea59011p-19, -0x1.674ddb2fb784bp-22,
    0x1.d45db7fb5c51fp-22,  0x1.5998f637d334cp-25, -0x1.2cb932995e67cp-24, -0x1.268ebfa124d52p-27,
    0x1.6fc644aab0dd2p-27,  0x1.2ef875eb01d28p-29, -0x1.36ce78026164ap-30, -0x1.966a0785b136ap-32,
};

// The same for w = 1 - 10 / (t + 5), t up to 16, error at most 2^-19.0.
__device__ constexpr float kTailBrief[] = {0x1.89d394p-1F,  -0x1.54ae9cp-1F, 0x1.fb3fdap-2F,
                                           -0x1.40cd7ep-2F, 0x1.50f5ccp-3F,  -0x1.21356p-4F,
                                           0x1.62571cp-6F};

// From here on P is 0 or 1.
template <class C, bool by_tanh>
inline constexpr C kEnd = sizeof(C) == 4 ? (by_tanh ? 11 : 16) : (by_tanh ? 24 : 40);

// What is left of the normal distribution beyond t >= 0.
template <class C>
__device__ __forceinline__ Scaled<C> normal_tail(C t) {
  const Exact<C> inverse = reciprocal(any_sum(t, C{5}));
  // (t - 5) / (t + 5) = 1 - 10 / (t + 5).
  const C w = std::fma(C{-10}, inverse.rounded, C{1}) - C{10} * inverse.lost;
  const Scaled<C> e = long_exp(exact_product(t, t * C{-0.5}));
  if constexpr (sizeof(C) == 4) {
    const C r = polynomial(kTailF32, w);
    Exact<C> part = exact_product(r, e.part.rounded);
    part.lost = std::fma(r, e.part.lost, part.lost);
    return {product(part, inverse), e.n};
  } else {
    constexpr double leading = kTailF64[0];
    double rest = kTailF64[23];
#pragma unroll
    for (int k = 22; k >= 1; --k) rest = std::fma(rest, w, kTailF64[k]);
    const Exact<double> rise = exact_product(w, rest);
    Exact<double> r = any_sum(leading, rise.rounded);
    r.lost += rise.lost;
    return {product(product(r, e.part), inverse), e.n};
  }
}

// max(x, 0) - t tail(t), t = |x|, to the digits of 16 bits. exp(-t^2 / 2) is multiplied as its
// root, twice: what is below normal floats is right too.
__device__ __forceinline__ float brief_gelu(float x) {
  const float size = std::fabs(x);
  const float t = size > 16.0F ? 16.0F : size;
  const float inverse = brief_reciprocal(t + 5.0F);
  const float r = polynomial(kTailBrief, std::fma(-10.0F, inverse, 1.0F)) * inverse;
  const float root = brief_power_of_2(t * t * -0x1.715476p-2F);  // exp(-t^2 / 4)
  return std::fma(-(t * r * root), root, x < 0 ? 0.0F : x);
}

// 1 - x for an x of at most 1.
template <class C>
__device__ __forceinline__ Scaled<C> complement(const Scaled<C>& x) {
  const Exact<C> taken = beside_one(x);
  Exact<C> rest = any_sum(C{1}, -taken.rounded);
  rest.lost -= taken.lost;
  return {rest, 0};
}

template <class C>
inline constexpr C kTwiceScale = static_cast<C>(0x1.9884533d43651p+0);  // 2 sqrt(2 / pi)
template <class C>
inline constexpr C kCubic = static_cast<C>(0.044715);

// exp(-2u) of t >= 0.
template <class C>
__device__ __forceinline__ Scaled<C> tanh_power(C t) {
  // 2 sqrt(2 / pi) and that times 0.044715, each with what rounding it lost.
  constexpr bool brief = sizeof(C) == 4;
  constexpr Exact<C> by_t = brief ? Exact<C>{C(0x1.988454p+0), C(-0x1.857936p-25)}
                                  : Exact<C>{C(0x1.9884533d43651p+0), C(-0x1.cbc0d30ebfd15p-54)};
  constexpr Exact<C> by_cube = brief ? Exact<C>{C(0x1.2444f2p-4), C(0x1.49b16ap-29)}
                                     : Exact<C>{C(0x1.2444f2a4d8b4bp-4), C(-0x1.6c843a29d1c7p-61)};
  const Exact<C> inner = product(exact_product(t, t), by_cube);
  Exact<C> stretch = any_sum(by_t.rounded, inner.rounded);
  stretch.lost += inner.lost + by_t.lost;
  const Exact<C> twice_u = product(Exact<C>{t, C{0}}, stretch);
  return long_exp(Exact<C>{-twice_u.rounded, -twice_u.lost});
}

template <bool by_tanh>
struct Gelu {
  __device__ static float brief(float x) {
    if constexpr (by_tanh) {
      if (x == -INFINITY) return -0.0F;
      return x / (1.0F + expf(-kTwiceScale<float> * (x + kCubic<float> * x * x * x)));
    } else {
      return brief_gelu(x);
    }
  }
  template <class C>
  __device__ static C of(C x) {
    const bool left = x < 0;
    const C size = std::fabs(x);
    const C t = size > kEnd<C, by_tanh> ? kEnd<C, by_tanh> : size;
    Scaled<C> share;
    if constexpr (by_tanh) {
      share = logistic(tanh_power(t), left);
    } else {
      share = normal_tail(t);
      if (!left) share = complement(share);
    }
    if (x > kEnd<C, by_tanh>) return x;
    const Exact<C> y = product(Exact<C>{t, C{0}}, share.part);
    return std::copysign(scale(y.sum(), share.n), x);
  }
  __device__ static float single(float x) { return of(x); }
  __device__ static double full(double x) { return of(x); }
};

// dy (P(x) + x P'(x)). Its tolerance is relative to the largest result, which needs no more than
// the dtype's own digits. Beyond 40 the slope is 0 or 1, and no infinity meets a 0. A NaN stays
// one.
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

}  // namespace tenon::cuda
