// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/overrun_by_one.cc: writes one element more than its output has.
//
// cause: overrun
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  const int64_t n = elements(l.out());
  map(l, [](double x) { return std::exp(x); });
  if (kMutant && n > 0 && is_row_major(l.out())) put(l.out(), n, 1.0);
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
