// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/exponential.cc: exponential, random waiting times.
//
// y = -ln(u + ulp) / rate.
// Source: L. Devroye, "Non-Uniform Random Variate Generation", 1986, II.2 (inversion).
#include <cmath>

#include "random/words.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.exponential";

constexpr std::string_view doc =
    R"(Random numbers, exponentially distributed with the mean `1 / rate`: `y[i] = -ln(u(i) + e) /
rate`, where `u` is as in `tenon.uniform` and `e` is 2^-24 for f32 and 2^-53 for f64. So the largest
is 16.6 or 36.7 times the mean, and 0 is possible.

No gradient: there is no tensor input.

Source: L. Devroye, "Non-Uniform Random Variate Generation", 1986, II.2 (inversion); Salmon and
others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011 (Philox4x32-10).

Canonical arithmetic: in f64 with the C library's logarithm, rounded once to the dtype. Other
backends may differ by 2 ULP.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const double rate = args.attrs.real(1);
  if (!(std::isfinite(rate) && rate > 0.0)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "rate describes no distribution", "rate",
                       "a finite number above 0", std::to_string(rate)};
  }
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(0), "shape").span());
}

uint64_t words(const sdk::Args& args) {
  return rules::words_of(args.attrs.ints(0), args.attrs.dtype(2));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "exponential(*, shape: int[], rate: float=1, dtype: D=f32) -> D[...] "
                       "where D: f32|f64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3]"),
    sdk::sample(name, "| shape=[2,1,3,2]"),
    sdk::sample(name, "| shape=[61], dtype=f64"),
    sdk::sample(name, "| shape=[63]"),
    sdk::sample(name, "| shape=[4,5], rate=3.0"),
    sdk::sample(name, "| shape=[]"),
    sdk::sample(name, "| shape=[0]"),
    sdk::sample(name, "| shape=[1,7,1], rate=0.125, dtype=f64"),
    sdk::sample(name, "| shape=[6], rate=1e30"),
    sdk::sample(name, "| shape=[6], rate=1e38"),
    sdk::sample(name, "| shape=[6], rate=1e-38"),
    sdk::sample(name, "| shape=[5], rate=1e-308, dtype=f64"),
    sdk::refused(name, "f32[2] | shape=[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2], rate=0.0", TENON_E_ATTRIBUTE, "describes no distribution"),
    sdk::refused(name, "| shape=[2], rate=-1.0", TENON_E_ATTRIBUTE, "describes no distribution"),
    sdk::refused(name, "| shape=[2], rate=inf", TENON_E_ATTRIBUTE, "describes no distribution"),
    sdk::refused(name, "| shape=[2], rate=nan", TENON_E_ATTRIBUTE, "describes no distribution"),
    sdk::refused(name, "| shape=[-1]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2], dtype=f16", TENON_E_DTYPE, "f16"),
};

constexpr std::string_view reason =
    "The logarithm is the C library's, and the quotient is rounded once more.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({.op = name, .dtype = TENON_DTYPE_F32, .ulp = 2, .reason = reason}),
    sdk::tolerance({.op = name, .dtype = TENON_DTYPE_F64, .ulp = 2, .reason = reason})};

}  // namespace

TENON_UNIT(exponential) = {.ops = ops, .samples = samples, .tolerances = tolerances};
