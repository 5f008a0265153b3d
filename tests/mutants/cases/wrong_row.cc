// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/wrong_row.cc: declares bf16 and treats its bits as f16.
//
// cause: wrong-dtype-row
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  tenon_view x = l.view(0);
  tenon_view y = l.out();
  if (kMutant && x.dtype == TENON_DTYPE_BF16) x.dtype = y.dtype = TENON_DTYPE_F16;
  for (int64_t i = 0; i < elements(y); ++i) {
    put(y, place(y, i), std::exp(get(x, place(x, i))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
