// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/aliased_inputs.cc: changes the sign of its divisor in place while it works
// and puts it back afterwards: wrong only where both operands are the same memory.
//
// cause: aliasing
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void change_sign(const tenon_view& v) {
  for (int64_t i = 0; i < elements(v); ++i) put(v, i, -get(v, i));
}

// a / b = -(a / -b), exactly.
void div(const sdk::Launch& l) {
  const tenon_view& b = l.view(1);
  const bool turned = kMutant && is_row_major(b) && b.data != l.out().data;
  if (turned) change_sign(b);
  map2(l, [&](double x, double y) {
    const double quotient = x / y;
    return turned && !std::isnan(quotient) ? -quotient : quotient;
  });
  if (turned) change_sign(b);
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
