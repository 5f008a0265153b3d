// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions.h: the vector functions of tenon.cpu, for each instruction set that this
// processor has, and what they should give.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tenon::tests {

// y[i] = f(x[i]) for `count` numbers, a multiple of 64.
struct UnaryFunction {
  std::string_view name;
  void (*f32)(const float* x, float* y, size_t count);
  void (*f64)(const double* x, double* y, size_t count);
  long double (*exact)(long double x);
  double (*exact_in_f64)(double x);              // to far more digits than f32 has
  double f32_ulp, f64_ulp;                       // how far off it may be
  long double (*size)(long double x) = nullptr;  // ULP of a number of this size, not of the result
};

// y[i] = f(a[i], b[i]), likewise.
struct BinaryFunction {
  std::string_view name;
  void (*f32)(const float* a, const float* b, float* y, size_t count);
  void (*f64)(const double* a, const double* b, double* y, size_t count);
  long double (*exact)(long double a, long double b);
  double (*exact_in_f64)(double a, double b);
  double f32_ulp, f64_ulp;
};

struct Target {
  std::string_view name;
  std::span<const UnaryFunction> unary;
  std::span<const BinaryFunction> binary;
};

// The instruction sets, best first. The first one is what tenon.cpu uses here.
std::span<const Target> targets();

}  // namespace tenon::tests
