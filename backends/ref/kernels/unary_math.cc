// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/unary_math.cc: exp2, log2, log10, tan, asin, acos, atan, sinh, cosh, asinh,
// acosh, atanh: libm's functions in double, rounded once to the dtype.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

double exp2(double x) { return std::exp2(x); }
double log2(double x) { return std::log2(x); }
double log10(double x) { return std::log10(x); }
double tan(double x) { return std::tan(x); }
double asin(double x) { return std::asin(x); }
double acos(double x) { return std::acos(x); }
double atan(double x) { return std::atan(x); }
double sinh(double x) { return std::sinh(x); }
double cosh(double x) { return std::cosh(x); }
double asinh(double x) { return std::asinh(x); }
double acosh(double x) { return std::acosh(x); }
double atanh(double x) { return std::atanh(x); }

template <double (*F)(double)>
void function(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return sdk::narrow<T>(F(static_cast<double>(x))); });
  });
}

template <double (*F)(double)>
constexpr tenon_kernel_desc of(std::string_view op) {
  return kernel(op, kUnarySlots, sdk::kFloats, 0, sdk::launch_fn<function<F>>, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    of<exp2>("tenon.exp2"),   of<log2>("tenon.log2"),   of<log10>("tenon.log10"),
    of<tan>("tenon.tan"),     of<asin>("tenon.asin"),   of<acos>("tenon.acos"),
    of<atan>("tenon.atan"),   of<sinh>("tenon.sinh"),   of<cosh>("tenon.cosh"),
    of<asinh>("tenon.asinh"), of<acosh>("tenon.acosh"), of<atanh>("tenon.atanh"),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(unary_math) = {.kernels = tenon::ref::kernels};
