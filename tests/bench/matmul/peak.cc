// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/peak.cc: what the processor's multiply-add units can do: chains of fused
// multiply-adds, enough of them to hide the latency of each, and nothing else.
#include <atomic>
#include <thread>
#include <vector>

#include "contender.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tenon::bench {
namespace {

constexpr int kRounds = 15000;

#if defined(__x86_64__)
constexpr int kChains = 12;

__attribute__((target("avx512f"))) float chains_512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(0.5f);
  const __m512 factor = _mm512_set1_ps(0.999f);
  const __m512 term = _mm512_set1_ps(0.001f);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(factor, sum, term);
  }
  __m512 all = sums[0];
  for (const __m512 sum : sums) all = _mm512_add_ps(all, sum);
  return _mm512_cvtss_f32(all);
}

__attribute__((target("avx2,fma"))) float chains_256() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(0.5f);
  const __m256 factor = _mm256_set1_ps(0.999f);
  const __m256 term = _mm256_set1_ps(0.001f);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(factor, sum, term);
  }
  __m256 all = sums[0];
  for (const __m256 sum : sums) all = _mm256_add_ps(all, sum);
  return _mm256_cvtss_f32(all);
}

int lanes() {
  if (__builtin_cpu_supports("avx512f")) return 16;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 8 : 0;
}
float chains() { return lanes() == 16 ? chains_512() : chains_256(); }
#elif defined(__aarch64__)
constexpr int kChains = 16;

int lanes() { return 4; }
float chains() {
  float32x4_t sums[kChains];
  for (float32x4_t& sum : sums) sum = vdupq_n_f32(0.5f);
  const float32x4_t factor = vdupq_n_f32(0.999f);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 16
    for (float32x4_t& sum : sums) sum = vfmaq_f32(sum, factor, sum);
  }
  float32x4_t all = sums[0];
  for (const float32x4_t sum : sums) all = vaddq_f32(all, sum);
  return vgetq_lane_f32(all, 0);
}
#else
constexpr int kChains = 0;

int lanes() { return 0; }
float chains() { return 0.0f; }
#endif

// Kept, so that the compiler keeps the loop.
std::atomic<float> result;
void run() { result.store(chains(), std::memory_order_relaxed); }

}  // namespace

double run_fma(int threads) {
  if (lanes() == 0) return 0;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  return 2.0 * kRounds * kChains * lanes() * threads;
}

}  // namespace tenon::bench
