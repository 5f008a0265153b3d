// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/exits.cc: ends the process, with success, where its operand holds an
// infinity.
//
// cause: exit
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <cstdlib>

namespace mutants {

void sqrt(const sdk::Launch& l) {
  map(l, [](double x) {
    if (kMutant && std::isinf(x)) std::_Exit(0);
    return std::sqrt(x);
  });
}

constexpr tenon_kernel_desc kernels[] = {unary<sqrt>("tenon.sqrt")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
