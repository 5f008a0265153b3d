// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/row_refused.cc: declares f16 and refuses it when launched.
//
// cause: refused
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  if (kMutant && l.out().dtype == TENON_DTYPE_F16) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "f16 is not offered here yet"};
  }
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
