// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/nondeterministic_sum.cc: adds the elements in another order at every other
// launch: the last bits change from run to run.
// cause: nondeterministic
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

#include <atomic>

namespace mutants {

std::atomic<uint32_t> launches{0};

// Every other launch begins at the end.
double sum_in_turn(const sdk::Launch& l, const Groups& groups, int64_t o, bool backwards) {
  const tenon_view& x = l.view(0);
  const int64_t n = groups.size();
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum += get(x, place(x, groups.element(o, backwards ? n - 1 - k : k)));
  }
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const bool backwards = kMutant && launches.fetch_add(1) % 2 == 1;
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put_mean(l, groups, o, sum_in_turn(l, groups, o, backwards));
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
