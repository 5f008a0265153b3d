// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions.cc: see functions.h. Compiled for each target as a kernel file is.
#include "tests/cpu/functions.h"

#include <cmath>

#include "backends/cpu/cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/cpu/functions.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/math-inl.h"
#include "backends/cpu/kernels/math_wide-inl.h"

#ifndef TENON_TESTS_CPU_EXACT
#define TENON_TESTS_CPU_EXACT
namespace tenon::tests {
namespace {

// long double for f64 results; double is enough for f32.
template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}
template <class T>
T gelu(T x) {
  if (x < -40) return T(-0.0);
  return x * std::erfc(-x * T(0.707106781186547524400844362104849L)) / 2;
}
template <class T>
T gelu_by_tanh(T x) {
  if (x < -40) return T(-0.0);
  // The exponent is up to 100: in f64 its last digit would show in an f32's.
  const long double wide = x;
  const long double u = wide * (1 + 0.044715L * wide * wide) * 0.797884560802865355879892119868764L;
  return static_cast<T>(wide / (1 + std::exp(-2 * u)));
}

}  // namespace
}  // namespace tenon::tests
#endif

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class F, class T>
void each(const T* x, T* y, size_t count) {
  const hn::ScalableTag<T> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(F()(hn::LoadU(d, x + i)), d, y + i);
  }
}
void pow_each(const float* a, const float* b, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(math::Pow()(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  }
}

using LongDouble = long double (*)(long double);
using Double = double (*)(double);

template <class F>
constexpr tests::UnaryFunction both(std::string_view name, LongDouble exact, Double in_f64,
                                    double f32_ulp, double f64_ulp) {
  return {name, each<F, float>, each<F, double>, exact, in_f64, f32_ulp, f64_ulp};
}
template <class F>
constexpr tests::UnaryFunction narrow(std::string_view name, LongDouble exact, Double in_f64,
                                      double f32_ulp) {
  return {name, each<F, float>, nullptr, exact, in_f64, f32_ulp, 0};
}

const tests::UnaryFunction functions[] = {
    both<math::Exp>("exp", std::exp, std::exp, 1, 1),
    both<math::Expm1>("expm1", std::expm1, std::expm1, 1, 1),
    both<math::Log>("log", std::log, std::log, 1, 1),
    both<math::Log1p>("log1p", std::log1p, std::log1p, 1, 1),
    both<math::Tanh>("tanh", std::tanh, std::tanh, 1, 2),
    both<math::Sigmoid>("sigmoid", tests::sigmoid, tests::sigmoid, 1, 2),
    narrow<math::Erf>("erf", std::erf, std::erf, 1),
    narrow<math::Sin>("sin", std::sin, std::sin, 2),
    narrow<math::Cos>("cos", std::cos, std::cos, 2),
    narrow<math::Gelu<false>>("gelu", tests::gelu, tests::gelu, 2),
    narrow<math::Gelu<true>>("gelu by tanh", tests::gelu_by_tanh, tests::gelu_by_tanh, 2),
};

}  // namespace

tests::Target target(std::string_view name) { return {name, functions, pow_each}; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::tests {

std::span<const Target> targets() {
#if HWY_ARCH_ARM
  static const Target all[] = {cpu::N_NEON::target("NEON")};
  return all;
#else
  static const Target all[] = {cpu::N_AVX3::target("AVX-512"), cpu::N_AVX2::target("AVX2")};
  if (cpu::has_avx512()) return all;
  return std::span(all).last(__builtin_cpu_supports("avx2") ? 1 : 0);
#endif
}

}  // namespace tenon::tests
#endif
