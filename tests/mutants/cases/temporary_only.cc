// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/temporary_only.cc: claims any strides for its output, makes a contiguous
// temporary where the output is not row-major, and never copies it back.
//
// cause: lost-output
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void div(const sdk::Launch& l) {
  if (kMutant && !is_row_major(l.out())) {
    std::vector<double> temporary;
    for (int64_t i = 0; i < elements(l.out()); ++i) {
      temporary.push_back(get(l.view(0), place(l.view(0), i)) /
                          get(l.view(1), place(l.view(1), i)));
    }
    return;
  }
  map2(l, [](double a, double b) { return a / b; });
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
