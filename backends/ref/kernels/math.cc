// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/math.cc: erf, expm1, log1p, sin, cos, pow.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// libm's functions in double, rounded once to the dtype. They reduce huge angles by as many digits
// of pi as it takes.
double erf(double x) { return std::erf(x); }
double expm1(double x) { return std::expm1(x); }
double log1p(double x) { return std::log1p(x); }
double sin(double x) { return std::sin(x); }
double cos(double x) { return std::cos(x); }

// Modulo 2^bits, by squaring. A negative exponent leaves the whole part of 1 / a^-b.
int64_t integer_power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? -1 : 0;
  uint64_t power = 1;
  auto square = static_cast<uint64_t>(a);
  for (auto rest = static_cast<uint64_t>(b); rest; rest >>= 1) {
    if (rest & 1) power *= square;
    square *= square;
  }
  return static_cast<int64_t>(power);
}

void pow(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T>(l, [](T a, T b) {
      if constexpr (sdk::is_float_type<T>) {
        return sdk::narrow<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
      } else {
        return static_cast<T>(integer_power(a, b));
      }
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_in_double<erf>("tenon.erf"),
    kernel_in_double<expm1>("tenon.expm1"),
    kernel_in_double<log1p>("tenon.log1p"),
    kernel_in_double<sin>("tenon.sin"),
    kernel_in_double<cos>("tenon.cos"),
    kernel("tenon.pow", kBinarySlots, sdk::kFloats, 0, sdk::launch_fn<pow>, {.flags = kOracle}),
    kernel("tenon.pow", kBinarySlots, sdk::kIntegers, 0, sdk::launch_fn<pow>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(math) = {.kernels = tenon::ref::kernels};
