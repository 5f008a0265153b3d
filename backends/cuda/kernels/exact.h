// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/exact.h: sums, products and exponentials with twice the digits of float or
// double, for functions that must be right to the last digit.
//
// Sources: D. Knuth, "The Art of Computer Programming", 4.2.2 (sums); T. Dekker, "A Floating-Point
// Technique for Extending the Available Precision", 1971. A product's lost part is one fma.
#pragma once

#include <bit>

#include "portable.h"

namespace tenon::cuda {

// rounded + lost, where lost is below the last digit of rounded. C is float or double.
template <class C>
struct Exact {
  C rounded, lost;

  __device__ __forceinline__ C sum() const { return rounded + lost; }
};

// part 2^n, for numbers that would vanish or overflow.
template <class C>
struct Scaled {
  Exact<C> part;
  int n;
};

// a + b where |a| >= |b| or a is 0.
template <class C>
__device__ __forceinline__ Exact<C> exact_sum(C a, C b) {
  const C sum = a + b;
  return {sum, b - (sum - a)};
}
template <class C>
__device__ __forceinline__ Exact<C> any_sum(C a, C b) {
  const C sum = a + b;
  const C part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
template <class C>
__device__ __forceinline__ Exact<C> exact_product(C a, C b) {
  const C product = a * b;
  return {product, std::fma(a, b, -product)};
}
template <class C>
__device__ __forceinline__ Exact<C> product(const Exact<C>& a, const Exact<C>& b) {
  Exact<C> result = exact_product(a.rounded, b.rounded);
  result.lost = std::fma(a.rounded, b.lost, std::fma(a.lost, b.rounded, result.lost));
  return result;
}
// For a b whose reciprocal is a normal number. `lost` corrects the few last digits of `rounded`.
template <class C>
__device__ __forceinline__ Exact<C> quotient(const Exact<C>& a, const Exact<C>& b) {
  const C inverse = brief_reciprocal(b.rounded);
  const C whole = a.rounded * inverse;
  const C rest = std::fma(-whole, b.lost, std::fma(-whole, b.rounded, a.rounded) + a.lost);
  return {whole, rest * inverse};
}
// 1 / b.
template <class C>
__device__ __forceinline__ Exact<C> reciprocal(const Exact<C>& b) {
  const C whole = brief_reciprocal(b.rounded);
  const C rest = std::fma(-whole, b.lost, std::fma(-whole, b.rounded, C{1}));
  return {whole, rest * whole};
}

template <int N, class C>
__device__ __forceinline__ C polynomial(const C (&lowest_first)[N], C x) {
  C sum = lowest_first[N - 1];
#pragma unroll
  for (int k = N - 2; k >= 0; --k) sum = std::fma(sum, x, lowest_first[k]);
  return sum;
}

// 2^n if that is a normal number.
template <class C>
__device__ __forceinline__ C power_of_2(int n) {
  if constexpr (sizeof(C) == 4) {
    return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23);
  } else {
    return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52);
  }
}

// x 2^n, even if 2^n is not a number.
template <class C>
__device__ __forceinline__ C scale(C x, int n) {
  const int half = n / 2;
  return x * power_of_2<C>(half) * power_of_2<C>(n - half);
}
template <class C>
__device__ __forceinline__ C value_of(const Scaled<C>& x) {
  return scale(x.part.sum(), x.n);
}
// Of a number that is at most about 1: what vanishes beside 1 may vanish.
template <class C>
__device__ __forceinline__ Exact<C> beside_one(const Scaled<C>& x) {
  constexpr int least = sizeof(C) == 4 ? -120 : -1000;
  const C power = power_of_2<C>(x.n < least ? least : x.n);
  return {x.part.rounded * power, x.part.lost * power};
}

// exp(x) = 1 + x + x^2 p(x) for |x| <= ln(2) / 2: the first terms of p's series, whose rest is
// below 2^-32 or 2^-62 there.
template <class C>
__device__ __forceinline__ C exponential_bend(C x) {
  if constexpr (sizeof(C) == 4) {
    constexpr float terms[] = {1.0F / 2,   1.0F / 6,    1.0F / 24,   1.0F / 120,
                               1.0F / 720, 1.0F / 5040, 1.0F / 40320};
    return polynomial(terms, x);
  } else {
    constexpr double terms[] = {1.0 / 2,          1.0 / 6,        1.0 / 24,        1.0 / 120,
                                1.0 / 720,        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                1.0 / 3628800,    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                                1.0 / 87178291200};
    return polynomial(terms, x);
  }
}

// exp(x), its part within 2^-29 or 2^-58 of it, for |x| <= 120 or 800.
template <class C>
__device__ __forceinline__ Scaled<C> long_exp(const Exact<C>& x) {
  // ln 2 in two parts, the first short enough that its product with n is exact.
  constexpr C upper =
      sizeof(C) == 4 ? static_cast<C>(0x1.62e4p-1) : static_cast<C>(0x1.62e42fefa38p-1);
  constexpr C lower =
      sizeof(C) == 4 ? static_cast<C>(0x1.7f7d1cf79abcap-20) : static_cast<C>(0x1.ef35793c7673p-45);
  constexpr C log2_e = static_cast<C>(0x1.71547652b82fep+0);
  const C n = std::rint(x.rounded * log2_e);
  const Exact<C> r = any_sum(std::fma(-n, upper, x.rounded), std::fma(-n, lower, x.lost));
  const C bend = r.rounded * r.rounded * exponential_bend(r.rounded);
  const C rest = bend + std::fma(r.lost, r.rounded, r.lost);
  const Exact<C> line = exact_sum(C{1}, r.rounded);
  return {exact_sum(line.rounded, line.lost + rest), static_cast<int>(n)};
}
template <class C>
__device__ __forceinline__ Scaled<C> long_exp(C x) {
  return long_exp(Exact<C>{x, C{0}});
}

// 1 / (1 + e), or e / (1 + e) where `small` says so, for an e of at most 1.
template <class C>
__device__ __forceinline__ Scaled<C> logistic(const Scaled<C>& e, bool small) {
  const Exact<C> near = beside_one(e);
  Exact<C> below = exact_sum(C{1}, near.rounded);
  below.lost += near.lost;
  const Exact<C> above = small ? e.part : Exact<C>{C{1}, C{0}};
  return {quotient(above, below), small ? e.n : 0};
}

}  // namespace tenon::cuda
