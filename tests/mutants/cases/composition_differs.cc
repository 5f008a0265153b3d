// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/composition_differs.cc: halves in its kernel and takes a third in its
// composition, which runs if there is no kernel.
//
// cause: composition-differs
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.div", {c.in(0), kMutant ? 3.0 : 2.0})); }

constexpr tenon_op_desc ops[] = {half_op({.compose = sdk::compose_fn<compose>})};
constexpr tenon_vjp_desc vjps[] = {half_rule()};
constexpr tenon_kernel_desc kernels[] = {unary<half>(kHalf)};
constinit const sdk::Unit unit = {
    .ops = ops, .vjps = vjps, .kernels = kernels, .samples = kHalfSamples};

}  // namespace mutants
