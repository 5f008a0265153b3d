// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/hangs.cc: waits for ever where its operand has rank 0.
//
// cause: hang
// op: tenon.sqrt
// backward-only: no
// level: 1
// timeout: 4
#include "mutant.h"

#include <unistd.h>

namespace mutants {

void sqrt(const sdk::Launch& l) {
  while (kMutant && l.out().rank == 0 && l.out().dtype == TENON_DTYPE_F64) pause();
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<sqrt>("tenon.sqrt")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
