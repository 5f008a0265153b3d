// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/added_to_output.cc: adds to an output of role OUT, which holds anything when
// it begins, as only one of role ACCUM may: right where new memory happens to be zero.
//
// cause: unwritten-output
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
    const double mean = sum_of(l, groups, o) / static_cast<double>(groups.size());
    put(y, place(y, o), get(y, place(y, o)) + mean);
  }
}

constexpr tenon_slot_rule slots[] = {
    sdk::strided_in(), sdk::slot(kMutant ? TENON_SLOT_OUT : TENON_SLOT_ACCUM, TENON_LAYOUT_STRIDED,
                                 TENON_SLOT_NEGATIVE_STRIDE)};
constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>(slots)};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
