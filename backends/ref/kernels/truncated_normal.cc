// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/truncated_normal.cc: truncated_normal from Philox words, by logical index,
// in double, rounded once:
//
//   y = mean + std F^-1(F(a) + u (F(b) - F(a))),  a = (low - mean) / std,  b = (high - mean) / std
//
// and not beyond the numbers of the dtype next to low and high. F is the standard normal
// distribution function; tenon/sdk/plugin/normal_part.hpp has its inverse and their sources.

#include <tenon/sdk/plugin/normal_part.hpp>
#include <tenon/sdk/plugin/rounding.hpp>

#include <algorithm>

#include "kernels/random.h"

namespace tenon::ref {
namespace {

// In (0, 1): the middle of one of 2^24 or 2^52 equal parts.
template <class T>
double inner_uniform(sdk::RandomWords& words, uint64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    return (static_cast<double>(words.word(i) >> 8) + 0.5) * 0x1p-24;
  } else {
    return (static_cast<double>(words.two_words(2 * i) >> 12) + 0.5) * 0x1p-52;
  }
}

enum Attribute : uint32_t { kShape, kMean, kStd, kLow, kHigh, kDtype, kAttributes };

void truncated_normal(const sdk::Launch& l) {
  const double mean = l.attrs.real(kMean), deviation = l.attrs.real(kStd);
  const double low = l.attrs.real(kLow), high = l.attrs.real(kHigh);
  const auto part = sdk::NormalPart::between((low - mean) / deviation, (high - mean) / deviation);
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    const T least = sdk::round_up<T>(low), most = sdk::round_down<T>(high);
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      const double z = part.quantile(inner_uniform<T>(words, i));
      return std::clamp(static_cast<T>(mean + deviation * z), least, most);
    });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {sdk::kernel({.op = "tenon.truncated_normal",
                                                      .device = kDevice,
                                                      .slots = slots,
                                                      .rows = random_dtypes,
                                                      .n_attrs = kAttributes,
                                                      .flags = kCanonical,
                                                      .priority = kPriority,
                                                      .launch = sdk::launch_fn<truncated_normal>})};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(truncated_normal) = {.kernels = tenon::ref::kernels};
