// SPDX-License-Identifier: Apache-2.0
// backends/cpu/winograd/transforms-inl.h: the transforms of F(4x4, 3x3): 4x4 results of a 3x3
// window over 6x6 places are A' ((G g G') * (B' d B)) A, with 36 multiplications and not 144.
//
// Each is written along one dimension, for vectors whose lanes are tiles or rows of weights. The
// matrices are those of polynomials at the points 0, a, -a, b, -b and infinity. Other points than
// the usual 1 and 2: of nine pairs that were tried on drawn numbers, a = 11/16 and b = 11/8 round
// least, by a quarter of what 1 and 2 do, and their powers up to 3 are exact. Sources: Lavin and
// Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, section 4; Barabasz and others,
// "Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks",
// 2020, on the choice of points.

#if defined(TENON_CPU_WINOGRAD_TRANSFORMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_WINOGRAD_TRANSFORMS_INL_H
#undef TENON_CPU_WINOGRAD_TRANSFORMS_INL_H
#else
#define TENON_CPU_WINOGRAD_TRANSFORMS_INL_H
#endif

#include <hwy/highway.h>

#include "winograd/problem.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using winograd::kReach;
using winograd::kResults;
using winograd::kWindow;
inline constexpr int kProducts = kReach * kReach;

using F32 = hn::ScalableTag<float>;
using Floats = hn::Vec<F32>;

inline constexpr float kA = 0.6875f;  // the points
inline constexpr float kB = 1.375f;
inline constexpr float kA2 = kA * kA;
inline constexpr float kB2 = kB * kB;
inline constexpr float kSum2 = kA2 + kB2;
inline constexpr float kProduct2 = kA2 * kB2;
inline constexpr float kOfA = 1 / (2 * kA2 * (kA2 - kB2));  // 1 over the differences of points
inline constexpr float kOfB = 1 / (2 * kB2 * (kB2 - kA2));

HWY_INLINE Floats times(float factor, Floats v) { return hn::Mul(hn::Set(F32(), factor), v); }
HWY_INLINE Floats times_plus(float factor, Floats v, Floats more) {
  return hn::MulAdd(hn::Set(F32(), factor), v, more);
}

// B' d
HWY_INLINE void transform_places(const Floats (&d)[kReach], Floats (&to)[kReach]) {
  const Floats even_a = times_plus(-kB2, d[2], d[4]);
  const Floats even_b = times_plus(-kA2, d[2], d[4]);
  const Floats odd_a = times_plus(-kB2, d[1], d[3]);
  const Floats odd_b = times_plus(-kA2, d[1], d[3]);
  to[0] = times_plus(kProduct2, d[0], times_plus(-kSum2, d[2], d[4]));
  to[1] = times_plus(kA, odd_a, even_a);
  to[2] = times_plus(-kA, odd_a, even_a);
  to[3] = times_plus(kB, odd_b, even_b);
  to[4] = times_plus(-kB, odd_b, even_b);
  to[5] = times_plus(kProduct2, d[1], times_plus(-kSum2, d[3], d[5]));
}

// G g
HWY_INLINE void transform_weights(const Floats (&g)[kWindow], Floats (&to)[kReach]) {
  const Floats even_a = times(kOfA, times_plus(kA2, g[2], g[0]));
  const Floats even_b = times(kOfB, times_plus(kB2, g[2], g[0]));
  to[0] = times(1 / kProduct2, g[0]);
  to[1] = times_plus(kA * kOfA, g[1], even_a);
  to[2] = times_plus(-kA * kOfA, g[1], even_a);
  to[3] = times_plus(kB * kOfB, g[1], even_b);
  to[4] = times_plus(-kB * kOfB, g[1], even_b);
  to[5] = g[2];
}

// A' m
HWY_INLINE void transform_sums(const Floats (&m)[kReach], Floats (&to)[kResults]) {
  const Floats even_a = hn::Add(m[1], m[2]);
  const Floats odd_a = hn::Sub(m[1], m[2]);
  const Floats even_b = hn::Add(m[3], m[4]);
  const Floats odd_b = hn::Sub(m[3], m[4]);
  to[0] = hn::Add(m[0], hn::Add(even_a, even_b));
  to[1] = times_plus(kB, odd_b, times(kA, odd_a));
  to[2] = times_plus(kB2, even_b, times(kA2, even_a));
  to[3] = times_plus(kB * kB2, odd_b, times_plus(kA * kA2, odd_a, m[5]));
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
