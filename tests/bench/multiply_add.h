// SPDX-License-Identifier: Apache-2.0
// tests/bench/multiply_add.h: as many fused multiply-adds of f32 as a core can do: in registers, in
// twelve chains, which cover the latency of two units.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tenon::bench {

inline constexpr int kChains = 12;

#if defined(__x86_64__)

__attribute__((target("avx512f"))) inline float run_chains_512(long rounds) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(0.5f);
  const __m512 factor = _mm512_set1_ps(0.999f);
  const __m512 term = _mm512_set1_ps(0.001f);
  for (long i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(factor, sum, term);
  }
  __m512 all = sums[0];
  for (const __m512 sum : sums) all = _mm512_add_ps(all, sum);
  return _mm512_cvtss_f32(all);
}

__attribute__((target("avx2,fma"))) inline float run_chains_256(long rounds) {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(0.5f);
  const __m256 factor = _mm256_set1_ps(0.999f);
  const __m256 term = _mm256_set1_ps(0.001f);
  for (long i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(factor, sum, term);
  }
  __m256 all = sums[0];
  for (const __m256 sum : sums) all = _mm256_add_ps(all, sum);
  return _mm256_cvtss_f32(all);
}

// Numbers in a vector; 0 where this machine has no multiply-add that is known here.
inline int multiply_add_lanes() {
  if (__builtin_cpu_supports("avx512f")) return 16;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 8 : 0;
}

inline float run_chains(long rounds) {
  const int lanes = multiply_add_lanes();
  if (lanes == 0) return 0;
  return lanes == 16 ? run_chains_512(rounds) : run_chains_256(rounds);
}

#elif defined(__aarch64__)

inline int multiply_add_lanes() { return 4; }

inline float run_chains(long rounds) {
  float32x4_t sums[kChains];
  for (float32x4_t& sum : sums) sum = vdupq_n_f32(0.5f);
  for (long i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (float32x4_t& sum : sums) sum = vfmaq_f32(sum, vdupq_n_f32(-0.001f), sum);
  }
  float32x4_t all = sums[0];
  for (const float32x4_t sum : sums) all = vaddq_f32(all, sum);
  return vgetq_lane_f32(all, 0);
}

#else

inline int multiply_add_lanes() { return 0; }
inline float run_chains(long) { return 0; }

#endif

// Returns how many operations it has done.
inline double run_multiply_adds(long rounds) {
  // Kept, so that the compiler keeps the loop.
  [[maybe_unused]] volatile float kept = run_chains(rounds);
  return 2.0 * kChains * multiply_add_lanes() * static_cast<double>(rounds);
}

}  // namespace tenon::bench
