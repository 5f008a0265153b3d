// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/crash_on_nothing.cc: looks at the first element before it counts them: a
// crash if there is none and the address is NULL.
//
// cause: crash
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  if (kMutant && elements(l.out()) == 0) __builtin_trap();
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
