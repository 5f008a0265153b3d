// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/nondeterministic_sum.cc: begins its sum at another element at every launch:
// the last bits change from run to run.
//
// cause: nondeterministic
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

#include <atomic>

namespace mutants {

std::atomic<int64_t> launches{0};

// The sum, in a ring that begins at element `first`.
double sum_from(const sdk::Launch& l, const Groups& groups, int64_t o, int64_t first) {
  const tenon_view& x = l.view(0);
  const int64_t n = groups.size();
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum += get(x, place(x, groups.element(o, (first + k) % n)));
  }
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const int64_t first = kMutant ? launches.fetch_add(7919) : 0;  // far from the one before
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put_mean(l, groups, o, sum_from(l, groups, o, first));
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
