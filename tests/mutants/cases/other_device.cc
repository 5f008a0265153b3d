// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/other_device.cc: has kernels for a kind of device that nobody offers, and
// nothing else.
//
// cause: unusable
// op: TENON_CASE_ID
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<exp>("tenon.exp");
  if (kMutant) desc.device = sdk::str("abacus");
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
