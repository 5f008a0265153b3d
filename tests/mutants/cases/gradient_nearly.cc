// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_nearly.cc: a slope that is a ten-thousandth too steep, of an op for
// which nobody else has a rule.
//
// cause: wrong-gradient
// op: TENON_CASE_ID.half
// backward-only: yes
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

void nearly_vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), kMutant ? 0.50005 : 0.5})); }

constexpr tenon_op_desc ops[] = {half_op({})};
constexpr tenon_vjp_desc vjps[] = {rule<nearly_vjp>(kHalf, kHalfNeeds)};
constexpr tenon_kernel_desc kernels[] = {unary<half>(kHalf)};
constinit const sdk::Unit unit = {
    .ops = ops, .vjps = vjps, .kernels = kernels, .samples = kHalfSamples};

}  // namespace mutants
