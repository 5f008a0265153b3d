// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/erf_inverse.cc: erfinv: the quantile of the normal distribution in double,
// one step of Newton with libm's erf or erfc, rounded once to the dtype.

#include <tenon/sdk/plugin/normal_part.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Of |x| < 1. erf(y) = x is F(sqrt(2) y) = 1/2 + x / 2.
double of_size(double size) {
  const sdk::NormalPart half = {
      .left = 0.5, .right = (1 - size) / 2, .middle = size / 2, .inside = 0};
  const double y = half.quantile(0.5) / std::numbers::sqrt2;
  const double off = size < 0.5 ? size - std::erf(y) : std::erfc(y) - (1 - size);
  return y + off * std::exp(y * y) / (2 * std::numbers::inv_sqrtpi);
}

double erf_inverse(double x) {
  const double size = std::fabs(x);
  if (size > 1) return std::numeric_limits<double>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  return std::isnan(x) ? x : std::copysign(of_size(size), x);
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_in_double<erf_inverse>("tenon.erfinv"),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(erf_inverse) = {.kernels = tenon::ref::kernels};
