// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/optimizer_row_major.cc: claims any strides and takes every gradient for
// row-major.
//
// cause: optimizer-strides
// op: TENON_CASE_ID.descent
// backward-only: no
// level: 1
// goldens: optimizers/descent
#include "mutant.h"

#include "descent.h"

namespace mutants {

void update(const Part& part) {
  const auto& [p, g, v, lr, momentum] = part;
  for (int64_t i = 0; i < elements(p); ++i) {
    step(part, i, get(v, place(v, i)), get(g, kMutant ? i : place(g, i)));
  }
}

constinit const sdk::Unit unit = descent_unit<update>();

}  // namespace mutants
