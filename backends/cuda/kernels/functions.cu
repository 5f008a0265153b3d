// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/functions.cu: exponentials, logarithms, circular and hyperbolic functions,
// erf, sigmoid; pow, atan2, hypot.
//
// CUDA states the largest error it has seen of each function ("CUDA C++ Programming Guide",
// Mathematical Functions). Its double functions are within 1 to 3 ULP, and their value rounded to
// f32 is within 1; tolerances.cc has those whose ops promise more. Its float functions are used for
// f32 if that is 1 ULP; exp, sigmoid and tanh have float forms here, as double ones would not
// keep up with memory.
#include "function.h"
#include "shares.h"
#include "tanh.h"

namespace tenon::cuda::functions_unit {
namespace {

__device__ __forceinline__ float clamped(float x, float least, float most) {
  return x < least ? least : x > most ? most : x;
}

struct Exp {
  __device__ static float brief(float x) { return expf(x); }
  __device__ static float single(float x) { return value_of(long_exp(clamped(x, -110, 90))); }
  __device__ static double full(double x) { return exp(x); }
};

// By CUDA's functions, which C++ has under the same names.
template <float (*Float)(float), double (*Double)(double)>
struct Plain {
  __device__ static float brief(float x) { return Float(x); }
  // As a call: inlined for every pack it would be most of what this library takes to compile.
  __device__ static double __attribute__((noinline)) full(double x) { return Double(x); }
};
// The float function is within 1 ULP.
template <float (*Float)(float), double (*Double)(double)>
struct Close : Plain<Float, Double> {
  __device__ static float single(float x) { return Float(x); }
};
template <float (*Float)(float, float), double (*Double)(double, double)>
struct PlainPair {
  __device__ static float brief(float a, float b) { return Float(a, b); }
  __device__ static double __attribute__((noinline)) full(double a, double b) {
    return Double(a, b);
  }
};

// CUDA's function of doubles gives infinity just below the largest double.
struct Hypot {
  __device__ static float brief(float a, float b) { return hypotf(a, b); }
  __device__ static double __attribute__((noinline)) full(double a, double b) {
    const double length = hypot(a, b);
    if (!std::isinf(length) || std::isinf(a) || std::isinf(b)) return length;
    a *= 0x1p-600;
    b *= 0x1p-600;
    return sqrt(fma(a, a, b * b)) * 0x1p600;
  }
};

template <class F>
constexpr tenon_kernel_desc unary(std::string_view op) {
  return kernel(op, kUnarySlots, sdk::kFloats, sdk::launch_fn<plain_unary<F>>);
}
template <class F>
constexpr tenon_kernel_desc binary(std::string_view op) {
  return kernel(op, kBinarySlots, sdk::kFloats, sdk::launch_fn<plain_binary<F>>);
}

constexpr tenon_kernel_desc kernels[] = {
    unary<Exp>("tenon.exp"),
    unary<Sigmoid>("tenon.sigmoid"),
    unary<Tanh>("tenon.tanh"),
    unary<Plain<exp2f, exp2>>("tenon.exp2"),
    unary<Close<expm1f, expm1>>("tenon.expm1"),
    unary<Close<logf, log>>("tenon.log"),
    unary<Close<log2f, log2>>("tenon.log2"),
    unary<Plain<log10f, log10>>("tenon.log10"),
    unary<Close<log1pf, log1p>>("tenon.log1p"),
    unary<Plain<sinf, sin>>("tenon.sin"),
    unary<Plain<cosf, cos>>("tenon.cos"),
    unary<Plain<tanf, tan>>("tenon.tan"),
    unary<Plain<asinf, asin>>("tenon.asin"),
    unary<Plain<acosf, acos>>("tenon.acos"),
    unary<Plain<atanf, atan>>("tenon.atan"),
    unary<Plain<sinhf, sinh>>("tenon.sinh"),
    unary<Plain<coshf, cosh>>("tenon.cosh"),
    unary<Plain<asinhf, asinh>>("tenon.asinh"),
    unary<Plain<acoshf, acosh>>("tenon.acosh"),
    unary<Plain<atanhf, atanh>>("tenon.atanh"),
    unary<Plain<erff, erf>>("tenon.erf"),
    binary<PlainPair<powf, pow>>("tenon.pow"),
    binary<PlainPair<atan2f, atan2>>("tenon.atan2"),
    binary<Hypot>("tenon.hypot"),
};

}  // namespace
}  // namespace tenon::cuda::functions_unit

TENON_UNIT(functions) = {.kernels = tenon::cuda::functions_unit::kernels};
