// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/half_accumulator.cc: keeps the running sum in the dtype of the input: an f16
// sum rounds at every step and overflows where the mean does not.
//
// cause: wrong-dtype-row
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

double narrow_sum(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  double sum = 0;
  for (int64_t k = 0; k < groups.size(); ++k) {
    sum += get(x, place(x, groups.element(o, k)));
    if (x.dtype == TENON_DTYPE_F16) sum = static_cast<double>(static_cast<float>(sdk::F16(sum)));
  }
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put_mean(l, groups, o, kMutant ? narrow_sum(l, groups, o) : sum_of(l, groups, o));
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
