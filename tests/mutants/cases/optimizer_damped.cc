// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/optimizer_damped.cc: takes only the part of the gradient that the velocity
// does not keep, which is another optimizer.
//
// cause: optimizer-trace
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
    const double slope = get(g, place(g, i));
    step(part, i, get(v, place(v, i)), kMutant ? (1 - momentum) * slope : slope);
  }
}

constinit const sdk::Unit unit = descent_unit<update>();

}  // namespace mutants
