// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/optimizer_damped.cc: takes only the part of the gradient that the velocity
// does not keep, which is another optimizer.
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
  const double taken = kMutant ? 1 - momentum : 1;
  for (int64_t i = 0; i < elements(p); ++i) {
    const double velocity = momentum * get(v, place(v, i)) + taken * get(g, place(g, i));
    put(v, place(v, i), velocity);
    put(p, place(p, i), get(p, place(p, i)) - lr * velocity);
  }
}

constinit const sdk::Unit unit = descent_unit<update>();

}  // namespace mutants
