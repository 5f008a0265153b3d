// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/no_samples.cc: brings an op without a single sample.
//
// cause: no-samples
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

constexpr tenon_op_desc ops[] = {half_op({})};
constexpr tenon_vjp_desc vjps[] = {half_rule()};
constexpr tenon_kernel_desc kernels[] = {unary<half>(kHalf)};
constexpr std::span<const tenon_sample> none;
constexpr std::span<const tenon_sample> given = kHalfSamples;
constinit const sdk::Unit unit = {
    .ops = ops, .vjps = vjps, .kernels = kernels, .samples = kMutant ? none : given};

}  // namespace mutants
