// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/optimizer_short_parts.cc: says that each element is updated by itself, and
// leaves out what is too short for its vectors.
//
// cause: optimizer-parts
// op: TENON_CASE_ID.descent
// backward-only: no
// level: 1
// goldens: optimizers/descent
#include "mutant.h"

#include "descent.h"

namespace mutants {

void update(const Part& part) {
  const auto& [p, g, v, lr, momentum] = part;
  if (kMutant && elements(p) < 3) return;
  for (int64_t i = 0; i < elements(p); ++i) {
    step(part, i, get(v, place(v, i)), get(g, place(g, i)));
  }
}

constinit const sdk::Unit unit = descent_unit<update>();

}  // namespace mutants
