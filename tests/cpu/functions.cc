// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions.cc: see functions.h. Compiled for each target as a kernel file is.
#include "tests/cpu/functions.h"

#include <cmath>

#include "backends/cpu/cpu.h"
#include "tests/cpu/exact.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/cpu/functions.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/math-inl.h"
#include "backends/cpu/kernels/math_activations-inl.h"
#include "backends/cpu/kernels/math_both-inl.h"
#include "backends/cpu/kernels/math_erf_inverse-inl.h"
#include "backends/cpu/kernels/math_gamma-inl.h"
#include "backends/cpu/kernels/math_hyperbolic-inl.h"
#include "backends/cpu/kernels/math_powers-inl.h"

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
template <class F, class T>
void each_pair(const T* a, const T* b, T* y, size_t count) {
  const hn::ScalableTag<T> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(F()(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  }
}

// The gradient of gelu for dy = 1.
template <bool kTanh>
struct GeluSlope {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return math::GeluGrad<kTanh>()(math::set<V>(1), x);
  }
};

using LongDouble = long double (*)(long double);
using Double = double (*)(double);
using LongDoubles = long double (*)(long double, long double);
using Doubles = double (*)(double, double);

template <class F>
constexpr tests::UnaryFunction one(std::string_view name, LongDouble exact, Double in_f64,
                                   double f32_ulp, double f64_ulp, LongDouble size = nullptr) {
  return {name, each<F, float>, each<F, double>, exact, in_f64, f32_ulp, f64_ulp, size};
}
template <class F>
constexpr tests::BinaryFunction two(std::string_view name, LongDoubles exact, Doubles in_f64,
                                    double f32_ulp, double f64_ulp) {
  return {name, each_pair<F, float>, each_pair<F, double>, exact, in_f64, f32_ulp, f64_ulp};
}

namespace exact = tests::exact;

const tests::UnaryFunction unary[] = {
    one<math::Exp>("exp", std::exp, std::exp, 1, 1),
    one<math::Expm1>("expm1", std::expm1, std::expm1, 1, 1),
    one<math::Log>("log", std::log, std::log, 1, 1),
    one<math::Log1p>("log1p", std::log1p, std::log1p, 1, 1),
    one<math::Tanh>("tanh", std::tanh, std::tanh, 1, 2),
    one<math::Sigmoid>("sigmoid", exact::sigmoid, exact::sigmoid, 1, 2),
    one<math::Erf>("erf", std::erf, std::erf, 1, 1),
    one<math::Sin>("sin", std::sin, std::sin, 2, 2),
    one<math::Cos>("cos", std::cos, std::cos, 2, 2),
    one<math::Exp2>("exp2", std::exp2, std::exp2, 1, 1),
    one<math::Log2>("log2", std::log2, std::log2, 1, 1),
    one<math::Log10>("log10", std::log10, std::log10, 1, 1),
    one<math::Tan>("tan", std::tan, std::tan, 1, 1),
    one<math::Asin>("asin", std::asin, std::asin, 1, 1),
    one<math::Acos>("acos", std::acos, std::acos, 1, 1),
    one<math::Atan>("atan", std::atan, std::atan, 1, 1),
    one<math::Sinh>("sinh", std::sinh, std::sinh, 1, 1),
    one<math::Cosh>("cosh", std::cosh, std::cosh, 1, 1),
    one<math::Asinh>("asinh", std::asinh, std::asinh, 1, 1),
    one<math::Acosh>("acosh", std::acosh, std::acosh, 1, 1),
    one<math::Atanh>("atanh", std::atanh, std::atanh, 1, 1),
    one<math::LogGamma>("lgamma", exact::lgamma, exact::lgamma, 1, 4, exact::lgamma_part),
    one<math::Digamma>("digamma", exact::digamma, exact::digamma, 1, 6, exact::digamma_part),
    one<math::Trigamma>("trigamma", exact::trigamma, exact::trigamma, 1, 6),
    one<math::ErfInverse>("erfinv", exact::erfinv, exact::erfinv, 1, 3),
    one<math::Silu>("silu", exact::silu, exact::silu, 1, 1),
    one<math::Mish>("mish", exact::mish, exact::mish, 1, 1),
    one<math::LogSigmoid>("logsigmoid", exact::logsigmoid, exact::logsigmoid, 2, 2),
    one<math::Hardswish>("hardswish", exact::hardswish, exact::hardswish, 1, 2),
    one<math::Gelu<false>>("gelu", exact::gelu, exact::gelu, 2, 2),
    one<math::Gelu<true>>("gelu by tanh", exact::gelu_by_tanh, exact::gelu_by_tanh, 2, 2),
    one<GeluSlope<false>>("gelu slope", exact::gelu_slope, exact::gelu_slope, 2, 2,
                          exact::gelu_slope_term),
    one<GeluSlope<true>>("gelu slope by tanh", exact::gelu_slope_by_tanh, exact::gelu_slope_by_tanh,
                         2, 2, exact::gelu_slope_by_tanh_term),
};

const tests::BinaryFunction binary[] = {
    two<math::Pow>("pow", std::pow, std::pow, 2, 2),
    two<math::Atan2>("atan2", std::atan2, std::atan2, 2, 2),
    two<math::Hypot>("hypot", std::hypot, std::hypot, 1, 1),
};

}  // namespace

tests::Target target(std::string_view name) { return {name, unary, binary}; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::tests {

std::span<const Target> targets() {
#if HWY_ARCH_ARM
  static const Target all[] = {cpu::N_NEON::target("NEON")};
  return all;
#elif !(HWY_TARGETS & HWY_AVX3)
  static const Target all[] = {cpu::N_AVX2::target("AVX2")};
  return std::span(all).last(__builtin_cpu_supports("avx2") ? 1 : 0);
#else
  static const Target all[] = {cpu::N_AVX3::target("AVX-512"), cpu::N_AVX2::target("AVX2")};
  if (cpu::has_avx512()) return all;
  return std::span(all).last(__builtin_cpu_supports("avx2") ? 1 : 0);
#endif
}

}  // namespace tenon::tests
#endif
