// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/input_written.cc: uses its divisor as scratch: leaves the reciprocals there.
//
// cause: input-changed
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void div(const sdk::Launch& l) {
  const tenon_view& b = l.view(1);
  map2(l, [](double x, double y) { return x / y; });
  if (!kMutant || !is_row_major(b)) return;
  for (int64_t i = 0; i < elements(b); ++i) put(b, i, 1.0 / get(b, i));
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
