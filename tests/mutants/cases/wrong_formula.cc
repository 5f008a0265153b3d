// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/wrong_formula.cc: computes the hyperbolic tangent.
//
// cause: wrong-value
// op: tenon.sigmoid
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void sigmoid(const sdk::Launch& l) {
  map(l, [](double x) { return kMutant ? std::tanh(x) : 1.0 / (1.0 + std::exp(-x)); });
}

constexpr tenon_kernel_desc kernels[] = {unary<sigmoid>("tenon.sigmoid")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
