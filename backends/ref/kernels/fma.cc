// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/fma.cc: fma: a b + c, rounded once.
//
// For 16-bit floats the product is exact in double and the sum is rounded there to odd, which
// leaves a second rounding all it needs. Source: S. Boldo, G. Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", 2008.

#include <bit>
#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// a + b: exact, or the one of its two neighbours whose last bit is 1.
double sum_to_odd(double a, double b) {
  const double sum = a + b;
  // What rounding lost (D. Knuth, "The Art of Computer Programming", 4.2.2).
  const double part = sum - a;
  const double lost = (a - (sum - part)) + (b - part);
  auto bits = std::bit_cast<int64_t>(sum);
  if (!std::isfinite(sum) || lost == 0 || (bits & 1) != 0) return sum;
  bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

void fma(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T, T>(l, [](T a, T b, T c) {
      if constexpr (std::is_floating_point_v<T>) {
        return std::fma(a, b, c);
      } else {
        return T(sum_to_odd(static_cast<double>(a) * static_cast<double>(b), c));
      }
    });
  });
}

constexpr tenon_slot_rule slots[] = {element_in(), element_in(), element_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.fma", slots, sdk::kFloats, 0, sdk::launch_fn<fma>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(fma) = {.kernels = tenon::ref::kernels};
