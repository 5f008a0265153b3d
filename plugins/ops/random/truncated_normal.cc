// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/truncated_normal.cc: truncated_normal, normal numbers between two bounds.
//
// y = mean + std F^-1(F(a) + u (F(b) - F(a))), a = (low - mean) / std, b = (high - mean) / std.
// Source: L. Devroye, "Non-Uniform Random Variate Generation", 1986, II.2 (inversion).
#include <tenon/sdk/plugin/rounding.hpp>

#include <cmath>

#include "random/words.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.truncated_normal";

constexpr std::string_view doc =
    R"(Random numbers, normally distributed between two bounds: `y = mean + std * z`. `z` is drawn
from the part of the standard normal distribution between `a = (low - mean) / std` and
`b = (high - mean) / std`: `z = F^-1(F(a) + u (F(b) - F(a)))`, with the distribution function `F`.
`mean` and `std` are those before the cut. The bounds are those of `y`, not multiples of `std`, and
every `y` is between them. An interval that begins farther than 37 `std` from the mean is refused.

Element `i` of the row-major order has `u = (k + 1/2) / n`, of which `k` is the top 24 bits of word
`i` and `n` 2^24 for f32, and the top 52 bits of words `2i`, high, and `2i+1`, and 2^52 for f64. So
without bounds near by the largest `z` is 5.4 in f32 and 8.2 in f64.

No gradient: there is no tensor input.

Source: L. Devroye, "Non-Uniform Random Variate Generation", 1986, II.2 (inversion); `F^-1` by M.
Wichura, "Algorithm AS 241", Applied Statistics 37, 1988 (PPND16, 1 part in 10^16); as PyTorch's
`nn.init.trunc_normal_`, whose tails have fewer digits.

Canonical arithmetic: in f64 with the C library's functions, rounded once to the dtype, at last to
the nearest number of the dtype that is between the bounds. Probabilities are counted from the end
they are small at, and from 1/2 between. `tenon.cpu` gives the same bits in f32, and leaves f64 to
`tenon.ref`. Other backends may differ by 2 ULP.)";

enum Attribute : uint32_t { kShape, kMean, kStd, kLow, kHigh, kDtype };

constexpr double kFarthest = 37;  // beyond it F is not a normal f64

std::string interval_text(double low, double high) {
  return std::to_string(low) + " and " + std::to_string(high);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const double mean = args.attrs.real(kMean), deviation = args.attrs.real(kStd);
  const double low = args.attrs.real(kLow), high = args.attrs.real(kHigh);
  if (!(std::isfinite(mean) && std::isfinite(deviation) && deviation > 0.0)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "mean and std describe no distribution", "std",
                       "finite numbers, std > 0", interval_text(mean, deviation)};
  }
  if (!(std::isfinite(low) && std::isfinite(high) && low < high)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "low and high bound no interval", "low",
                       "finite numbers, low < high", interval_text(low, high)};
  }
  const double a = (low - mean) / deviation, b = (high - mean) / deviation;
  if (!(a < b && a <= kFarthest && b >= -kFarthest)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "the distribution has no numbers between low and high",
                       "low",
                       "an interval within 37 std of the mean that f64 tells from a point",
                       interval_text(a, b) + " std from the mean",
                       "bounds are those of the results, not multiples of std"};
  }
  if (args.attrs.dtype(kDtype) == TENON_DTYPE_F32 &&
      sdk::round_up<float>(low) > sdk::round_down<float>(high)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "no f32 is between low and high", "low",
                       "a wider interval, or f64", interval_text(low, high)};
  }
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(kShape), "shape").span());
}

uint64_t words(const sdk::Args& args) {
  return rules::words_of(args.attrs.ints(kShape), args.attrs.dtype(kDtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "truncated_normal(*, shape: int[], mean: float=0, std: float=1, low: "
                       "float=-2, high: float=2, dtype: D=f32) -> D[...] where D: f32|f64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3]"),
    sdk::sample(name, "| shape=[2,1,3,2]"),
    sdk::sample(name, "| shape=[61], dtype=f64"),
    sdk::sample(name, "| shape=[63]"),
    sdk::sample(name, "| shape=[4,5], mean=3.0, std=0.1, low=2.9, high=3.2"),
    sdk::sample(name, "| shape=[]"),
    sdk::sample(name, "| shape=[0]"),
    sdk::sample(name, "| shape=[1]"),
    sdk::sample(name, "| shape=[1,7,1], dtype=f64"),
    sdk::sample(name, "| shape=[33], low=-1e30, high=1e30"),
    sdk::sample(name, "| shape=[33], low=-1e300, high=1e300, std=1e38"),
    sdk::sample(name, "| shape=[33], low=5.0, high=1e300, dtype=f64"),
    sdk::sample(name, "| shape=[9], low=-40.0, high=-36.0, dtype=f64"),
    sdk::sample(name, "| shape=[9], low=0.5, high=0.5001, dtype=f64"),
    sdk::sample(name, "| shape=[9], low=1.0, high=1.0000001"),
    sdk::sample(name, "| shape=[6], std=1e30, low=-1.0, high=2.0"),
    sdk::sample(name, "| shape=[6], mean=1e-40, std=1e-40, low=-1e-40, high=3e-40"),
    sdk::refused(name, "f32[2] | shape=[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2], std=0.0", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], std=-1.0", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], mean=nan", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], std=inf", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], low=2.0", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], low=3.0", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], high=inf", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], low=nan", TENON_E_ATTRIBUTE, "bound no interval"),
    sdk::refused(name, "| shape=[2], low=38.0, high=39.0", TENON_E_ATTRIBUTE,
                 "no numbers between low and high"),
    sdk::refused(name, "| shape=[2], mean=1e20, std=1e20, low=1.0", TENON_E_ATTRIBUTE,
                 "no numbers between low and high"),
    sdk::refused(name, "| shape=[2], low=0.1, high=0.10000000001", TENON_E_ATTRIBUTE,
                 "no f32 is between"),
    sdk::refused(name, "| shape=[2,-3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2], dtype=f16", TENON_E_DTYPE, "f16"),
};

constexpr std::string_view reason =
    "Logarithm and error function are the C library's, and near the mean only the absolute error "
    "is small.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance(
        {.op = name, .dtype = TENON_DTYPE_F32, .ulp = 2, .relative = 2e-7, .reason = reason}),
    sdk::tolerance(
        {.op = name, .dtype = TENON_DTYPE_F64, .ulp = 4, .relative = 2e-15, .reason = reason})};

}  // namespace

TENON_UNIT(truncated_normal) = {.ops = ops, .samples = samples, .tolerances = tolerances};
