// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/zeros_skipped.cc: skips elements whose result is 0, as if outputs came
// zeroed.
//
// cause: unwritten-output
// op: tenon.tanh
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void tanh(const sdk::Launch& l) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    const double result = std::tanh(get(l.view(0), place(l.view(0), i)));
    if (kMutant && result == 0) continue;
    put(l.out(), place(l.out(), i), result);
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<tanh>("tenon.tanh")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
