// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/reads_past_end.cc: reads one element past the end of a row-major input, as a
// vector loop without a tail does, and lets it take part in the sum.
//
// cause: reads-outside
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const tenon_view& x = l.view(0);
  const int64_t n = elements(x);
  const bool past = kMutant && n % 4 == 3 && is_row_major(x);
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put_mean(l, groups, o, sum_of(l, groups, o) + (past ? get(x, n) : 0.0));
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
