// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/predicate_refuses.cc: declares every float and declines each call by its
// predicate.
//
// cause: not-used
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

tenon_status never(tenon_call* call, const tenon_launch*, uint32_t* out_accepts) {
  *out_accepts = kMutant ? 0 : 1;
  return kMutant ? call->base->fail(call, TENON_OK, "not today", TENON_NUL) : TENON_OK;
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<exp>("tenon.exp");
  desc.predicate = never;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
