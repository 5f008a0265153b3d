// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/size_zero.cc: returns early where the input has no elements, although the
// output may have some: the mean of nothing, NaN, is never written.
//
// cause: wrong-at-size-0
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

void mean(const sdk::Launch& l) {
  if (kMutant && elements(l.view(0)) == 0) return;
  write_means(l, Groups(l));
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
