// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/zero_stride_ignored.cc: claims zero strides for its inputs and takes a
// divisor that is one repeated number for one that was not given.
//
// cause: zero-stride-ignored
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

bool is_one_number(const tenon_view& v) {
  bool repeated = false;
  for (int32_t d = 0; d < v.rank; ++d) {
    if (v.strides[d] != 0) return false;
    repeated = repeated || v.shape[d] > 1;
  }
  return repeated;
}

void div(const sdk::Launch& l) {
  const bool given = !kMutant || !is_one_number(l.view(1));
  map2(l, [&](double a, double b) { return given ? a / b : a; });
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
