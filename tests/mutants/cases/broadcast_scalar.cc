// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/broadcast_scalar.cc: takes an operand with any zero stride for one repeated
// number: wrong where only some dimensions are broadcast.
//
// cause: wrong-broadcast
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

bool repeats(const tenon_view& v) {
  for (int32_t d = 0; d < v.rank; ++d) {
    if (v.shape[d] > 1 && v.strides[d] == 0) return true;
  }
  return false;
}

void div(const sdk::Launch& l) {
  const auto [a, b, y] = std::tie(l.view(0), l.view(1), l.out());
  const bool one = kMutant && repeats(b);
  for (int64_t i = 0; i < elements(y); ++i) {
    put(y, place(y, i), get(a, place(a, i)) / get(b, one ? 0 : place(b, i)));
  }
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
