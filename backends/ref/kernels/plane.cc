// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/plane.cc: atan2 and hypot, angle and length of a point of the plane.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// libm's functions in double, rounded once to the dtype.
double atan2(double y, double x) { return std::atan2(y, x); }
double hypot(double a, double b) { return std::hypot(a, b); }

template <double (*F)(double, double)>
void function(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T>(l, [](T a, T b) {
      return sdk::narrow<T>(F(static_cast<double>(a), static_cast<double>(b)));
    });
  });
}

constexpr tenon_kernel_desc elementwise(std::string_view op, LaunchFn launch) {
  return kernel(op, kBinarySlots, sdk::kFloats, 0, launch, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.atan2", sdk::launch_fn<function<atan2>>),
    elementwise("tenon.hypot", sdk::launch_fn<function<hypot>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(plane) = {.kernels = tenon::ref::kernels};
