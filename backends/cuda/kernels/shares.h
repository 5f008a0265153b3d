// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/shares.h: sigmoid and silu, right to the last digit also far left of 0,
// where a rounded argument would make the exponential wrong: it and all that follows have twice the
// digits.
#pragma once

#include "exact.h"

namespace tenon::cuda {

// Beyond, t exp(-t) is less than half of the least number.
template <class C>
inline constexpr C kShareEnd = sizeof(C) == 4 ? 110 : 755;

template <class C>
__device__ __forceinline__ C at_most(C x, C most) {
  return x > most ? most : x;
}
// `size` with the sign of x, NaN if x is infinite.
template <class C>
__device__ __forceinline__ C finite_share(C size, C x) {
  return std::copysign(size + (x - x), x);  // NOLINT(misc-redundant-expression): of inf it is NaN
}
// t `share`, and x itself where t is no longer |x|.
template <class C>
__device__ __forceinline__ C share_of(C x, C t, const Scaled<C>& share) {
  if (x > kShareEnd<C>) return x;
  const Exact<C> y = product(Exact<C>{t, C{0}}, share.part);
  return finite_share(scale(y.sum(), share.n), x);
}

struct Sigmoid {
  __device__ static float brief(float x) {
    const float e = expf(-std::fabs(x));
    return (x < 0 ? e : 1.0F) / (1.0F + e);
  }
  template <class C>
  __device__ static C of(C x) {
    return value_of(logistic(long_exp(-at_most(std::fabs(x), kShareEnd<C>)), x < 0));
  }
  __device__ static float single(float x) { return of(x); }
  __device__ static double full(double x) { return of(x); }
};

struct Silu {
  __device__ static float brief(float x) {
    const float e = expf(-std::fabs(x));
    return x * ((x < 0 ? e : 1.0F) / (1.0F + e));
  }
  template <class C>
  __device__ static C of(C x) {
    const C t = at_most(std::fabs(x), kShareEnd<C>);
    return share_of(x, t, logistic(long_exp(-t), x < 0));
  }
  __device__ static float single(float x) { return of(x); }
  __device__ static double full(double x) { return of(x); }
};

}  // namespace tenon::cuda
