// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/optimizer_hidden_state.cc: keeps a velocity of its own for each parameter,
// by address, and only writes the one that is saved: a run that goes on with saved states starts
// again from nothing.
//
// cause: optimizer-resume
// op: TENON_CASE_ID.descent
// backward-only: no
// level: 1
// goldens: optimizers/descent
#include "mutant.h"

#include "descent.h"

#include <map>
#include <mutex>

namespace mutants {

std::mutex lock;
std::map<const void*, std::vector<double>> hidden;

// What the velocity of element i was, and where to remember what it is.
double& remembered(const Part& part, int64_t i) {
  const auto n = static_cast<size_t>(elements(part.param));
  std::vector<double>& all = hidden[part.param.data];
  if (all.size() != n) all.assign(n, 0.0);
  return all[static_cast<size_t>(i)];
}

void update(const Part& part) {
  const auto& [p, g, v, lr, momentum] = part;
  const std::scoped_lock held(lock);
  for (int64_t i = 0; i < elements(p); ++i) {
    const double before = kMutant ? remembered(part, i) : get(v, place(v, i));
    const double now = step(part, i, before, get(g, place(g, i)));
    if (kMutant) remembered(part, i) = now;
  }
}

constinit const sdk::Unit unit = descent_unit<update>();

}  // namespace mutants
