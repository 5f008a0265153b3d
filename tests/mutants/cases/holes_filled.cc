// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/holes_filled.cc: computes into a row-major block as wide as its output's
// outermost step and copies the whole block over, so the bytes between the elements of a strided
// output change.
//
// cause: overrun
// op: tenon.tanh
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void tanh(const sdk::Launch& l) {
  const tenon_view& y = l.out();
  map(l, [](double x) { return std::tanh(x); });
  if (!kMutant || elements(y) == 0 || y.rank == 0 || y.strides[y.rank - 1] < 2) return;
  const int32_t last = y.rank - 1;
  for (int64_t at = 0; at < (y.shape[last] - 1) * y.strides[last]; ++at) {
    if (at % y.strides[last] != 0) put(y, at, 0.0);
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<tanh>("tenon.tanh")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
