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

constexpr tenon_kernel_desc kernels[] = {
    kernel_in_double<exp2>("tenon.exp2"),   kernel_in_double<log2>("tenon.log2"),
    kernel_in_double<log10>("tenon.log10"), kernel_in_double<tan>("tenon.tan"),
    kernel_in_double<asin>("tenon.asin"),   kernel_in_double<acos>("tenon.acos"),
    kernel_in_double<atan>("tenon.atan"),   kernel_in_double<sinh>("tenon.sinh"),
    kernel_in_double<cosh>("tenon.cosh"),   kernel_in_double<asinh>("tenon.asinh"),
    kernel_in_double<acosh>("tenon.acosh"), kernel_in_double<atanh>("tenon.atanh"),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(unary_math) = {.kernels = tenon::ref::kernels};
