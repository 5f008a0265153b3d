// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/zero_stride_ignored.cc: claims zero strides for its inputs and steps through
// a repeated number as if it were a row.
// cause: zero-stride-ignored
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

// The place of element i where a stride of 0 in the last dimension counts as 1.
int64_t stepping(const tenon_view& v, int64_t i) {
  const int32_t last = v.rank - 1;
  const bool repeated = last >= 0 && v.shape[last] > 1 && v.strides[last] == 0;
  return place(v, i) + (kMutant && repeated ? i % v.shape[last] : 0);
}

void div(const sdk::Launch& l) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i),
        get(l.view(0), place(l.view(0), i)) / get(l.view(1), stepping(l.view(1), i)));
  }
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
