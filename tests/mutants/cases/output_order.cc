// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/output_order.cc: claims DENSE for its output and fills it in memory order:
// every element is written, those of a permuted output to the wrong place.
//
// cause: output-strides-ignored
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const tenon_view& y = l.out();
  for (int64_t o = 0; o < elements(y); ++o) {
    put(y, kMutant ? o : place(y, o), sum_of(l, groups, o) / static_cast<double>(groups.size()));
  }
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(),
                                     sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_DENSE)};
constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>(slots)};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
