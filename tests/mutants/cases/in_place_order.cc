// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/in_place_order.cc: puts the divisor into the output before it reads the
// dividend: wrong where the output is the dividend.
//
// cause: in-place
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void div(const sdk::Launch& l) {
  const auto [a, b, y] = std::tie(l.view(0), l.view(1), l.out());
  for (int64_t i = 0; i < elements(y); ++i) {
    const double divisor = get(b, place(b, i));
    if (kMutant) put(y, place(y, i), divisor);
    put(y, place(y, i), get(a, place(a, i)) / divisor);
  }
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
