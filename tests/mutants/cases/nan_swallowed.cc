// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/nan_swallowed.cc: limits its input with fmin and fmax, which lose NaN: the
// result is 1 or -1 instead.
//
// cause: swallows-nan
// op: tenon.tanh
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

// Beyond 20 the result is 1 in every dtype.
void tanh(const sdk::Launch& l) {
  map(l, [](double x) { return std::tanh(kMutant ? std::fmin(std::fmax(x, -20.0), 20.0) : x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<tanh>("tenon.tanh")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
