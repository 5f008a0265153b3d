// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/normal.cc: normal, random numbers of the normal distribution.
//
// y = mean + std z, z from pairs of uniforms by Box-Muller:
// z(2j) = r cos t, z(2j+1) = r sin t, r = sqrt(-2 ln(u(2j) + ulp)), t = 2 pi u(2j+1).
// Source: G. Box, M. Muller, "A Note on the Generation of Random Normal Deviates", 1958.
#include <cmath>

#include "random/words.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.normal";

constexpr std::string_view doc =
    R"(Random numbers, normally distributed: `y = mean + std * z`. Elements `2j` and `2j+1` of the
row-major order come from one pair of uniforms `u` (as in `tenon.uniform`) by Box and
Muller: `z(2j) = r cos t`, `z(2j+1) = r sin t`, `r = sqrt(-2 ln(u(2j) + e))`, `t = 2 pi
u(2j+1)`, where `e` is 2^-24 for f32 and 2^-53 for f64. An odd last element draws the whole
pair.

No gradient: there is no tensor input.

Source: G. Box, M. Muller, "A Note on the Generation of Random Normal Deviates", 1958;
Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011 (Philox4x32-10).

Canonical arithmetic: in f64 with the C library's functions, rounded once to the dtype.
`tenon.cpu` gives the same bits in f32, and leaves f64 to `tenon.ref`. Other backends may
differ by 2 ULP. The angle `t` is itself rounded to f64, so an f64 near a zero of its cosine
or sine is up to 1,300 ULP (2^-42 of `r`) from the formula's exact value.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const double mean = args.attrs.real(1);
  const double deviation = args.attrs.real(2);
  if (!(std::isfinite(mean) && std::isfinite(deviation) && deviation >= 0.0)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "mean and std describe no distribution", "std",
                       "finite numbers, std >= 0",
                       std::to_string(mean) + " and " + std::to_string(deviation)};
  }
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(0), "shape").span());
}

uint64_t words(const sdk::Args& args) {
  return rules::normal_words(args.attrs.ints(0), args.attrs.dtype(3));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "normal(*, shape: int[], mean: float=0, std: float=1, dtype: D=f32) -> "
                       "D[...] where D: f32|f64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3]"),
    sdk::sample(name, "| shape=[2,1,3,2]"),
    sdk::sample(name, "| shape=[61], dtype=f64"),
    sdk::sample(name, "| shape=[63]"),
    sdk::sample(name, "| shape=[4,5], mean=3.0, std=0.1"),
    sdk::sample(name, "| shape=[]"),
    sdk::sample(name, "| shape=[0]"),
    sdk::sample(name, "| shape=[5], mean=-1.0, std=0.0, dtype=f64"),
    sdk::sample(name, "| shape=[1]"),
    sdk::sample(name, "| shape=[1,7,1], dtype=f64"),
    sdk::sample(name, "| shape=[6], std=1e30"),
    sdk::sample(name, "| shape=[6], mean=1e-40, std=1e-40"),
    sdk::refused(name, "f32[2] | shape=[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2], std=-1.0", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], mean=nan", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2], std=inf", TENON_E_ATTRIBUTE, "describe no distribution"),
    sdk::refused(name, "| shape=[2,-3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2], dtype=f16", TENON_E_DTYPE, "f16"),
};

constexpr std::string_view reason =
    "Logarithm, root, sine and cosine are the C library's, and near their zeros only the absolute "
    "error of the angle is small.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance(
        {.op = name, .dtype = TENON_DTYPE_F32, .ulp = 2, .relative = 2e-7, .reason = reason}),
    sdk::tolerance(
        {.op = name, .dtype = TENON_DTYPE_F64, .ulp = 2, .relative = 1e-15, .reason = reason})};

}  // namespace

TENON_UNIT(normal) = {.ops = ops, .samples = samples, .tolerances = tolerances};
