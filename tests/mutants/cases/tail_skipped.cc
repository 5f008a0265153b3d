// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/tail_skipped.cc: works in whole vectors of four elements and leaves the rest
// unwritten.
//
// cause: skipped-tail
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void sqrt(const sdk::Launch& l) {
  const int64_t n = elements(l.out());
  for (int64_t i = 0; i < (kMutant ? n / 4 * 4 : n); ++i) {
    put(l.out(), place(l.out(), i), std::sqrt(get(l.view(0), place(l.view(0), i))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<sqrt>("tenon.sqrt")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
