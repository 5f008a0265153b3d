// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/error_writes.cc: has halved its operand in place by the time it refuses it.
//
// cause: input-changed
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

void careful_half(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  for (int64_t i = 0; i < elements(x); ++i) {
    if (!std::isinf(get(x, place(x, i)))) continue;
    for (int64_t k = 0; kMutant && k < i; ++k) put(x, place(x, k), get(x, place(x, k)) / 2);
    throw sdk::Failure{TENON_E_DATA, "x is infinite somewhere"};
  }
  half(l);
}

constexpr tenon_op_desc ops[] = {half_op({})};
constexpr tenon_vjp_desc vjps[] = {half_rule()};
constexpr tenon_kernel_desc kernels[] = {unary<careful_half>(kHalf)};
constexpr tenon_sample samples[] = {
    sdk::sample(kHalf, "f64[2,3]"), sdk::sample(kHalf, "f64[0,3]"),
    sdk::refused(kHalf, "f64[3]{1.0,2.0,inf}", TENON_E_DATA, "infinite")};
constinit const sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};

}  // namespace mutants
