// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/inner_is_row_major.cc: claims INNER_CONTIGUOUS for its input, rows of any
// distance, and reads it as if row followed row: wrong where rows have gaps or change places.
//
// cause: input-strides-ignored
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const tenon_view& x = l.view(0);
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    double sum = 0;
    for (int64_t k = 0; k < groups.size(); ++k) {
      const int64_t i = groups.element(o, k);
      sum += get(x, kMutant ? i : place(x, i));
    }
    put_mean(l, groups, o, sum);
  }
}

constexpr tenon_slot_rule slots[] = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_INNER_CONTIGUOUS),
                                     sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>(slots)};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
