// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/undocumented.cc: brings an op that says nothing about itself.
//
// cause: no-documentation
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

constexpr tenon_op_desc ops[] = {half_op({.doc = kMutant ? "" : "Half of `x`."})};
constexpr tenon_vjp_desc vjps[] = {half_rule()};
constexpr tenon_kernel_desc kernels[] = {unary<half>(kHalf)};
constinit const sdk::Unit unit = {
    .ops = ops, .vjps = vjps, .kernels = kernels, .samples = kHalfSamples};

}  // namespace mutants
