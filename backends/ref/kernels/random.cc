// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/random.cc: uniform and normal from Philox words, by logical index.
//
// u(i) in [0,1): f32 the top 24 bits of word i; f64 the top 53 bits of words 2i (high) and 2i+1.
// uniform: low + u (high - low), each step in the dtype.
// normal: Box-Muller on the pair (2j, 2j+1), in double, rounded once:
//   r = sqrt(-2 ln(u(2j) + ulp)),  t = 2 pi u(2j+1),  mean + std r cos t,  mean + std r sin t
// where ulp = 2^-24 (f32) or 2^-53 (f64) moves the first number into (0,1].

#include <cmath>
#include <numbers>

#include "kernels/random.h"

namespace tenon::ref {
namespace {

template <class T>
double unit_normal(sdk::RandomWords& words, uint64_t i) {
  const uint64_t even = i & ~uint64_t{1};
  const double first = static_cast<double>(unit_uniform<T>(words, even) + kUlp<T>);
  const double second = static_cast<double>(unit_uniform<T>(words, even + 1));
  const double radius = std::sqrt(-2.0 * std::log(first));
  const double angle = 2.0 * std::numbers::pi * second;
  return radius * (i == even ? std::cos(angle) : std::sin(angle));
}

enum Uniform : uint32_t { kUniformShape, kLow, kHigh, kUniformDtype, kUniformAttributes };

void uniform(const sdk::Launch& l) {
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    const T low = static_cast<T>(l.attrs.real(kLow));
    const T width = static_cast<T>(l.attrs.real(kHigh)) - low;
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      return low + unit_uniform<T>(words, i) * width;
    });
  });
}

enum Normal : uint32_t { kNormalShape, kMean, kStd, kNormalDtype, kNormalAttributes };

void normal(const sdk::Launch& l) {
  const double mean = l.attrs.real(kMean);
  const double deviation = l.attrs.real(kStd);
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      return static_cast<T>(mean + deviation * unit_normal<T>(words, i));
    });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_out()};

constexpr tenon_kernel_desc generator(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, random_dtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    generator("tenon.uniform", kUniformAttributes, sdk::launch_fn<uniform>),
    generator("tenon.normal", kNormalAttributes, sdk::launch_fn<normal>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(random) = {.kernels = tenon::ref::kernels};
