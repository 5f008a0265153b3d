// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/error_words.cc: refuses what it must, with words that say nothing of it.
//
// cause: error-status
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  if (kMutant && args.shape(0).empty()) throw sdk::Failure{TENON_E_SHAPE, "that is not possible"};
  need_rank(args, TENON_E_SHAPE);
  sdk::set_shape(out[0], args.shape(0));
}

constexpr tenon_op_desc ops[] = {half_op({.infer = sdk::infer_fn<infer>})};
constexpr tenon_vjp_desc vjps[] = {half_rule()};
constexpr tenon_kernel_desc kernels[] = {unary<half>(kHalf)};
constexpr tenon_sample samples[] = {sdk::sample(kHalf, "f64[2,3]"), sdk::sample(kHalf, "f64[0,3]"),
                                    sdk::refused(kHalf, "f32[]", TENON_E_SHAPE, "no dimensions")};
constinit const sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};

}  // namespace mutants
